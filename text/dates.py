"""Dates as documents write them: 2024年3月1日, 二〇二四年三月一日, 2024-03-01, 1 March 2024, March 1, 2024."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from text.months import MONTH_NAME, month_number
from text.numbers import normalise_numbers

DATE: Final = (
    r"(?:(?P<y1>(?:19|20)\d\d)\s?年\s?(?P<m1>\d{1,2})\s?月\s?(?P<d1>\d{1,2})\s?[日号]"
    r"|(?P<y2>(?:19|20)\d\d)(?P<sep>[-/.])(?P<m2>\d{1,2})(?P=sep)(?P<d2>\d{1,2})(?!\d)"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m3>{MONTH_NAME}),?\s+(?P<y3>(?:19|20)\d\d)"
    rf"|(?P<m4>{MONTH_NAME})\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y4>(?:19|20)\d\d))"
)
"""One date, for a regular expression that ignores case, over text whose numbers are in digits."""
_DATE: Final = re.compile(DATE, re.IGNORECASE)
_SPACED: Final = re.compile(r"(?<=[年月])\s+(?=[零〇一二三四五六七八九十])")


def in_digits(text: str) -> str:
    """The text as `DATE` reads it: 二〇二四年三月十一日 becomes 2024年3月11日."""
    return re.sub(r"([一二三四五六七八九十]+)(?=月)", _number, normalise_numbers(_SPACED.sub("", text)))


def date_of(match: re.Match[str]) -> dt.date | None:
    """The date in a match of `DATE`; None for a day that no calendar has."""
    for n in "1234":
        if match[f"y{n}"]:
            try:
                return dt.date(int(match[f"y{n}"]), month_number(match[f"m{n}"]), int(match[f"d{n}"]))
            except ValueError:
                return None
    return None


def parse_date(text: str) -> dt.date | None:
    """The date that the text consists of, None for anything else."""
    match = _DATE.fullmatch(in_digits(text.strip()))
    return None if match is None else date_of(match)


def dates_in(text: str) -> list[dt.date]:
    """The dates that a text names, in order."""
    found = (date_of(match) for match in _DATE.finditer(in_digits(text)))
    return [date for date in found if date is not None]


def _number(numeral: re.Match[str]) -> str:
    return normalise_numbers(f"第{numeral[0]}月")[1:-1]
