"""Which of two sources holds on a day, by what their metadata say: in force from, in force to, superseded by."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from state import Evidence, Outdated, Superseded
from text.dates import dates_in, parse_date
from text.days import dates
from text.normalise import clean, fold
from text.numbers import normalise_numbers

_COUNTED: Final = "(?:%|yuan|rmb|usd|dollars?|euros?|people|days?|hours?|square|met(?:er|re)s?)"
_YEAR: Final = re.compile(rf"(?<!\d)((?:19|20)\d\d)年(?!\d)|\b(?:in|during|of|since) ((?:19|20)\d\d)\b(?! ?{_COUNTED})")
"""A year that stands for a time, 2023年 or in 2023, and not for an amount."""
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
    """The fields of evidence that say when its document holds; what cannot be read as a date is left out."""
    days = {name: _day(metadata.get(name)) for name in ("effective_from", "effective_to")}
    named = metadata.get("superseded_by")
    names = [str(name).strip() for name in (named if isinstance(named, list) else [named]) if name]
    found: dict[str, Any] = {name: day.isoformat() for name, day in days.items() if day}
    return found | ({"superseded_by": names} if any(names) else {})


def _day(value: object) -> dt.date | None:
    """A date as metadata hold it; a time behind it is left aside."""
    return parse_date(str(value).strip().partition("T")[0]) if value else None


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
    named = {_name(name) for name in loser.get("superseded_by", ())}
    return bool(named & {_name(winner["doc_id"]), _name(winner["title"])})


def _reason(loser: Evidence, winner: Evidence, day: dt.date) -> Outdated | None:
    """The less a source holds on that day the sooner it yields; of two that hold, the older one does."""
    state, other = _stands(loser, day), _stands(winner, day)
    if replaces(winner, loser) and not replaces(loser, winner) and _WEIGHT[state] == 1 >= _WEIGHT[other]:
        return "replaced"
    if _WEIGHT[state] > _WEIGHT[other]:
        return state
    ours, theirs = loser.get("effective_from"), winner.get("effective_from")
    return "newer" if state is None is other and ours and theirs and ours < theirs else None


def _stands(evidence: Evidence, day: dt.date) -> Outdated | None:
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
