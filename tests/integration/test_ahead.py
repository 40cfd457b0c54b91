"""The first rewrite beside the route: what it saves, what a wasted one costs, and when it is not begun."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

import pytest

from context.reasoning import ProposedQuery, Rewrite, Route, Usage
from errors import Unavailable
from nodes.ahead import may_write_ahead
from settings import Settings
from tests.fakes.machine import Ran, run
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import dials, runtime, state
from tests.fakes.service import scripted
from tests.fakes.time import in_virtual_time

PAYS = passage("The manager pays the repair fee.", doc_id="fees")
USAGE = (Usage("m", 100, 10, estimated=False),)
DOWN = Unavailable("The model does not answer.")


def after(seconds: float, value: Any) -> Any:
    """A step that takes so long."""

    async def step(request: Any) -> Any:
        await asyncio.sleep(seconds)
        if isinstance(value, Exception):
            raise value
        return value(request) if callable(value) else value

    return step


def look_up(request: Any) -> Route:
    return Route(True, "look_up", request.question)


def split(request: Any) -> Rewrite:
    return Rewrite(((request.question, True),), (ProposedQuery("repair fee", 1),))


SMALL_TALK = Route(False, "greeting", "hello")


def asked(reasoner: ScriptedReasoner, question: str = "who pays the fee", **changed: Any) -> Ran:
    limits = dials(**{"rewrite_beside_route": True, **changed})
    return in_virtual_time(lambda clock: run(reasoner, MemoryRetriever([PAYS]), limits, clock, question=question))


def thinking(route: Any, rewrite: Any) -> ScriptedReasoner:
    return scripted(usage=USAGE, route=route, rewrite=rewrite, answer=lambda request: ["Yes [1].", *USAGE])


def test_it_is_off_unless_the_deployment_says_so() -> None:
    assert Settings(_env_file=None).dials().get("rewrite_beside_route") is False  # type: ignore[call-arg]  # known at run time


def test_both_run_at_once_and_the_plan_is_made_once() -> None:
    reasoner = thinking(after(2, look_up), after(3, split))
    ran = asked(reasoner)
    assert reasoner.calls == ["route", "rewrite", "grade", "answer"]
    assert ran.seconds == pytest.approx(3)
    assert asked(thinking(after(2, look_up), after(3, split)), rewrite_beside_route=False).seconds == pytest.approx(5)
    assert ran.state["spent"]["model_calls"] == 4
    assert [query["text"] for query in ran.state["rewritten_queries"]] == ["repair fee"]


@pytest.mark.parametrize(
    ("takes", "reported", "estimated"),
    [(1, {"input_tokens": 300, "output_tokens": 30}, 0), (9, {"input_tokens": 200, "output_tokens": 20}, 800)],
)
def test_small_talk_wastes_one_call_which_is_counted(takes: float, reported: Any, estimated: int) -> None:
    reasoner = thinking(after(2, SMALL_TALK), after(takes, split))
    ran = asked(reasoner, "hello")
    assert (ran.state["stop_reason"], ran.state["sub_questions"]) == ("direct", [])
    assert ran.seconds == pytest.approx(2)
    assert (ran.state["spent"]["model_calls"], ran.state["spent"]["reported"]) == (3, reported)
    assert ran.state["spent"]["estimated"]["input_tokens"] >= estimated


def test_small_talk_does_not_notice_that_the_wasted_call_failed() -> None:
    ran = asked(thinking(after(2, SMALL_TALK), after(1, DOWN)), "hello")
    assert (ran.state["stop_reason"], ran.state["spent"]["model_calls"]) == ("direct", 3)


def test_a_reasoner_that_is_down_is_an_error_whichever_call_notices_it() -> None:
    scripts = [(after(2, DOWN), after(9, split)), (after(2, look_up), after(1, DOWN))]
    for route, rewrite in scripts:
        with pytest.raises(Unavailable):
            asked(thinking(route, rewrite))


def test_with_too_small_a_budget_for_both_they_run_one_after_the_other() -> None:
    ran = asked(thinking(after(2, look_up), after(3, split)), max_model_calls=9)
    assert ran.seconds == pytest.approx(5)


def test_a_rewrite_that_hangs_ends_at_the_deadline() -> None:
    ran = asked(thinking(after(2, look_up), after(1e6, split)))
    assert ran.state["stop_reason"] == "deadline"
    assert ran.seconds <= 45


def test_a_reasoner_that_calls_no_model_has_nothing_to_gain() -> None:
    reasoner = scripted(calls_models=False, route=after(2, look_up), rewrite=after(3, split))
    assert asked(reasoner).seconds == pytest.approx(5)


@dataclass
class Held:
    """A draft that holds a part of the budget; nobody ends it here."""

    calls: int
    tokens: int = 0

    async def end(self) -> tuple[Usage, ...]:
        return ()


@pytest.mark.parametrize(("held", "ahead"), [(0, True), (1, False)])
def test_what_a_draft_holds_is_not_written_ahead_with(held: int, ahead: bool) -> None:
    """Both calls with their second tries, grading, and the answer are ten; with a draft there are nine left."""
    asking = runtime(thinking(look_up, split)).context
    limits = dials(rewrite_beside_route=True, max_model_calls=10)
    assert may_write_ahead(state(dials=limits), replace(asking, beside=Held(held))) is ahead
