"""Dates however they are written: 2024年3月1日, 2024-03-01, March 1, 2024 and 1 March 2024 are one day.

Also those without a year or a day, for comparing; `text.dates` reads whole ones, as metadata keeps them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from text.months import MONTH_NAME, month_number

_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?\b"
_DATE: Final = re.compile(
    rf"""
    (?<![\d.-])(?P<y1>\d{{4}})\s*[年./-]\s*(?P<m1>\d{{1,2}})(?:\s*[月./-]\s*(?P<d1>\d{{1,2}})\s*[日号]?|\s*月)(?![\d.-]*\d)
  | (?<![\d.-])(?P<y2>\d{{4}})-(?P<m2>0\d|1[0-2])(?![\d-])
  | (?<!\d)(?P<m3>\d{{1,2}})\s*月\s*(?P<d3>\d{{1,2}})\s*[日号]
  | \b(?P<m4>{MONTH_NAME})\s*(?P<d4>{_DAY})(?:,?\s*(?P<y4>\d{{4}})\b)?
  | (?<![\d.])(?P<d5>{_DAY})\s+(?:of\s+)?(?P<m5>{MONTH_NAME})(?:,?\s*(?P<y5>\d{{4}})\b)?
  | \b(?P<m6>{MONTH_NAME}),?\s+(?P<y6>\d{{4}})\b
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Date:
    """A calendar date as far as it is given, and how it was written."""

    year: int | None
    month: int
    day: int | None
    written: str

    def agrees(self, other: Date) -> bool:
        """Whether nothing that both give differs."""
        return all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        )


def dates(text: str) -> list[tuple[Date, tuple[int, int]]]:
    """The dates of a text whose numbers are in digits, each with its span."""
    found = ((_date(match), match.span()) for match in _DATE.finditer(text))
    return [(date, span) for date, span in found if date is not None]


def _date(match: re.Match[str]) -> Date | None:
    given = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    month = month_number(given["m"])
    day = int(re.sub(r"\D", "", given["d"])) if "d" in given else None
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return Date(int(given["y"]) if "y" in given else None, month, day, match.group().strip())
