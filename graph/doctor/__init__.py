"""Everything that a deployment stands on, examined by the code that asks use."""

from context.doctor.findings import Finding, Patient, Status
from graph.doctor.examining import examine
from graph.doctor.report import Found, Report
from graph.doctor.targets import TARGETS, Target

__all__ = ["TARGETS", "Finding", "Found", "Patient", "Report", "Status", "Target", "examine"]
