"""Which of two sources holds on a day, by what their metadata say: in force from, in force to, superseded by."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from evidence import Evidence, Outdated, Superseded
from text.dates import dates_in, parse_date
from text.days import dates
from text.normalise import clean, fold
from text.numbers import normalise_numbers

_COUNTED: Final = "(?:%|yuan|rmb|usd|dollars?|euros?|people|days?|hours?|square|met(?:er|re)s?)"
_YEAR: Final = re.compile(rf"(?<!\d)((?:19|20)\d\d)年(?!\d)|\b(?:in|during|of|since) ((?:19|20)\d\d)\b(?! ?{_COUNTED})")
"""A year that stands for a time, 2023年 or in 2023, and not for an amount."""
_PART: Final = re.compile(r"(?P<year>(?:19|20)\d\d)\s?(?:[-/.年]\s?(?P<month>\d{1,2})\s?月?|年)?")
"""A date without its day, or without its month."""
_MONTHS: Final = 12
_LAST_OF_YEAR: Final = (12, 31)
_WEIGHT: Final[dict[Outdated | None, int]] = {None: 0, "replaced": 1, "expired": 2, "future": 2, "version": 2}
"""What was replaced still held before, and what replaced it may not hold yet: it yields to what holds, no further."""


def day_asked(question: str, now: float) -> dt.date:
    """The day as of which a question asks: the one date that it names, the end of the month or year, or today.

    `now` is in seconds since the epoch; a period that is not over yet is seen as of today.
    """
    today = dt.datetime.fromtimestamp(now, dt.UTC).date()
    whole = set(dates_in(question))
    if len(whole) == 1:
        return whole.pop()
    ends = _ends_of_periods(question)
    if whole or len(ends) != 1:
        return today
    end = ends.pop()
    return today if end.year == today.year and end > today else end


def _ends_of_periods(question: str) -> set[dt.date]:
    plain = normalise_numbers(clean(question))
    months = {(date.year, date.month) for date, _ in dates(plain) if date.year and date.day is None}
    if months:
        return {_end_of_month(year, month) for year, month in months}
    return {dt.date(int(first or second), *_LAST_OF_YEAR) for first, second in _YEAR.findall(plain)}


def _end_of_month(year: int, month: int) -> dt.date:
    return dt.date(year, month, calendar.monthrange(year, month)[1])


def effect_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of evidence that say when its document holds; what cannot be read as a date is left out.

    A beginning is kept as exactly as it is given (2024-05, 2025), an end as its last day.
    """
    edges = {"effective_from": _period(metadata.get("effective_from")), "effective_to": _last(metadata)}
    named = metadata.get("superseded_by")
    names = [str(name).strip() for name in (named if isinstance(named, list) else [named]) if name]
    found: dict[str, Any] = {name: edge for name, edge in edges.items() if edge}
    return found | ({"superseded_by": names} if any(names) else {})


def _period(value: object) -> str:
    """A day, a month (2024-05) or a year as metadata hold it, in ISO form; a time is left aside. Empty for no date."""
    text = str(value).strip().partition("T")[0] if value else ""
    if day := parse_date(text):
        return day.isoformat()
    part = _PART.fullmatch(normalise_numbers(clean(text)))
    if part is None or not 1 <= int(part["month"] or 1) <= _MONTHS:
        return ""
    return f"{part['year']}-{int(part['month']):02}" if part["month"] else part["year"]


def _last(metadata: Mapping[str, Any]) -> str:
    period = _period(metadata.get("effective_to"))
    if not period or len(period) == len("2024-05-31"):
        return period
    year, _, month = period.partition("-")
    return _end_of_month(int(year), int(month or _MONTHS)).isoformat()


def yields(loser: Evidence, winner: Evidence, day: dt.date, current: Mapping[str, str]) -> Superseded | None:
    """Why the first source weighs nothing beside the second on that day; None where the metadata do not say so.

    `current` holds the versions of documents that were found last; of two versions of one document that one holds.
    """
    if loser["doc_id"] == winner["doc_id"]:
        newer = loser["version"] != winner["version"] == current.get(winner["doc_id"])
        why: Outdated | None = "version" if newer else None
    else:
        why = _reason(loser, winner, day)
    if why is None:
        return None
    edge = {"expired": "effective_to", "future": "effective_from"}.get(why, "")
    return {
        "chunk_id": winner["chunk_id"],
        "doc_id": winner["doc_id"],
        "title": winner["title"],
        "why": why,
        "since": winner.get("effective_from"),
        "day": _text(loser, edge),
    }


def replaces(winner: Evidence, loser: Evidence) -> bool:
    """Whether the loser's own metadata name the winner, by its id or its title, as what supersedes it."""
    return names(loser, winner["doc_id"], winner["title"])


def names(loser: Evidence, doc_id: str, title: str) -> bool:
    """Whether the loser's own metadata name a document of this id or title as what supersedes it."""
    named = {_name(name) for name in loser.get("superseded_by", ())}
    return bool(named & {_name(doc_id), _name(title)})


def _reason(loser: Evidence, winner: Evidence, day: dt.date) -> Outdated | None:
    """The less a source holds on that day the sooner it yields; of two that hold, the older one does."""
    state, other = standing(loser, day), standing(winner, day)
    if replaces(winner, loser) and not replaces(loser, winner) and _WEIGHT[state] == 1 >= _WEIGHT[other]:
        return "replaced"
    if _WEIGHT[state] > _WEIGHT[other]:
        return state
    ours, theirs = loser.get("effective_from") or "", winner.get("effective_from") or ""
    # Of 2024 and 2024-05 nobody can tell which began first.
    earlier = ours and ours < theirs and not theirs.startswith(ours)
    return "newer" if state is None is other and earlier else None


def standing(evidence: Evidence, day: dt.date) -> Outdated | None:
    """None while it is in force, as far as its metadata say; from when on it was replaced they do not."""
    start, end = evidence.get("effective_from"), evidence.get("effective_to")
    if start and start > day.isoformat():
        return "future"
    if end and end < day.isoformat():
        return "expired"
    return "replaced" if evidence.get("superseded_by") else None


def _text(evidence: Evidence, field: str) -> str | None:
    found = evidence.get(field)
    return found if isinstance(found, str) else None


def _name(name: str) -> str:
    return fold(name).strip("《》 ")
