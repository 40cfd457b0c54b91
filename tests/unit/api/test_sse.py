import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from httpx_sse import ServerSentEvent
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from api.sse import EventStream, frame, frames, one_line
from runs.events import Event

NASTY = (
    "| a | b |\n|---|---|\r\n```\ncode\n```\r  lead\u2028ing\u2029\u0085 data: x\nevent: end\n\nid: 7\n"
    "😀 电梯\x0b\x0c\x1c"
)


def parse(wire: bytes) -> ServerSentEvent:
    """A reader written from the specification's text: lines end at CRLF, LF or CR; a field's first space is dropped."""
    block = wire.decode().replace("\r\n", "\n").replace("\r", "\n")
    assert block.endswith("\n\n")
    fields = [line.partition(":") for line in block.rstrip("\n").split("\n")]
    found = {name: value.removeprefix(" ") for name, _, value in fields}
    assert len(found) == len(fields) == 3
    return ServerSentEvent(found["event"], found["data"], found["id"])


@given(st.text() | st.just(NASTY))
def test_any_text_comes_back_byte_for_byte(text: str) -> None:
    event = parse(frame(Event("token", {"text": text}, 7)))
    assert (event.event, event.id, json.loads(event.data)) == ("token", "7", {"text": text})


@given(st.text())
def test_a_frames_data_is_one_line_for_every_reader(text: str) -> None:
    assert len(one_line({"text": text}).splitlines()) == 1


def test_chinese_is_sent_as_it_is_written() -> None:
    assert "电梯" in one_line({"text": "电梯"})


async def told(*events: Event) -> AsyncGenerator[Event, None]:
    for event in events:
        yield event


async def test_a_quiet_run_is_pinged_until_it_speaks() -> None:
    speak = asyncio.Event()

    async def slow() -> AsyncGenerator[Event, None]:
        await speak.wait()
        yield Event("done", {}, 1)

    wire = frames(slow(), ping_s=0.01)
    assert [await anext(wire) for _ in range(3)] == [b": ping\n\n"] * 3
    speak.set()
    rest = [chunk async for chunk in wire]
    assert rest[-1] == frame(Event("done", {}, 1))


async def test_closing_the_wire_closes_the_run() -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncGenerator[Event, None]:
        try:
            yield Event("run", {}, 1)
            await asyncio.Event().wait()
        finally:
            closed.set()

    wire = frames(endless(), ping_s=10)
    await anext(wire)
    await wire.aclose()
    assert closed.is_set()


async def test_no_event_is_taken_before_the_one_before_it_went_out() -> None:
    taken: list[int] = []

    async def many() -> AsyncGenerator[Event, None]:
        for number in range(1, 1_000):
            taken.append(number)
            yield Event("token", {}, number)

    async with aclosing(frames(many(), ping_s=10)) as wire:
        for _ in range(2):
            await anext(wire)
            for _ in range(20):  # in which others may work
                await asyncio.sleep(0)
        assert taken == [1, 2]


async def test_what_the_events_fail_with_is_raised() -> None:
    async def failing() -> AsyncGenerator[Event, None]:
        yield Event("run", {}, 1)
        raise ZeroDivisionError

    wire = frames(failing(), ping_s=10)
    await anext(wire)
    with pytest.raises(ZeroDivisionError):
        await anext(wire)


async def test_a_client_that_leaves_before_the_first_frame_is_told_of() -> None:
    left = asyncio.Event()

    async def endless() -> AsyncGenerator[Event, None]:
        await asyncio.Event().wait()
        yield Event("run", {})

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def slow(message: Message) -> None:
        await asyncio.sleep(1)

    await EventStream(endless(), left.set)({"type": "http"}, gone, slow)
    assert left.is_set()


async def test_all_events_come_in_order() -> None:
    events = [Event("token", {"text": str(number)}, number) for number in range(1, 6)]
    assert [chunk async for chunk in frames(told(*events), ping_s=10)] == [frame(event) for event in events]
