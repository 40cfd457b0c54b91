"""Goes through the steps of all patients, within a time for all of them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Final, TypeAlias

from context.doctor.findings import Finding, Patient, Step
from graph.doctor.report import TIMEOUT, Found, Report
from graph.doctor.secrets import Scrub
from graph.doctor.targets import Target, patients
from settings import Settings

Begins: TypeAlias = Callable[[Patient, str], None]
"""A step of a patient begins."""
Told: TypeAlias = Callable[[Found], None]

OF_OURS: Final = ("reasoner", "corpus", "openai", "httpx")
"""Loggers whose warnings say in passing what is found here."""


async def examine(
    settings: Settings,
    report: Report,
    *,
    only: Collection[Target],
    timeout_s: float,
    whole_window: bool = False,
    begins: Begins,
    told: Told,
) -> None:
    """Fill in the report, target by target; what is not tried within the time is skipped."""
    ends_at = time.monotonic() + timeout_s
    scrub = Scrub(settings)
    with _quietly():
        for patient in patients(settings, only, whole_window):
            async with aclosing(patient):
                await _examined(patient, report, scrub, ends_at, begins, told)


async def _examined(patient: Patient, report: Report, scrub: Scrub, ends_at: float, begins: Begins, told: Told) -> None:
    known: dict[str, Finding] = {}
    try:
        for step in patient.steps:
            begins(patient, step.name)
            begun = time.monotonic()
            known[step.name] = await _finding(step, known, ends_at)
            found = Found(patient.target, step.name, _clean(known[step.name], scrub), time.monotonic() - begun)
            report.found.append(found)
            told(found)
    finally:
        report.spent += [replace(usage, model=scrub(usage.model)) for usage in patient.spent]
        if uses := patient.uses():
            report.uses[patient.target] = {
                name: scrub(value) if isinstance(value, str) else value for name, value in uses.items()
            }


async def _finding(step: Step, known: Mapping[str, Finding], ends_at: float) -> Finding:
    lost = next((need for need in step.needs if known[need].status in ("fail", "skipped")), None)
    if lost is not None:
        taken_along = known[lost].status == "skipped"  # then the fault is further up
        return known[lost] if taken_along else Finding("skipped", f"Not tried, since `{lost}` has to work first.")
    left = ends_at - time.monotonic()
    if left <= 0:
        return Finding("skipped", "Not tried: the time for all steps was up.", TIMEOUT, "more seconds")
    try:
        async with asyncio.timeout(left) as limit:
            return await step.look()
    except TimeoutError:
        if not limit.expired():
            raise
        return Finding("fail", "Not done when the time for all steps was up.", TIMEOUT, "more seconds")


def _clean(finding: Finding, scrub: Scrub) -> Finding:
    value = None if finding.value is None else scrub(finding.value)
    return replace(finding, sentence=scrub(finding.sentence), value=value)


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the log: a warning beside the finding that it led to would say it twice."""
    loggers = [logging.getLogger(name) for name in OF_OURS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
