"""Every figure against records worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evals.scores import EFFORT, QUALITY, scores
from tests.unit.evals.records import cited, nothing, record, refused


def chat(number: int, **changed: Any) -> Any:
    said = {"stop_reason": "direct", "looked_up": False, "rounds": [], "cited": []}
    return record(number, **{"needs_lookup": False, "gold": [], "points": [], "references": [], **said, **changed})


RECORDS = [
    record(1),
    record(2, answer="30 days", looked_up=False, rounds=[], cited=[], stop_reason="direct"),
    refused(3),
    refused(4, **nothing()),
    record(5, **nothing()),
    chat(6),
    chat(7, looked_up=True),
    record(8, cited=[cited("g"), cited("x")], not_to_cite=["x"], judged_right=False),
]


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("right", 4 / 8),  # 1, 4, 6, 8
        ("abstention precision", 1 / 2),  # of 3 and 4, only 4 has no answer
        ("abstention recall", 1 / 2),  # of 4 and 5
        ("abstention F1", 1 / 2),
        ("answerable refused", 1 / 4),  # small talk is not among them
        ("Recall@5", 3 / 4),  # 2 looked nothing up
        ("all gold@5", 3 / 4),
        ("MRR@10", 3 / 4),
        ("nDCG@10", 3 / 4),
        ("gold in evidence", 3 / 4),
        ("citation precision", (1 + 0.5) / 2),  # 1 and 8 cite something
        ("citation recall", 2 / 4),
        ("points", 3 / 4),
        ("contains", 3 / 4),
        ("exact match", 1 / 4),
        ("judged right", 0.0),
        ("answered directly", 1 / 6),
        ("small talk looked up", 1 / 2),
        ("sufficient without gold", 0.0),
        ("went on with gold", 0.0),
        ("refused with gold", 1 / 4),
        ("cites what it must not", 1.0),
        ("failed", 0.0),
    ],
)
def test_a_figure_of_quality(name: str, figure: float) -> None:
    assert QUALITY[name](RECORDS) == pytest.approx(figure)


def test_token_f1_is_over_what_has_a_reference() -> None:
    # "It is 30 days": two of four units, two of two; three such, one exact, one refusal without a shared unit.
    assert QUALITY["token F1"](RECORDS) == pytest.approx((2 * 2 / 3 + 1 + 0) / 4)


@pytest.mark.parametrize("name", QUALITY)
def test_a_figure_without_a_record_to_tell_of_is_none(name: str) -> None:
    only_chat = QUALITY[name]([chat(1)])
    assert only_chat is None or name in ("right", "failed", "small talk looked up")


def test_what_an_ask_took() -> None:
    asked = [record(1, searches=2, tokens=10, cost=0.5), record(2, searches=4, tokens=30, cost=0.0)]
    assert {name: EFFORT[name](asked) for name in ("searches", "tokens", "cost")} == {
        "searches": 3.0,
        "tokens": 20.0,
        "cost": 0.25,
    }
    assert EFFORT["cost"]([*asked, record(3, cost=None)]) is None, "a mean over what has a price would be too low"


def test_repeats_are_spread_and_questions_counted_once() -> None:
    asked = [record(1), record(2), record(1, repeat=1), refused(2, repeat=1)]
    found = scores(asked)
    assert (found["asks"], found["questions"]) == (4, 2)
    assert found["spread"]["right"] == {
        "mean": 0.75,
        "deviation": pytest.approx(0.125**0.5),
        "least": 0.5,
        "most": 1.0,
    }
    assert scores(asked[:2])["spread"] == {}


def test_how_asks_ended_and_how_long_they_took() -> None:
    asked = [
        record(1, latency_ms=10.0, first_event_ms=1.0),
        record(2, status="failed", stop_reason=None, error="No lane.", latency_ms=0.0),
    ]
    found = scores(asked)
    assert found["statuses"] == {"answered": 1, "failed": 1}
    assert found["stop reasons"] == {"none": 1, "sufficient": 1}
    assert found["time"]["whole"] == {"p50": 10.0, "p95": 10.0, "p99": 10.0}, "one that failed took no time to answer"
    assert found["time"]["first token"] is None
