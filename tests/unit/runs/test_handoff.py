"""A question handed to a person: asked once, waited for in the checkpoint, answered or declined once."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Passage, Principal
from errors import BadRequest, Conflict, Forbidden, NotFound
from policy.handover import ASKED
from runs.ask import Ask, ask
from runs.engine import Engine, config
from runs.events import Event
from runs.handoff import MAX_CHARS, PersonSays, take_reply
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered, opened
from runs.threads import current, delete
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, BOB, TEXTS, Ticking, dials, engine_over, scripted

QUESTION = Ask("How many days of paid leave?", handoff=True)
WORDS = "Ask the works council [3].\n\nIt has a list, at x.y/z."


async def all_of(events: AsyncGenerator[Event, None]) -> list[Event]:
    async with aclosing(events):
        return [event async for event in events]


async def handed_over(engine: Engine) -> dict[str, Any]:
    said = await answered(ask(engine, ALICE, QUESTION))
    assert (said["status"], said["stop_reason"]) == ("awaiting_human", None)
    return said


def unsure(**scripts: Any) -> ScriptedReasoner:
    """Finds nothing that answers; whatever is said, no model says it."""
    return scripted(score=0.1, answer=[], **scripts)


async def test_a_question_without_an_answer_waits_for_a_person_and_is_answered_in_their_words() -> None:
    async with engine_over(unsure()) as engine:
        events = await all_of(await opened(ask(engine, ALICE, QUESTION)))
        asked, waiting = events[-3].data, events[-2].data
        said = await take_reply(engine, ALICE, waiting["thread_id"], PersonSays(WORDS, " Ms.  Wang "))
        shown = await current(engine, ALICE, waiting["thread_id"])
    assert [event.type for event in events[-4:]] == ["token", "interrupt", "answer", "done"]
    assert asked["question"] == QUESTION.question
    assert [gap["text"] for gap in asked["gaps"]] == [QUESTION.question]
    begun = {name: value for name, value in events[0].data.items() if name != "budget"}
    assert {"mode": "loop"} | {name: asked[name] for name in ("thread_id", "run_id")} == begun
    assert (waiting["answer"], events[-4].data["text"]) == (ASKED["en"], ASKED["en"])
    assert events[-1].data["status"] == "awaiting_human"
    assert (said["status"], said["stop_reason"]) == ("answered", "human")
    assert said["answer"] == "Ask the works council. [1]\n\nIt has a list, at x.y/z. [1]"
    (cited,) = said["citations"]
    assert (cited["title"], cited["quote"], cited["person"]) == ("Ms. Wang", WORDS, True)
    assert cited["doc_id"] == f"person:{said['run_id']}"
    assert cited["quote"][cited["start"] : cited["end"]] == cited["quote"]
    assert shown["reply"]["citations"] == [cited]
    assert [turn["answer"] for turn in shown["turns"]] == [said["answer"]]


async def test_the_checkpoint_the_thread_and_the_reply_say_the_same_while_it_waits() -> None:
    async with engine_over(unsure()) as engine:
        said = await handed_over(engine)
        shown = await current(engine, ALICE, said["thread_id"])
        steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
    assert (shown["status"], shown["stop_reason"], shown["running"]) == ("awaiting_human", None, None)
    assert {k: v for k, v in shown["reply"].items() if k != "timings"} == {
        k: v for k, v in said.items() if k != "timings"
    }
    assert steps[-1]["next"] == ["handoff"]


@pytest.mark.parametrize(("name", "title"), [("", "a person"), ("王", "王")])
async def test_the_citation_is_of_the_person(name: str, title: str) -> None:
    async with engine_over(unsure()) as engine:
        said = await take_reply(engine, ALICE, (await handed_over(engine))["thread_id"], PersonSays("Thirty.", name))
    assert said["citations"][0]["title"] == title


async def test_a_person_who_declines_leaves_the_machines_own_reason() -> None:
    async with engine_over(unsure(), limits=dials(max_retries=1, max_barren_rounds=9)) as engine:
        plain = await answered(ask(engine, ALICE, replace(QUESTION, handoff=False)))
        waiting = await handed_over(engine)
        said = await take_reply(engine, ALICE, waiting["thread_id"], PersonSays(None))
    words = ("status", "stop_reason", "answer", "citations", "usage", "retry_count")
    assert {name: said[name] for name in words} == {name: plain[name] for name in words}
    assert (said["status"], said["stop_reason"]) == ("insufficient", "max_retries")


async def test_the_time_that_a_person_takes_does_not_count() -> None:
    clock = Ticking()
    async with engine_over(unsure(), clock=clock, limits=dials(deadline_s=20.0)) as engine:
        waiting = await handed_over(engine)
        clock.now += 86_400
        said = await take_reply(engine, ALICE, waiting["thread_id"], PersonSays("Thirty."))
        state = (await engine.graph.aget_state(config(said["thread_id"]))).values
    assert waiting["timings"]["total_ms"] < said["timings"]["total_ms"] < 20_000
    assert sum(timing["ms"] for timing in said["timings"]["nodes"]) < 20_000
    assert [timing["node"] for timing in said["timings"]["nodes"]][-2:] == ["handoff", "generate"]
    assert clock.now - state["started_at"] < 20


async def test_a_thread_that_waits_takes_no_question_and_says_the_way_out() -> None:
    async with engine_over(unsure()) as engine:
        waiting = await handed_over(engine)
        with pytest.raises(Conflict, match="decline") as refused:
            await answered(ask(engine, ALICE, Ask("Another?", thread_id=waiting["thread_id"])))
        await take_reply(engine, ALICE, waiting["thread_id"], PersonSays(None))
        again = await answered(ask(engine, ALICE, Ask("Another?", thread_id=waiting["thread_id"])))
    assert refused.value.reason == "awaiting_human"
    assert again["status"] == "insufficient"


async def test_a_reply_to_a_thread_that_waits_for_nobody_is_a_conflict() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        assert said["status"] == "answered"
        with pytest.raises(Conflict) as refused:
            await take_reply(engine, ALICE, said["thread_id"], PersonSays("Thirty."))
    assert refused.value.reason == "not_awaiting"


async def test_of_two_replies_one_is_taken() -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        both = [take_reply(engine, ALICE, thread_id, PersonSays(text)) for text in ("One.", "Two.")]
        taken, refused = await asyncio.gather(*both, return_exceptions=True)
        shown = await current(engine, ALICE, thread_id)
    assert isinstance(refused, Conflict)
    assert isinstance(taken, dict)
    assert taken["answer"] == shown["reply"]["answer"] == "One. [1]"


@pytest.mark.parametrize(
    "said",
    [
        PersonSays(""),
        PersonSays(" \n\u200b"),
        PersonSays("[9]"),
        PersonSays("【1】。"),
        PersonSays("x" * (MAX_CHARS + 1)),
        PersonSays("Thirty.", "x" * 101),
        PersonSays("Thirty.", "a\x1b[2Jb"),
    ],
)
async def test_a_reply_that_says_nothing_or_too_much_is_refused_and_the_wait_goes_on(said: PersonSays) -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        with pytest.raises(BadRequest):
            await take_reply(engine, ALICE, thread_id, said)
        assert (await current(engine, ALICE, thread_id))["status"] == "awaiting_human"


async def test_only_a_reviewer_of_the_tenant_may_reply() -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        with pytest.raises(NotFound):
            await take_reply(engine, BOB, thread_id, PersonSays("Thirty."))
        with pytest.raises(Forbidden, match="review"):
            await take_reply(engine, Principal(roles=frozenset({"ask"})), thread_id, PersonSays("Thirty."))
        assert (await current(engine, ALICE, thread_id))["status"] == "awaiting_human"


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_the_wait_survives_a_restart(tmp_path: Path, durability: str) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_over(unsure(), path=path, durability=durability) as engine:
        waiting = await handed_over(engine)
    async with engine_over(unsure(), path=path, durability=durability) as engine:
        shown = await current(engine, ALICE, waiting["thread_id"])
        said = await take_reply(engine, ALICE, waiting["thread_id"], PersonSays("Thirty."))
    assert shown["status"] == "awaiting_human"
    assert (said["stop_reason"], said["answer"]) == ("human", "Thirty. [1]")


@pytest.mark.parametrize(("at", "stands"), [(1, "Two. [1]"), (3, "One. [1]")])
async def test_a_reply_that_was_cut_off_leaves_the_wait_and_what_was_taken_up_stands(at: int, stands: str) -> None:
    uses = iter(range(1, 9))

    def broken() -> float:
        if next(uses) == at:
            raise RuntimeError("the process died")
        return 1_000.0

    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        dying = replace(engine, context_for=lambda who: replace(engine.context_for(who), clock=broken))
        with pytest.raises(RuntimeError, match="died"):
            await take_reply(dying, ALICE, thread_id, PersonSays("One."))
        assert (await current(engine, ALICE, thread_id))["status"] == "awaiting_human"
        said = await take_reply(engine, ALICE, thread_id, PersonSays("Two."))
    assert said["answer"] == stands


async def test_a_deployment_may_ask_always_or_never_and_an_ask_may_choose_between() -> None:
    for setting, wanted, status in (
        ("off", None, "insufficient"),
        ("off", True, "awaiting_human"),
        ("on", None, "awaiting_human"),
        ("on", False, "insufficient"),
        ("never", None, "insufficient"),
        ("never", False, "insufficient"),
    ):
        async with engine_over(unsure(), handoff=setting) as engine:
            said = await answered(ask(engine, ALICE, replace(QUESTION, handoff=wanted)))
        assert said["status"] == status
    async with engine_over(unsure(), handoff="never") as engine:
        with pytest.raises(BadRequest, match="no question over"):
            await answered(ask(engine, ALICE, QUESTION))


async def test_what_is_answered_partial_or_has_no_documents_is_not_handed_over() -> None:
    for reasoner, index, status in (
        (scripted(), MemoryIndex(TEXTS), "answered"),
        (unsure(), MemoryIndex({}), "insufficient"),
    ):
        async with engine_over(reasoner, index) as engine:
            assert (await answered(ask(engine, ALICE, QUESTION)))["status"] == status


async def test_the_next_turn_begins_without_the_person() -> None:
    async with engine_over(unsure(), limits=dials(max_retries=0)) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        await take_reply(engine, ALICE, thread_id, PersonSays("Thirty."))
        said = await answered(ask(engine, ALICE, Ask("And now?", thread_id=thread_id)))
    assert (said["status"], said["citations"]) == ("insufficient", [])


async def test_history_tells_who_said_what_and_a_replay_from_before_asks_again() -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        await take_reply(engine, ALICE, thread_id, PersonSays("Thirty.", "Wang"))
        steps = (await history(engine, ALICE, thread_id))["steps"]
        before, handoff = steps[-3], steps[-2]
        again = await answered(replay(engine, ALICE, Replay(thread_id, before["checkpoint_id"])))
        replied = await take_reply(engine, ALICE, again["thread_id"], PersonSays("Forty."))
        after = await answered(replay(engine, ALICE, Replay(thread_id, handoff["checkpoint_id"])))
    assert (handoff["node"], handoff["next"]) == ("handoff", ["generate"])
    assert handoff["changed"]["stop_reason"] == "human"
    assert (handoff["changed"]["person"]["name"], handoff["changed"]["person"]["text"]) == ("Wang", "Thirty.")
    assert (again["status"], again["ran"]) == ("awaiting_human", [])
    assert replied["answer"] == "Forty. [1]"
    assert (after["answer"], after["ran"]) == ("Thirty. [1]", ["generate"])


async def test_where_nobody_may_be_asked_any_more_a_replay_asks_nobody() -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        steps = (await history(engine, ALICE, thread_id))["steps"]
        strict = replace(engine, handoff="never")
        said = await answered(replay(strict, ALICE, Replay(thread_id, steps[-1]["checkpoint_id"])))
    assert (said["status"], said["ran"]) == ("insufficient", ["generate"])


async def test_a_thread_that_waits_can_be_deleted() -> None:
    async with engine_over(unsure()) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        await delete(engine, ALICE, thread_id)
        with pytest.raises(NotFound):
            await take_reply(engine, ALICE, thread_id, PersonSays("Thirty."))


class HiddenFromReviewers(MemoryIndex):
    """No passage is for reviewers, in whatever groups they are."""

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        return {} if "reviewers" in principal.groups else await super().read(chunk_ids, principal)


def quotes(said: dict[str, Any]) -> list[str]:
    """All that it shows of documents."""
    cited = [citation["quote"] for citation in said.get("citations", ()) if not citation.get("person")]
    return cited + [evidence["quote"] for entry in said["ledger"] for evidence in entry["evidence"]]


async def test_a_reviewer_who_may_not_read_a_document_is_shown_no_word_of_it() -> None:
    member, reviewer = (replace(ALICE, groups=frozenset(groups)) for groups in ({"hr"}, {"hr", "reviewers"}))
    async with engine_over(scripted(score=0.6, answer=[]), HiddenFromReviewers(TEXTS)) as engine:
        events = await all_of(await opened(ask(engine, member, QUESTION)))
        asked, waiting = events[-3].data, events[-2].data
        step = (await history(engine, reviewer, waiting["thread_id"]))["steps"][-1]["checkpoint_id"]
        again = await all_of(await opened(replay(engine, reviewer, Replay(waiting["thread_id"], step))))
        said = await take_reply(engine, reviewer, waiting["thread_id"], PersonSays("Thirty."))
        taken = (await history(engine, reviewer, waiting["thread_id"]))["steps"][-2]["checkpoint_id"]
        after = await answered(replay(engine, reviewer, Replay(waiting["thread_id"], taken)))
        of_member = await answered(replay(engine, member, Replay(waiting["thread_id"], taken)))
    interrupt, answer = again[-3], again[-2]
    assert (interrupt.type, answer.type) == ("interrupt", "answer")
    for whole in (asked, waiting, of_member):
        assert set(quotes(whole)) & set(TEXTS.values())
    for shown in (interrupt.data, answer.data, said, after):
        assert set(quotes(shown)) == {""}
        assert all(evidence["deleted"] for entry in shown["ledger"] for evidence in entry["evidence"])
    assert after["citations"][0]["quote"] == "Thirty."


async def test_a_reply_calls_no_model() -> None:
    reasoner = unsure()
    async with engine_over(reasoner) as engine:
        thread_id = (await handed_over(engine))["thread_id"]
        reasoner.calls.clear()
        await take_reply(engine, ALICE, thread_id, PersonSays("Thirty."))
    assert reasoner.calls == []
