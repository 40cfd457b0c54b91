from __future__ import annotations

from context.reasoning import Route
from nodes.route import LOOKED_UP, route
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import runtime, state


async def test_small_talk_stops_as_direct_and_counts_nothing() -> None:
    reasoner = ScriptedReasoner(route=[Route(False, "greeting", "你好")])
    update = await route(state("你好"), runtime(reasoner))
    assert update["stop_reason"] == "direct"
    assert update["language"] == "zh"


async def test_nothing_visible_stops_as_empty_corpus() -> None:
    reasoner = ScriptedReasoner(route=[Route(True, "look_up", "who pays?")])
    update = await route(state("who pays?"), runtime(reasoner, MemoryRetriever()))
    assert (update["stop_reason"], update["language"]) == ("empty_corpus", "en")


async def test_a_follow_up_goes_on_with_its_stand_alone_form() -> None:
    reasoner = ScriptedReasoner(route=[Route(True, "look_up", "电梯维修谁付？")])
    asked = state("那谁付？", history=[{"question": "电梯坏了", "standalone": "电梯坏了", "answer": "。"}])
    update = await route(asked, runtime(reasoner, MemoryRetriever([passage("维修由物业付")])))
    assert update["stop_reason"] is None
    assert update["standalone"] == "电梯维修谁付？"
    assert reasoner.route_requests[0].history == tuple(asked["history"])


async def test_a_rewrite_that_loses_what_was_asked_gives_way_to_the_askers_words() -> None:
    reasoner = ScriptedReasoner(route=[Route(True, "look_up", "电梯维修谁付？")])
    asked = state("那30日内谁付？", history=[{"question": "电梯坏了", "standalone": "电梯坏了", "answer": "。"}])
    update = await route(asked, runtime(reasoner, MemoryRetriever([passage("维修由物业付")])))
    assert update["standalone"] == "那30日内谁付？"


async def test_a_first_question_keeps_its_words() -> None:
    reasoner = ScriptedReasoner(route=[Route(True, "look_up", "电梯维修费用的承担主体？")])
    update = await route(state("谁付？"), runtime(reasoner, MemoryRetriever([passage("维修由物业付")])))
    assert update["standalone"] == "谁付？"


async def test_a_model_cannot_talk_its_way_around_looking_a_fact_up() -> None:
    reasoner = ScriptedReasoner(route=[Route(False, "common knowledge", "How long is parental leave?")])
    update = await route(
        state("How long is parental leave?"), runtime(reasoner, MemoryRetriever([passage("Leave lasts 14 weeks.")]))
    )
    assert (update["need_retrieval"], update["stop_reason"]) == (True, None)
    assert update["route_reason"] == f"{LOOKED_UP}common knowledge"
