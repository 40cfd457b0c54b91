from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest

from evals.soak.asking import ask
from evals.soak.turn import Plan, Turn
from tests.unit.evals.soak.made import STAYS, THREAD, turn

JSON = replace(STAYS, streamed=False)
RUN = {"thread_id": THREAD, "run_id": "r"}
EVENTS = [("run", RUN), ("token", {"text": "Yes."}), ("answer", {"answer": "Yes."}), ("done", {"status": "answered"})]


def asked(plan: Plan, answer: Callable[[httpx.Request], httpx.Response]) -> Turn:
    made = Turn(turn(1).question, plan, None, 0)
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        ask(http, "http://server", made)
    return made


def streamed(after: int = 0, until: int = len(EVENTS)) -> httpx.Response:
    lines = [f"event: {kind}\ndata: {json.dumps(data)}\nid: {n}\n\n" for n, (kind, data) in enumerate(EVENTS, 1)]
    text = "".join(lines[after:until])
    return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})


def problem(status: int, code: str) -> Callable[[httpx.Request], httpx.Response]:
    return lambda request: httpx.Response(status, json={"code": code})


def failing(error: httpx.HTTPError) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


def test_a_stream_is_read_to_its_end() -> None:
    seen = asked(STAYS, lambda request: streamed())
    assert (seen.accepted, seen.thread_id, seen.seen, seen.text) == (True, THREAD, [1, 2, 3, 4], "Yes.")
    assert (seen.left, seen.broken, seen.stuck) == (False, False, False)


def test_who_leaves_and_comes_back_goes_on_after_the_last_event() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return streamed(int(request.headers["last-event-id"])) if request.method == "GET" else streamed()

    seen = asked(Plan(True, "continue", leaves_after=2, comes_back=True), answer)
    assert (seen.left, seen.came_back, seen.seen) == (True, True, [1, 2, 3, 4])
    seen = asked(Plan(True, "continue", leaves_after=2, comes_back=False), answer)
    assert (seen.left, seen.came_back, seen.seen) == (True, False, [1, 2])


def test_a_stream_without_its_done_was_broken() -> None:
    assert asked(STAYS, lambda request: streamed(until=2)).broken


@pytest.mark.parametrize("plan", [STAYS, JSON])
def test_what_is_refused_is_not_accepted(plan: Plan) -> None:
    seen = asked(plan, problem(409, "thread_busy"))
    assert (seen.refused, seen.accepted, seen.broken) == ("thread_busy", False, False)


def test_a_json_ask_that_was_taken_and_cancelled_was_not_refused() -> None:
    seen = asked(JSON, problem(409, "cancelled"))
    assert (seen.refused, seen.accepted, seen.broken) == (None, False, True)


@pytest.mark.parametrize(
    ("leaves_after", "error", "left", "stuck", "broken"),
    [
        (3, httpx.ReadTimeout("late"), True, False, False),
        (None, httpx.ReadTimeout("late"), False, True, False),
        (None, httpx.ConnectError("gone"), False, False, True),
    ],
)
def test_silence_is_leaving_where_that_was_planned_and_else_stuck(
    leaves_after: int | None, error: Any, left: bool, stuck: bool, broken: bool
) -> None:
    seen = asked(replace(JSON, leaves_after=leaves_after), failing(error))
    assert (seen.left, seen.stuck, seen.broken, seen.accepted) == (left, stuck, broken, False)
