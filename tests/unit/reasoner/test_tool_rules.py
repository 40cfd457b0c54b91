"""The rules that drive the tools without a model: which one applies first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from context.reasoning import Judgement, band_of
from context.retrieval import Passage, Principal
from context.tools import Place, ToolChoice, ToolRequest, ToolStep
from reasoner import tool_rules
from state import Query, SubQuestion
from tests.unit.reasoner.test_feedback import CountedStatistics

ITEM: SubQuestion = {"id": "q1", "text": "what does E1001 mean on the panel", "required": True}
WHOLE = Passage("c1", "manual", "v", "Manual", "", "The panel shows a fault.", {}, 0, 24)
OWN = ToolStep("search", {"query": ITEM["text"]}, "", (Place(WHOLE),))
LOOK = ToolStep("find", {"doc": "manual", "pattern": "E1001"}, "")


def request(*steps: ToolStep, searches_left: int = 9, suggested: tuple[Query, ...] = ()) -> ToolRequest:
    return ToolRequest(
        ITEM["text"], "en", (ITEM,), (ITEM,), (), (), (), suggested, steps, 9, searches_left, Principal(), 5.0
    )


def judged(score: float, chunk: str = "c1", quote: str = "shows a fault") -> Judgement:
    return Judgement("q1", chunk, quote, "", band_of(score), score)


def choose(asked: ToolRequest, *judgements: Judgement) -> ToolChoice:
    return tool_rules.choose(asked, judgements, CountedStatistics([WHOLE]))


def noted(chunk: str = "c1", quote: str = "shows a fault") -> ToolChoice:
    return ToolChoice("note", {"sub_question": "q1", "chunk": chunk, "quote": quote})


def test_an_item_is_searched_for_in_its_own_words() -> None:
    assert choose(request()) == ToolChoice("search", {"query": ITEM["text"]})


def test_a_question_of_several_items_is_first_searched_whole() -> None:
    two = replace(request(), sub_questions=(ITEM, {**ITEM, "id": "q2", "text": "and why"}), question="all of it")
    assert choose(two) == ToolChoice("search", {"query": "all of it"})
    assert choose(replace(two, steps=(LOOK,))) == ToolChoice("search", {"query": ITEM["text"]})


def test_what_would_pass_is_noted_and_what_is_partly_related_when_codes_and_other_words_brought_no_better() -> None:
    again = ToolStep("search", {"query": "panel faults"}, "")
    plan: tuple[Query, ...] = ({"text": "panel faults", "gap": None},)
    assert choose(request(OWN), judged(0.8)) == noted()
    assert choose(request(OWN), judged(0.6)) == ToolChoice("find", dict(LOOK.arguments))
    assert choose(request(OWN, LOOK, suggested=plan), judged(0.6)) == ToolChoice("search", dict(again.arguments))
    assert choose(request(OWN, LOOK, again), judged(0.6)) == noted()


def test_nothing_is_noted_twice() -> None:
    note: dict[str, Any] = {"sub_question": "q1", "chunk": "c1"}
    choice = choose(request(OWN, LOOK, ToolStep("note", note, "")), judged(0.8))
    assert choice.tool == "search"


def test_behind_a_passage_that_breaks_off_the_next_is_read_first() -> None:
    cut = Place(replace(WHOLE, text="The panel shows a", end=17))
    step = replace(OWN, places=(cut,))
    behind = ToolChoice("open", {"doc": "manual", "position": 17})
    assert choose(request(step), judged(0.9, quote="shows a")) == behind
    opened = ToolStep("open", dict(behind.arguments), "")
    assert choose(request(step, opened), judged(0.9, quote="shows a")) == noted(quote="shows a")


def test_then_come_the_queries_of_the_plan_and_at_the_end_it_finishes() -> None:
    plan: tuple[Query, ...] = ({"text": "panel faults", "gap": None}, {"text": "other", "gap": "q9"})
    assert choose(request(OWN, LOOK, suggested=plan)) == ToolChoice("search", {"query": "panel faults"})
    assert choose(request(OWN, LOOK, searches_left=0)) == ToolChoice("finish")
    assert choose(replace(request(OWN), open=())) == ToolChoice("finish")


def test_a_passage_is_at_hand_once_with_its_longest_text() -> None:
    short = ToolStep("find", {}, "", (Place(replace(WHOLE, text="panel"), 4), Place(replace(WHOLE, text=""))))
    assert tool_rules.at_hand(request(short, OWN)) == [Place(WHOLE)]
