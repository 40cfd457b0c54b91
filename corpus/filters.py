"""The filter language: `{"year": 2024, "city": {"$in": [...]}, "$and": [...]}` to one predicate over metadata.

Fields are the names of a document's and chunk's metadata, and `doc_id`, `title`. Several in one object must all hold.
A list in the metadata passes when one of its items does. Values of different kinds are never equal and never ordered:
"2024" is not 2024. A field that is absent passes `$ne`, `$nin`, `{"$exists": false}` and equality with null only.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import errors

Predicate = Callable[[Mapping[str, Any]], bool]
Test = Callable[[Any], bool]

_DEEPEST: Final = 8
_MOST_CONDITIONS: Final = 200
_LONGEST_LIST: Final = 1_000
_ORDER: Final = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
_VALUE: Final = ("$eq", "$ne", "$in", "$nin", *_ORDER, "$exists")
_LOGIC: Final = ("$and", "$or", "$not")


def compile_filter(filters: Mapping[str, Any] | None) -> Predicate:
    """One predicate for both lanes. Raises `errors.BadRequest` with a sentence for what is not in the language."""
    return _Compiler().whole({} if filters is None else filters, 1)


def fields_of(filters: Mapping[str, Any] | None) -> frozenset[str]:
    """The fields that a filter names, which are all that its predicate looks at."""
    names: set[str] = set()
    for name, value in (filters or {}).items():
        inner = value if isinstance(value, list) else [value]
        names |= frozenset().union(*map(fields_of, inner)) if name in _LOGIC else {name}
    return frozenset(names)


def canonical(filters: Mapping[str, Any] | None) -> str:
    """The same text for the same filter, as part of a cache's key."""
    return json.dumps(filters, sort_keys=True, ensure_ascii=False) if filters else "{}"


class _Compiler:
    """Counts conditions while it goes down."""

    def __init__(self) -> None:
        self._conditions = 0

    def whole(self, filters: object, depth: int) -> Predicate:
        if not isinstance(filters, Mapping):
            raise errors.BadRequest('A filter is an object such as {"year": 2024}.')
        if depth > _DEEPEST:
            raise errors.BadRequest(f"A filter is nested at most {_DEEPEST} deep.")
        parts = [self._part(name, value, depth) for name, value in filters.items()]
        return lambda metadata: all(part(metadata) for part in parts)

    def _part(self, name: object, value: object, depth: int) -> Predicate:
        self._conditions += 1
        if self._conditions > _MOST_CONDITIONS:
            raise errors.BadRequest(f"A filter has at most {_MOST_CONDITIONS} conditions.")
        if not isinstance(name, str) or not name:
            raise errors.BadRequest("A filter's names are texts.")
        if name.startswith("$"):
            return self._logic(name, value, depth)
        return _field(name, self._tests(name, value))

    def _logic(self, name: str, value: object, depth: int) -> Predicate:
        if name not in _LOGIC:
            raise errors.BadRequest(f"A filter has no operator {name!r} here; there are {', '.join(_LOGIC)}.")
        if name == "$not":
            inner = self.whole(value, depth + 1)
            return lambda metadata: not inner(metadata)
        if not isinstance(value, list) or not value:
            raise errors.BadRequest(f"{name} takes a list of filters that is not empty.")
        parts = [self.whole(part, depth + 1) for part in value]
        join = all if name == "$and" else any
        return lambda metadata: join(part(metadata) for part in parts)

    def _tests(self, name: str, value: object) -> list[Test]:
        if not isinstance(value, Mapping):
            return [_test("$eq", value)]
        if not value:
            raise errors.BadRequest(f"The condition on {name!r} is empty.")
        self._conditions += len(value)
        return [_test(str(operator_name), operand) for operator_name, operand in value.items()]


def _field(name: str, tests: list[Test]) -> Predicate:
    return lambda metadata: all(test(metadata.get(name, _ABSENT)) for test in tests)


def _test(name: str, operand: object) -> Test:
    if name not in _VALUE:
        raise errors.BadRequest(f"A filter has no operator {name!r}; there are {', '.join(_VALUE)}.")
    if name == "$exists":
        return _exists(operand)
    if name in ("$in", "$nin"):
        return _membership(name, operand)
    if not _is_scalar(operand):
        raise errors.BadRequest(f"{name} takes a text, a number, true, false or null.")
    if name in _ORDER:
        return _ordered(name, operand)
    equal: Test = lambda value: any(_equal(item, operand) for item in _items(value))  # noqa: E731
    return equal if name == "$eq" else lambda value: not equal(value)


def _exists(operand: object) -> Test:
    if not isinstance(operand, bool):
        raise errors.BadRequest("$exists takes true or false.")
    return lambda value: (value is not _ABSENT) is operand


def _membership(name: str, operand: object) -> Test:
    if not isinstance(operand, list) or len(operand) > _LONGEST_LIST or not all(map(_is_scalar, operand)):
        raise errors.BadRequest(f"{name} takes a list of at most {_LONGEST_LIST} texts, numbers, true, false or null.")
    wanted = {_kinded(item) for item in operand}
    member: Test = lambda value: any(_kinded(item) in wanted for item in _items(value) if _is_scalar(item))  # noqa: E731
    return member if name == "$in" else lambda value: not member(value)


def _ordered(name: str, operand: object) -> Test:
    if not isinstance(operand, str | int | float) or isinstance(operand, bool):
        raise errors.BadRequest(f"{name} takes a text or a number.")
    kind, compare = _kinded(operand)[0], _ORDER[name]
    return lambda value: any(
        bool(compare(item, operand)) for item in _items(value) if _is_scalar(item) and _kinded(item)[0] == kind
    )


def _equal(item: object, operand: object) -> bool:
    return _is_scalar(item) and _kinded(item) == _kinded(operand)


def _items(value: object) -> list[Any]:
    """The values of a field to try: the items of a list, else the value; null where it is absent."""
    if isinstance(value, list):
        return value
    return [None if value is _ABSENT else value]


def _kinded(value: object) -> tuple[str, Any]:
    """With its kind, because True == 1 in Python and not in JSON."""
    if isinstance(value, bool):
        return "truth", value
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "null", value


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool) or (isinstance(value, int | float) and value - value == 0)


_ABSENT: Final = object()
