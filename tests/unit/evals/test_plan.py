from __future__ import annotations

import pytest

from evals.plan import Filters, Plan, sample
from evals.sets import Case, QuestionSet

CASES = (Case("q1", "A?", ("a",), filter={"year": 1}), Case("q2", "B?", ("b",)))


def asked(*cases: Case) -> QuestionSet:
    return QuestionSet("made, odd half", (), cases, lambda passage: passage.doc_id, asked=cases)


def plan(filters: Filters = "with", *cases: Case, **changed: int) -> Plan:
    return Plan(asked(*(cases or CASES)), ("loop", "one_pass"), "5e77", "d0c5", filters, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("with", [("q1", True), ("q2", False)]),
        ("without", [("q1", False), ("q2", False)]),
        ("both", [("q1", False), ("q1", True), ("q2", False)]),
    ],
)
def test_a_question_is_asked_under_the_filter_it_names(filters: Filters, expected: list[tuple[str, bool]]) -> None:
    first = next(plan(filters).batches())
    assert [(ask.case.id, ask.filtered) for ask in first] == expected


def test_a_batch_is_a_position_once() -> None:
    batches = [[(ask.position, ask.repeat) for ask in batch] for batch in plan(repeat=2).batches()]
    assert [set(batch) for batch in batches] == [{("loop", 0)}, {("loop", 1)}, {("one_pass", 0)}, {("one_pass", 1)}]
    keys = [ask.key for batch in plan(repeat=2).batches() for ask in batch]
    assert len(set(keys)) == len(keys) == 8


def test_another_question_seed_or_setting_is_another_ask() -> None:
    def keys(given: Plan) -> set[object]:
        return {ask.key for batch in given.batches() for ask in batch}

    corrected = Case("q1", "A?", ("a", "c"), filter={"year": 1})
    assert keys(plan()) == keys(plan())
    assert not keys(plan()) & keys(plan(seed=1))
    assert len(keys(plan()) & keys(plan("with", corrected, CASES[1]))) == 2, "only what was corrected is asked anew"


def test_a_sample_is_of_the_seed_and_in_order() -> None:
    every = asked(*(Case(f"q{n}", "?", ()) for n in range(40)))

    def ids(limit: int | None, seed: int = 0) -> list[str]:
        return [case.id for case in sample(every, limit, seed).asked]

    assert ids(None) == ids(40) == ids(99)
    assert ids(5) == ids(5) != ids(5, 1)
    assert len(ids(5)) == 5
    assert set(ids(5)) < set(ids(9)), "a larger sample holds the smaller one, whose answers need not be asked again"
    assert ids(9) == [one for one in ids(None) if one in ids(9)]
