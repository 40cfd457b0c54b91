"""The scripted reasoner keeps to its script and fails loudly outside it."""

from __future__ import annotations

import pytest

from context.reasoning import AnswerRequest, Reasoned, Reasoner, Route, RouteRequest, Usage
from errors import Unavailable
from tests.fakes.reasoner import ScriptedReasoner, ScriptExhaustedError

ROUTE = Route(need_retrieval=True, reason="a fact", standalone="q")
USAGE = Usage("scripted", 3, 4, estimated=False)


def ask(question: str = "q") -> RouteRequest:
    return RouteRequest(question, "en", (), 1.0)


def answer_request() -> AnswerRequest:
    return AnswerRequest("q", "q", "en", (), "", (), (), (), (), 1.0)


def test_it_is_a_reasoner() -> None:
    reasoner: Reasoner = ScriptedReasoner()
    assert reasoner.name == "scripted"


async def test_steps_come_in_order_with_their_usage_and_requests_are_kept() -> None:
    own = Reasoned(ROUTE, (USAGE, USAGE))
    reasoner = ScriptedReasoner(route=[ROUTE, own], usage=(USAGE,))
    assert await reasoner.route(ask("one")) == Reasoned(ROUTE, (USAGE,))
    assert await reasoner.route(ask("two")) == own
    assert [request.question for request in reasoner.route_requests] == ["one", "two"]
    reasoner.assert_spent()


async def test_a_step_may_be_a_callable_a_coroutine_or_an_exception() -> None:
    async def slowly(request: RouteRequest) -> Route:
        return Route(False, "slow", request.question)

    reasoner = ScriptedReasoner(route=[lambda r: Route(True, "fast", r.question), slowly, Unavailable("down")])
    assert (await reasoner.route(ask("a"))).value == Route(True, "fast", "a")
    assert (await reasoner.route(ask("b"))).value == Route(False, "slow", "b")
    with pytest.raises(Unavailable, match="down"):
        await reasoner.route(ask())


async def test_one_callable_serves_every_call() -> None:
    reasoner = ScriptedReasoner(route=lambda r: Route(True, "", r.question))
    assert [(await reasoner.route(ask(q))).value.standalone for q in "ab"] == ["a", "b"]


async def test_an_answer_streams_its_pieces_then_its_usage() -> None:
    reasoner = ScriptedReasoner(answer=["whole", ["a", "b", USAGE], ["a", Unavailable("cut")]], usage=(USAGE,))
    assert [piece async for piece in reasoner.answer(answer_request())] == ["whole", USAGE]
    assert [piece async for piece in reasoner.answer(answer_request())] == ["a", "b", USAGE]
    stream = reasoner.answer(answer_request())
    assert await anext(stream) == "a"
    with pytest.raises(Unavailable, match="cut"):
        await anext(stream)


async def test_running_out_fails_and_is_remembered() -> None:
    reasoner = ScriptedReasoner(route=[ROUTE])
    await reasoner.route(ask())
    with pytest.raises(ScriptExhaustedError, match="`route` ran out at call 2"):
        await reasoner.route(ask())
    with pytest.raises(AssertionError, match="more often"):
        reasoner.assert_spent()


def test_unused_steps_are_reported() -> None:
    with pytest.raises(AssertionError, match="never used"):
        ScriptedReasoner(route=[ROUTE]).assert_spent()
