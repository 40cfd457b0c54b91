"""What a text says in numbers: amounts with their unit, and dates, comparable over notations and languages.

三十日, 30天 and 30 days are one amount; so are 一万元 and 10,000 yuan, 百分之五 and 5%. Thirty hours are another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from text.days import Date, dates
from text.normalise import clean
from text.number_words import words_to_digits
from text.numbers import normalise_numbers

_UNITS: Final = {
    "workday": r"个?工作日|(?:working|business)[ -]days?\b",
    "day": r"(?:个?自然)?日(?!元)|天|(?:calendar )?days?\b",
    "week": r"个?(?:周(?![年岁])|星期|礼拜)|weeks?\b",
    "month": r"个月|months?\b",
    "year": r"个?年(?![级龄])|years?\b",
    "hour": r"个?小时|hours?\b",
    "minute": r"分钟|minutes?\b",
    "second": r"秒|seconds?\b",
    "yuan": r"(?:元|块钱?)(?!/)|yuan\b|rmb\b|cny\b",
    "dollar": r"美元|(?:us )?dollars?\b|usd\b",
    "euro": r"欧元|euros?\b|eur\b",
    "percent": r"%|per ?cent\b|percent\b",
    "article": r"条",
}
"""Only units whose confusion is an error; any other noun after a number says nothing about it."""
_BEFORE: Final = {"¥": "yuan", "rmb": "yuan", "cny": "yuan", "$": "dollar", "usd": "dollar", "€": "euro", "eur": "euro"}
_SCALES: Final = {
    "百": 2, "千": 3, "万": 4, "萬": 4, "百万": 6, "千万": 7, "亿": 8, "億": 8, "万亿": 12,
    "hundred": 2, "thousand": 3, "million": 6, "billion": 9,
}  # fmt: skip
"""Powers of ten; the only words that may stand between a number and its unit."""

_UNIT: Final = "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items())
_SCALE: Final = "|".join(sorted(_SCALES, key=len, reverse=True))
_AMOUNT: Final = re.compile(
    rf"(?:(?P<before>¥|\$|€|rmb|cny|usd|eur|articles?)\s*)?"
    rf"(?P<number>\d+(?:\.\d+)?)(?:\s*(?P<scale>{_SCALE})(?![a-z]))?(?:\s*-?\s*(?:{_UNIT}))?",
    re.IGNORECASE,
)
_SMALL: Final = frozenset({"1", "2"})


@dataclass(frozen=True)
class Amount:
    """A number in plain digits, its unit where that is one of ours, and how it was written (numerals in digits)."""

    number: str
    unit: str | None
    written: str


@dataclass(frozen=True)
class Stated:
    """The numbers of one text."""

    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]


@lru_cache(maxsize=256)
def stated(text: str) -> Stated:
    """Every amount and date of the text, in order; the parts of a date are no amounts."""
    found, rest = _dated(text)
    return Stated(tuple(_amount(match) for match in _AMOUNT.finditer(rest)), found)


def unquantified(text: str) -> str:
    """The text without its amounts and dates: what it speaks of, whatever value it gives it."""
    return _AMOUNT.sub("\n", _dated(text)[1])


def _dated(text: str) -> tuple[tuple[Date, ...], str]:
    """The dates of the text, and the text in digits without them."""
    plain = normalise_numbers(words_to_digits(clean(text)))
    found = dates(plain)
    rest = list(plain)
    for _, (start, end) in found:
        rest[start:end] = "\n" * (end - start)
    return tuple(date for date, _ in found), "".join(rest)


def unfounded(statement: str, grounds: Iterable[str]) -> list[str]:
    """The amounts and dates of a statement that no ground has, as the statement writes them, without repeats.

    一, 两, one and two in words are as often articles as numbers and are let pass. A number without a unit agrees with
    any unit; a date that leaves something out agrees with any date that has the rest.
    """
    said, known = stated(statement), [stated(ground) for ground in grounds]
    in_digits = {match["number"] for match in _AMOUNT.finditer(clean(statement))}
    units: dict[str, set[str | None]] = {}
    for ground in known:
        for amount in ground.amounts:
            units.setdefault(amount.number, set()).add(amount.unit)
        for part in (part for date in ground.dates for part in (date.year, date.month, date.day) if part is not None):
            units.setdefault(str(part), set()).add(None)
    wrong = [date.written for date in said.dates if not _is_known(date, known, units)]
    for amount in said.amounts:
        if amount.number in _SMALL and amount.number not in in_digits:
            continue
        if not _agrees(amount, units):
            wrong.append(amount.written)
    return list(dict.fromkeys(wrong))


def _agrees(amount: Amount, units: dict[str, set[str | None]]) -> bool:
    known = units.get(amount.number, set())
    return bool(known) and (amount.unit is None or None in known or amount.unit in known)


def _is_known(date: Date, grounds: Iterable[Stated], units: dict[str, set[str | None]]) -> bool:
    """A date of the grounds that agrees has it, and a part that this date leaves out stands elsewhere in them."""
    return any(
        date.agrees(other) and all(part is None or str(part) in units for part in (date.year, date.month, date.day))
        for ground in grounds
        for other in ground.dates
    )


def _amount(match: re.Match[str]) -> Amount:
    unit = next((name for name in _UNITS if match[name]), None)
    if unit is None and match["before"]:
        unit = _BEFORE.get(match["before"].lower(), "article")
    return Amount(_digits(match["number"], match["scale"]), unit, match.group().strip())


def _digits(number: str, scale: str | None) -> str:
    """In one form: 007 is 7, 1.50 is 1.5, 1.5万 is 15000."""
    value = Decimal(number).scaleb(_SCALES[scale.lower()]) if scale else Decimal(number)
    whole, _, fraction = f"{value:f}".partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
