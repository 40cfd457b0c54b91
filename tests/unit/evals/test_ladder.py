from __future__ import annotations

import pytest

from evals.ladder import ABLATIONS, RUNGS, ladder
from evals.record import Record
from evals.variants import variant
from tests.unit.evals.test_compare import asked

ONE, REWRITE, SECOND, LOOP, AGENT = RUNGS


def rungs(*right: int, of: int = 40) -> list[Record]:
    """The first so many questions are right on each rung."""
    return [r for mode, n in zip(RUNGS, right, strict=False) for r in asked(mode, "1" * n + "0" * (of - n))]


def test_every_rung_and_every_ablation_can_be_asked_for_by_its_name() -> None:
    assert [variant(name).name for name in (*RUNGS, *ABLATIONS)] == [*RUNGS, *ABLATIONS]
    assert variant(SECOND).mode == "loop"


@pytest.mark.parametrize(
    ("right", "stops_at", "said"),
    [
        ((10, 30, 30, 30, 31), "+ rewrite", "stops at “+ rewrite”"),
        ((10, 10, 10, 10, 12), "one pass", "No rung is right more often than “one pass”"),
        ((5, 15, 15, 25, 35), "+ agent tools", "goes on to the highest"),
        ((30, 10, 30, 31, 30), "one pass", "No rung"),
    ],
)
def test_the_rung_where_the_gain_stops_is_named(right: tuple[int, ...], stops_at: str, said: str) -> None:
    found = ladder(rungs(*right))
    assert found is not None
    assert found.stops_at == stops_at
    assert said in found.sentence
    assert [rung.right for rung in found.rungs] == [n / 40 for n in right]


def test_small_steps_add_up_to_a_gain_over_the_rung_that_they_started_from() -> None:
    found = ladder(rungs(10, 14, 18, 22, 22))
    assert found is not None
    assert found.stops_at == "+ gap feedback"
    assert [rung.step.base for rung in found.rungs if rung.step] == [ONE, ONE, ONE, LOOP]


def test_rungs_are_compared_over_the_questions_that_all_were_asked() -> None:
    found = ladder([*asked(ONE, "1111"), *asked(LOOP, "10"), *asked(AGENT, "0010")])
    assert found is not None
    assert [(r.mode, r.questions, r.right) for r in found.rungs] == [(ONE, 2, 1.0), (LOOP, 2, 0.5), (AGENT, 2, 0.0)]
    assert found.missing == ["+ rewrite", "+ a fixed second search"]


def test_a_kind_has_a_ladder_of_its_own() -> None:
    found = ladder([*rungs(0, 20, 20), *asked(ONE, "1", kind="odd", set="x")], kind="single")
    assert found is not None
    assert found.kind == "single"
    assert ladder(rungs(0, 20, 20), kind="none") is None


def test_two_rungs_are_no_ladder() -> None:
    assert ladder([*asked(ONE, "11"), *asked(LOOP, "11")]) is None
    assert ladder([]) is None
