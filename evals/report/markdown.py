"""What a report found, as a short page in Markdown: the sentences, and the tables of comparisons."""

from __future__ import annotations

import re
from typing import Final

from evals.markdown import table
from evals.report.blocks import Report, Table
from text.normalise import printable

_OWN: Final = re.compile(r"[\\`*<>|\[\]#]")
LONG: Final = 40
"""Rows: a longer table, such as that of single questions, stands in the page only."""


def summary(report: Report) -> str:
    """Findings first, then every table that is not too long, with where its numbers are from."""
    lines = [f"# {_line(report.title)}", *(f"* {_line(finding)}" for finding in report.findings), _line(report.source)]
    for section in report.sections:
        lines.append(f"## {_line(section.title)}")
        lines += [_table(block) for block in section.blocks if isinstance(block, Table) and len(block.rows) <= LONG]
    return "\n\n".join(lines) + "\n"


def _table(block: Table) -> str:
    rows = [[_line(cell) for cell in row] for row in block.rows]
    note = [_line(block.note)] if block.note else []
    return "\n\n".join([f"**{_line(block.title)}**", table([_line(cell) for cell in block.head], rows), *note])


def _line(words: str) -> str:
    """On one line, with nothing in it that Markdown, or the HTML that it may hold, would take for its own."""
    return _OWN.sub(r"\\\g<0>", " ".join(printable(words).split()))
