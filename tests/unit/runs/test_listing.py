"""Threads a page at a time: newest first, of one's own tenant, by how they stand."""

from typing import Any

import pytest

from errors import BadRequest
from runs.ask import Ask, ask
from runs.engine import Engine, config
from runs.handoff import PersonSays, take_reply
from runs.listing import count_waiting, listed
from runs.stream import answered
from runs.threads import delete
from tests.fakes.service import ALICE, BOB, engine_over, scripted

FEW = {"status": None, "after": None, "limit": 50}


async def asked(engine: Engine, count: int, who: Any = ALICE, **more: Any) -> list[str]:
    """Thread ids of so many questions, newest first."""
    replies = [await answered(ask(engine, who, Ask(f"Question {n}?", **more))) for n in range(count)]
    return [reply["thread_id"] for reply in reversed(replies)]


async def ids(engine: Engine, **asked: Any) -> list[str]:
    return [one["thread_id"] for one in (await listed(engine, ALICE, **(FEW | asked)))["threads"]]


async def test_every_thread_is_on_one_page_newest_first() -> None:
    async with engine_over() as engine:
        everything = await asked(engine, 5)
        told, after = [], None
        for _ in range(3):
            page = await listed(engine, ALICE, status=None, after=after, limit=2)
            told += [one["thread_id"] for one in page["threads"]]
            after = page["next"]
    assert told == everything
    assert after is None


async def test_a_thread_that_goes_on_comes_first_and_stands_once() -> None:
    async with engine_over() as engine:
        new, old = await asked(engine, 2)
        await answered(ask(engine, ALICE, Ask("More?", thread_id=old)))
        page = await listed(engine, ALICE, **FEW)  # type: ignore[arg-type]  # a dict of all three
    assert [(one["thread_id"], one["question"], one["turns"]) for one in page["threads"]] == [
        (old, "More?", 2),
        (new, "Question 1?", 1),
    ]


async def test_nobody_sees_another_tenants_threads() -> None:
    async with engine_over(scripted(score=0.1), handoff="on") as engine:
        mine = await asked(engine, 1)
        theirs = await asked(engine, 2, BOB)
        assert await ids(engine) == await ids(engine, status="awaiting_human") == mine
        assert [one["thread_id"] for one in (await listed(engine, BOB, **FEW))["threads"]] == theirs  # type: ignore[arg-type]  # a dict of all three
        assert [await count_waiting(engine, who) for who in (ALICE, BOB)] == [1, 2]


async def test_those_that_wait_are_told_with_what_is_missing_until_a_person_has_replied() -> None:
    async with engine_over(scripted(score=0.1)) as engine:
        await asked(engine, 2)
        third, second, first = await asked(engine, 3, handoff=True)
        page = await listed(engine, ALICE, status="awaiting_human", after=None, limit=2)
        assert [one["thread_id"] for one in page["threads"]] == [third, second]
        assert page["threads"][0]["missing"] == ["Question 2?"]
        assert {(one["status"], one["stop_reason"]) for one in page["threads"]} == {("awaiting_human", None)}
        assert await ids(engine, status="awaiting_human", after=page["next"]) == [first]
        await take_reply(engine, ALICE, third, PersonSays("Thirty."))
        await take_reply(engine, ALICE, second, PersonSays(None))
        assert await ids(engine, status="awaiting_human") == [first]
        assert await count_waiting(engine, ALICE) == 1
        await delete(engine, ALICE, first)
        assert await count_waiting(engine, ALICE) == 0


async def test_another_status_is_found_however_many_others_lie_between() -> None:
    async with engine_over() as engine:
        answered_ones = await asked(engine, 3)
        assert await ids(engine, status="answered", limit=2) == answered_ones[:2]
        assert await ids(engine, status="partial") == []
        page = await listed(engine, ALICE, status="answered", after=None, limit=2)
        assert await ids(engine, status="answered", after=page["next"]) == answered_ones[2:]


async def test_what_a_newer_version_wrote_is_listed_without_a_guess_at_how_it_stands() -> None:
    async with engine_over() as engine:
        (thread_id,) = await asked(engine, 1)
        metadata = {"tenant": ALICE.tenant, "run_id": "x"}
        await engine.graph.aupdate_state(config(thread_id, **metadata), {"schema": 99}, as_node="generate")
        (one,) = (await listed(engine, ALICE, **FEW))["threads"]  # type: ignore[arg-type]  # a dict of all three
    assert (one["thread_id"], one["status"]) == (thread_id, None)


@pytest.mark.parametrize("after", ["", "x", "'; DROP TABLE checkpoints; --"])
async def test_an_after_that_no_page_gave_is_refused(after: str) -> None:
    async with engine_over() as engine:
        with pytest.raises(BadRequest, match="'after'"):
            await ids(engine, after=after)


async def test_a_service_that_was_never_asked_has_no_threads() -> None:
    async with engine_over() as engine:
        assert await listed(engine, ALICE, **FEW) == {"threads": [], "next": None}  # type: ignore[arg-type]  # a dict of all three
        assert await count_waiting(engine, ALICE) == 0
