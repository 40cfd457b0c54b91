"""What an answer says of sources that yielded, and of those it followed although they are not in force."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from evidence import LedgerEntry
from policy.conflicts import settled
from policy.yielded import not_in_force, superseded
from state import SubQuestion
from tests.unit.policy.test_ledger import evidence

TODAY = dt.date(2026, 6, 15)
ASKED: SubQuestion = {"id": "q1", "text": "How much is the cleaning fee?", "required": True}


def entry(*sources: dict[str, Any]) -> LedgerEntry:
    found = [
        {**evidence("q1", source["doc_id"], 0.9), "title": source["doc_id"].upper(), **source} for source in sources
    ]
    return {"sub_question_id": "q1", "evidence": found}  # type: ignore[typeddict-item]  # a spread TypedDict


def fee(doc_id: str, euros: int, **metadata: Any) -> dict[str, Any]:
    return {"doc_id": doc_id, "quote": f"The cleaning fee is {euros} euros.", **metadata}


def told(*sources: dict[str, Any]) -> list[str]:
    """The lines of an answer that shows all of these, numbered in order."""
    ledger, conflicts = settled(
        [ASKED], [entry(*sources)], [], threshold=0.7, day=TODAY, round_=0, current={s["doc_id"]: "v" for s in sources}
    )
    numbers = {source["doc_id"]: number for number, source in enumerate(sources, start=1)}
    disputed = {side["chunk_id"] for conflict in conflicts for side in conflict["sides"]}
    return superseded(ledger, numbers, "en", disputed)


def test_beside_a_conflict_what_replaced_a_source_is_named_and_nothing_is_followed() -> None:
    c, a, b = fee("c", 70), fee("a", 50, superseded_by=["b"]), fee("b", 55)
    assert told(c, a, b) == ['"A" has been superseded by "B" [3].']
    assert told(b, c, a) == ['"A" has been superseded by "B" [1].']


def test_what_replaced_a_source_is_named_whatever_else_it_disagrees_with() -> None:
    c, a, b = fee("c", 55), fee("a", 50, superseded_by=["b"]), fee("b", 55)
    assert told(c, a, b) == ['This follows "B" [3]; "A" has been superseded.']


def test_beside_a_conflict_nothing_is_said_of_a_replacement_that_is_absent() -> None:
    assert told(fee("c", 70), fee("a", 50, superseded_by=["elsewhere"]), fee("b", 55)) == []


@pytest.mark.parametrize(
    ("metadata", "day", "said"),
    [
        ({"effective_to": "2020-01-01"}, TODAY, ['Note: "A" [1] was in force until 2020-01-01 and is no longer.']),
        (
            {"effective_from": "2030-01-01"},
            TODAY,
            ['Note: "A" [1] takes effect only from 2030-01-01 on and is not in force yet.'],
        ),
        ({"effective_to": "2020-01-01"}, dt.date(2019, 5, 1), []),
        ({"effective_from": "2020-01-01", "effective_to": "2030-01-01"}, TODAY, []),
        ({"superseded_by": ["elsewhere"]}, TODAY, []),
        ({}, TODAY, []),
    ],
)
def test_a_cited_source_that_does_not_hold_is_told_once(
    metadata: dict[str, Any], day: dt.date, said: list[str]
) -> None:
    two = [fee("a", 7, **metadata), {**fee("a", 7, **metadata), "chunk_id": "a2"}]
    assert not_in_force([entry(*two)], {"a": 1, "a2": 2}, "en", day) == said
    assert not_in_force([entry(*two)], {}, "en", day) == []


def test_it_is_told_in_chinese_too() -> None:
    (said,) = not_in_force([entry(fee("a", 7, effective_to="2020-01-01"))], {"a": 1}, "zh", TODAY)
    assert said == "请注意：“A”[1]的有效期至2020-01-01为止，此后不再有效。"


def test_a_year_alone_is_told_as_one_says_it() -> None:
    fees = [entry(fee("a", 7, effective_from="2030"))]
    assert not_in_force(fees, {"a": 1}, "zh", TODAY) == ["请注意：“A”[1]自2030年起才施行，尚未生效。"]
    assert "from 2030 on" in not_in_force(fees, {"a": 1}, "en", TODAY)[0]
