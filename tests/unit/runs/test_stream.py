from collections.abc import AsyncGenerator
from typing import Any

import pytest

from errors import NotFound, Unavailable
from runs.ask import Ask, ask
from runs.events import Event
from runs.history import history
from runs.stream import answered, opened
from tests.fakes.service import ALICE, engine_over

IDS = {"thread_id": "t", "run_id": "r"}
REPLY: dict[str, Any] = {"answer": "Yes.", "status": "answered", "stop_reason": "sufficient"}


async def run(*steps: Event | BaseException) -> AsyncGenerator[Event, None]:
    for step in steps:
        if isinstance(step, BaseException):
            raise step
        yield step


async def told(*steps: Event | BaseException) -> list[Event]:
    return [event async for event in await opened(run(Event("run", IDS), *steps))]


async def test_ids_rise_by_one_and_done_is_last_with_the_two_words() -> None:
    events = await told(Event("token", {"text": "Yes."}), Event("answer", REPLY))
    assert [(event.id, event.type) for event in events] == [(1, "run"), (2, "token"), (3, "answer"), (4, "done")]
    assert events[-1].data == {**IDS, "status": "answered", "stop_reason": "sufficient"}


@pytest.mark.parametrize(
    ("error", "code", "stop_reason", "retryable"),
    [
        (ValueError("at /srv/alice"), "internal", None, False),
        (Unavailable("No lane.", code="source_unavailable"), "source_unavailable", "source_unavailable", True),
    ],
)
async def test_a_failure_after_the_first_event_is_one_error_then_done(
    error: Exception, code: str, stop_reason: str | None, retryable: bool
) -> None:
    events = await told(Event("token", {"text": "Ye"}), error)
    assert [event.type for event in events] == ["run", "token", "error", "done"]
    assert (events[2].data["code"], events[2].data["retryable"]) == (code, retryable)
    assert "alice" not in str(events[2].data)
    assert events[3].data == {**IDS, "status": "failed", "stop_reason": stop_reason}


async def test_what_is_wrong_with_the_request_is_raised_before_anything_is_sent() -> None:
    with pytest.raises(NotFound):
        await opened(run(NotFound("There is no such thread.")))


async def test_the_plain_answer_is_the_answer_event() -> None:
    assert await answered(run(Event("run", IDS), Event("answer", REPLY))) == REPLY


async def test_a_failing_run_has_no_plain_answer() -> None:
    with pytest.raises(Unavailable):
        await answered(run(Event("run", IDS), Unavailable("No.")))


@pytest.mark.parametrize("failing", [(), (ValueError("No."),)])
async def test_a_run_without_an_event_of_its_own_still_tells_that_it_began(failing: tuple[ValueError, ...]) -> None:
    assert [event.type for event in await told(*failing)] == ["run", *(["error"] if failing else []), "done"]


async def test_a_run_is_told_once_its_question_is_kept() -> None:
    async with engine_over() as engine:
        events = await opened(ask(engine, ALICE, Ask("How many days?")))
        begun = await anext(events)
        kept = await history(engine, ALICE, begun.data["thread_id"])
        assert [(step["node"], step["changed"]["question"]) for step in kept["steps"]] == [("start", "How many days?")]
        await events.aclose()
