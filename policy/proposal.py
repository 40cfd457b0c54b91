"""Which values of the documents' own fields does a question name? The filter that follows is tried beside no filter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from text.normalise import fold
from text.numbers import normalise_numbers

Scalar = str | int | float

MOST_VALUES: Final = 3
"""A question that names more values of one field compares them, and one that names more fields is about none."""
MOST_FIELDS: Final = 3
NEVER: Final = frozenset({"kind", "file", "folder"})
"""Fields whose values are everyday words: who says 计划 or law asks about one, not for documents so called."""
SHORTEST_TEXT: Final = 2
SMALLEST_NUMBER: Final = 1_000
"""Smaller numbers count things (3 days, 12 floors) far more often than they name a value."""
_UNIT: Final = (
    r"(?!\s?(?:元|块|人|名|户|米|公里|平方|千克|公斤|吨|小时|分钟|天|次|个|%|usd|eur|yuan|dollars|people|days|hours))"
)


def propose(question: str, fields: Mapping[str, Collection[Scalar]]) -> dict[str, Any] | None:
    """A filter of the values that the question names, such as {"year": 2024, "city": {"$in": [...]}}; None for none.

    A value counts when it stands in the question as a whole, in any case, width, script or numeral. Of values inside
    each other (上海市, 上海市浦东新区) the longest counts.
    """
    asked = _folded(question)
    sorting = sorted(fields.keys() - NEVER)
    named = {field: found for field in sorting if (found := _named(asked, fields[field]))}
    kept = {field: found for field, found in named.items() if len(found) <= MOST_VALUES}
    if not kept or len(kept) > MOST_FIELDS:
        return None
    return {field: found[0] if len(found) == 1 else {"$in": found} for field, found in kept.items()}


def _named(asked: str, values: Collection[Scalar]) -> list[Scalar]:
    """The values that stand in the question, in a fixed order, without those only found inside a longer one."""
    spans = {value: list(_spans(asked, value)) for value in values}
    everywhere = [span for found in spans.values() for span in found]
    whole = [value for value, found in spans.items() if any(not _inside(span, everywhere) for span in found)]
    return sorted(whole, key=lambda value: (str(type(value)), str(value)))


def _inside(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in spans)


def _spans(asked: str, value: Scalar) -> Iterator[tuple[int, int]]:
    wanted = _folded(str(value))
    if wanted in asked and (pattern := _pattern(wanted)) is not None:
        yield from (found.span() for found in pattern.finditer(asked))


@lru_cache(maxsize=10_000)
def _pattern(wanted: str) -> re.Pattern[str] | None:
    """The value with nothing around it that would make it another number, code or word; None when it is too short."""
    if re.fullmatch(r"\d+(?:\.\d+)?", wanted):
        number = rf"(?<![a-z0-9.,-]){re.escape(wanted)}(?![a-z0-9%]|[.,-]\d){_UNIT}"
        return re.compile(number) if float(wanted) >= SMALLEST_NUMBER else None
    if len(wanted) < SHORTEST_TEXT:
        return None
    before = r"(?<![a-z0-9])" if wanted[0].isascii() else ""
    after = r"(?![a-z0-9]|[-.]\w)" if wanted[-1].isascii() else ""
    return re.compile(f"{before}{re.escape(wanted)}{after}")


@lru_cache(maxsize=10_000)
def _folded(text: str) -> str:
    return " ".join(normalise_numbers(fold(text)).split())
