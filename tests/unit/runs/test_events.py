from typing import Any

import pytest

from runs.events import Event, to_event


def task(**data: Any) -> dict[str, Any]:
    return {"type": "tasks", "ns": (), "data": {"id": "x", "name": "rewrite", **data}}


def test_a_token_is_passed_on() -> None:
    part = {"type": "custom", "ns": (), "data": {"type": "token", "text": "Yes [1]."}}
    assert to_event(part, {}) == Event("token", {"text": "Yes [1]."})


@pytest.mark.parametrize(("tried", "expected"), [([], 0), ([{"text": "a", "gap": None, "round": 0, "new_hits": 1}], 1)])
def test_a_later_rewrite_opens_the_next_round(tried: list[Any], expected: int) -> None:
    event = to_event(task(input={"retry_count": 0, "tried": tried}), {})
    assert event is not None
    assert event.data == {
        "name": "rewrite",
        "round": expected,
        "phase": "start",
        "duration_ms": None,
        "changed": {},
    }


def test_an_end_says_how_long_it_took_and_what_changed() -> None:
    timings = [{"node": "route", "round": 0, "ms": 1.0}, {"node": "rewrite", "round": 2, "ms": 7.5}]
    result = {"retry_count": 2, "relevance_score": 0.5, "timings": timings}
    event = to_event(task(error=None, interrupts=[], result=result), {"retry_count": 1, "relevance_score": 0.5})
    assert event is not None
    assert event.data == {
        "name": "rewrite",
        "round": 2,
        "phase": "end",
        "duration_ms": 7.5,
        "changed": {"retry_count": 2},
    }


@pytest.mark.parametrize(
    "part",
    [
        task(error=ValueError("x"), interrupts=[], result={}),
        {"type": "custom", "ns": (), "data": {"type": "thought", "text": "secret"}},
        {"type": "updates", "ns": (), "data": {"rewrite": {}}},
    ],
)
def test_what_is_not_for_a_client_gives_no_event(part: dict[str, Any]) -> None:
    assert to_event(part, {}) is None
