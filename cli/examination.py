"""An examination as it reads in a terminal: a line a step, the setting to change below it, the verdict at the end."""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from rich.console import Console
from rich.text import Text

from api.terminal import harmless

if TYPE_CHECKING:
    from rich.status import Status

    from graph.doctor import Finding, Found, Patient, Report

STYLES: Final = {"ok": "green", "warn": "yellow", "fail": "bold red", "skipped": "dim"}
_INDENT: Final = 26


class Examination:
    """Findings go to stdout, what is at work at the moment to stderr and only where somebody looks."""

    def __init__(self, *, silent: bool) -> None:
        self._out = Console(quiet=silent, highlight=False)
        self._err = Console(stderr=True)
        self._status: Status | None = None
        self._target = ""
        self._skipped: list[Found] = []

    def begins(self, patient: Patient, step: str) -> None:
        """A step is at work; before the first of a target stands what it will cost."""
        if patient.target != self._target:
            self._tell_skipped()
            self._target = patient.target
            cost = f"  about {patient.expects:,} tokens" if patient.expects else ""
            self._out.print(Text.assemble((patient.target, "bold"), (cost, "dim")))
        if self._err.is_terminal:
            self._status = self._err.status(f"{patient.target}: {step}")
            self._status.start()

    def told(self, found: Found) -> None:
        """A step is done."""
        self._rest()
        if found.finding.status == "skipped":
            self._skipped.append(found)
            return
        self._tell_skipped()
        for line in lines(found.step, found.finding):
            self._out.print(line, soft_wrap=True)

    def ends(self, report: Report) -> None:
        """The verdict."""
        self._tell_skipped()
        failed_at = {one.target for one in report.of("fail")}
        for target, uses in report.uses.items():
            if target in failed_at:
                continue
            said = ", ".join(f"{name} {harmless(str(value))}" for name, value in uses.items() if value is not None)
            self._out.print(Text(f"Gapseek will use for {target}: {said}"), soft_wrap=True)
        self._out.print(Text(spent_line(report)), soft_wrap=True)
        self._out.print(verdict(report), soft_wrap=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rest()

    def _tell_skipped(self) -> None:
        """What was skipped for one reason, in one line."""
        for finding in dict.fromkeys(one.finding for one in self._skipped):
            steps = ", ".join(one.step for one in self._skipped if one.finding == finding)
            for line in lines("", replace(finding, sentence=f"{finding.sentence} ({steps})")):
                self._out.print(line, soft_wrap=True)
        self._skipped = []

    def _rest(self) -> None:
        if self._status is not None:
            self._status.stop()
        self._status = None


def lines(step: str, finding: Finding) -> list[Text]:
    """One line, and one more where something can be set."""
    line = Text.assemble("  ", (f"{finding.status:<8}", STYLES[finding.status]), f"{step:<16}")
    shown = [line.append(harmless(finding.sentence))]
    if finding.setting:
        shown.append(Text(f"{'':<{_INDENT}}→ {finding.setting}: {harmless(finding.value or '')}", "bold"))
    return shown


def spent_line(report: Report) -> str:
    """What the examination cost."""
    if not report.spent:
        return "No chat model was called."
    tokens = sum(one.input_tokens + one.output_tokens for one in report.spent)
    about = "about " if any(one.estimated for one in report.spent) else ""
    calls = "1 call" if len(report.spent) == 1 else f"{len(report.spent)} calls"
    return f"Spent: {calls} of chat models, {about}{tokens:,} tokens."


def verdict(report: Report) -> Text:
    """Whether questions can be answered, and how much is worth a look."""
    warned, failed = len(report.of("warn")), len(report.of("fail"))
    worth = f"; {warned} {'warning' if warned == 1 else 'warnings'}" if warned else ""
    if report.answers:
        return Text(f"Questions can be answered as configured{worth}.", "bold green")
    faults = f"{failed} {'fault' if failed == 1 else 'faults'}"
    return Text(f"Questions cannot be answered as configured: {faults}{worth}.", "bold red")
