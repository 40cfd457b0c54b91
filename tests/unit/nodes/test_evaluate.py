from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from context.reasoning import GradeRequest, Judgement, Reasoned, clamp
from context.retrieval import Passage
from context.run import Windows
from evidence import Band, Repairs
from nodes.evaluate import evaluate, to_grade
from nodes.retrieve import retrieve
from policy import budget
from state import RAGState, SubQuestion
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import dials, runtime, state

PASSAGES = [passage(f"维修费第{name}种情形由物业承担") for name in "甲乙丙丁戊"]
CHECKLIST: list[SubQuestion] = [
    {"id": "q1", "text": "维修费谁承担", "required": True},
    {"id": "q2", "text": "维修费何时付", "required": True},
]


async def searched(passages: list[Passage], **changed: Any) -> tuple[RAGState, MemoryRetriever]:
    retriever = MemoryRetriever(passages)
    asked = state("维修费谁承担", **{"sub_questions": CHECKLIST, **changed})
    update = await retrieve(asked, runtime(retriever=retriever))
    return {**asked, **update}, retriever


def judge(request: GradeRequest, band: Band = "direct", score: float = 0.95) -> tuple[Judgement, ...]:
    return tuple(
        Judgement(q["id"], p.chunk_id, p.text[:4], "它说了", band, clamp(band, score))
        for q in request.sub_questions
        for p in request.passages
    )


async def test_enough_evidence_is_a_stop_with_a_ledger() -> None:
    asked, retriever = await searched(PASSAGES)
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[judge]), retriever))
    assert (update["stop_reason"], update["relevance_score"], update["gaps"]) == ("sufficient", 0.95, [])
    found = update["ledger"][0]["evidence"][0]
    assert PASSAGES[0].text[found["start"] : found["end"]] == found["quote"] == "维修费第"


async def test_evidence_names_the_documents_that_say_the_same_where_there_are_any() -> None:
    asked, retriever = await searched(PASSAGES[:2])
    asked["docs"] = [{**asked["docs"][0], "also_in": ["copy.md"]}, {**asked["docs"][1], "also_in": []}]
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[judge]), retriever))
    alike = {e["chunk_id"]: e.get("also_in") for e in update["ledger"][0]["evidence"]}
    assert alike == {asked["docs"][0]["chunk_id"]: ["copy.md"], asked["docs"][1]["chunk_id"]: None}


async def test_at_most_three_a_sub_question_and_none_twice() -> None:
    asked, retriever = await searched(PASSAGES)
    first = to_grade(asked, CHECKLIST)
    assert len(first) == 3
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[lambda r: judge(r, "partial", 0.55)]), retriever))
    again = to_grade({**asked, **update}, CHECKLIST)
    assert len(again) == 2
    assert not set(first) & set(again)


async def test_a_gaps_own_find_is_graded_beside_what_the_whole_question_found() -> None:
    aimed = passage("付款期限为十日")
    asked, _ = await searched([*PASSAGES, aimed], rewritten_queries=[{"text": "付款期限", "gap": "q2"}])
    assert aimed.chunk_id in to_grade(asked, CHECKLIST[1:])[:2]


async def test_the_rounds_limit_holds_over_all_sub_questions() -> None:
    asked, _ = await searched(PASSAGES, dials=dials(grades_per_round=2))
    assert len(to_grade(asked, CHECKLIST)) == 2


async def test_nothing_found_makes_no_call_and_a_barren_round() -> None:
    asked, retriever = await searched([])
    reasoner = ScriptedReasoner()
    update = await evaluate(asked, runtime(reasoner, retriever))
    assert reasoner.calls == []
    assert update["spent"]["barren_rounds"] == 1
    assert [gap["sub_question_id"] for gap in update["gaps"]] == ["q1", "q2"]
    assert update["stop_reason"] is None


async def test_judgements_of_unknown_chunks_or_questions_are_dropped() -> None:
    asked, retriever = await searched(PASSAGES[:1])
    stray = (
        Judgement("q1", "nowhere#1", "", "r", "direct", 0.99),
        Judgement("q9", PASSAGES[0].chunk_id, "", "r", "direct", 0.99),
    )
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[stray]), retriever))
    assert update["relevance_score"] == 0.0
    assert all(pair["score"] == 0.0 for pair in update["graded"])


async def test_a_quote_that_does_not_stand_there_becomes_the_passage() -> None:
    asked, retriever = await searched(PASSAGES[:1], sub_questions=CHECKLIST[:1])
    invented = (Judgement("q1", PASSAGES[0].chunk_id, "编造的话", "r", "direct", 0.9),)
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[invented]), retriever))
    evidence = update["ledger"][0]["evidence"][0]
    assert (evidence["quote"], evidence["grade"]["band"]) == (PASSAGES[0].text, "inference")
    assert update["repairs"]["unquoted"] == 1


async def test_repairs_add_up_over_the_rounds_of_a_turn_old_checkpoints_included() -> None:
    asked, retriever = await searched(PASSAGES[:1], sub_questions=CHECKLIST[:1])
    asked.pop("repairs")
    stray = Judgement("q1", "nowhere#1", "", "r", "direct", 0.9)
    before: Repairs = {"missing": 0, "dropped": 2, "rescored": 5, "unquoted": 0}
    reasoner = ScriptedReasoner(grade=[lambda r: Reasoned((*judge(r), stray), repairs=before)])
    update = await evaluate(asked, runtime(reasoner, retriever))
    assert update["repairs"] == {"missing": 0, "dropped": 3, "rescored": 5, "unquoted": 0}


async def test_what_the_metadata_say_of_when_it_holds_goes_into_the_ledger() -> None:
    held = replace(PASSAGES[0], metadata={"effective_from": "2024-03-01", "superseded_by": "neu", "year": 2024})
    asked, retriever = await searched([held], sub_questions=CHECKLIST[:1])
    update = await evaluate(asked, runtime(ScriptedReasoner(grade=[judge]), retriever))
    evidence = update["ledger"][0]["evidence"][0]
    assert (evidence["effective_from"], evidence["superseded_by"]) == ("2024-03-01", ["neu"])
    assert "effective_to" not in evidence


async def test_the_last_retry_is_the_last() -> None:
    spent = budget.settle(budget.nothing_spent(), searches=4)
    asked, retriever = await searched(PASSAGES, retry_count=3, spent=spent)
    reasoner = ScriptedReasoner(grade=[lambda r: judge(r, "partial", 0.6)])
    update = await evaluate(asked, runtime(reasoner, retriever))
    assert (update["stop_reason"], update["relevance_score"]) == ("max_retries", 0.6)


async def test_what_a_small_window_has_no_room_for_stays_ungraded_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    long = [passage(f"维修费{name}" + "字" * 1_000) for name in "甲乙丙"]
    asked, retriever = await searched(long)
    reasoner = ScriptedReasoner(grade=[lambda request: judge(request, "irrelevant", 0.1)])
    update = await evaluate(asked, runtime(reasoner, retriever, windows=Windows(grade=4_500)))
    (request,) = reasoner.grade_requests
    assert len(request.passages) == 2
    assert {pair["chunk_id"] for pair in update["graded"]} == {p.chunk_id for p in request.passages}
    assert "1 passages found no room" in caplog.text


async def test_one_chunk_longer_than_the_window_is_cut_and_quoted_as_shown() -> None:
    asked, retriever = await searched([passage("维修费由物业承担。" + "字" * 50_000)])
    reasoner = ScriptedReasoner(grade=[judge])
    update = await evaluate(asked, runtime(reasoner, retriever, windows=Windows(grade=4_500)))
    assert len(reasoner.grade_requests[0].passages[0].text) < 3_000
    assert update["ledger"][0]["evidence"][0]["quote"] == "维修费由"


async def test_a_rerank_place_counts_as_both_lanes_and_finds_nothing_of_its_own() -> None:
    asked, _ = await searched(PASSAGES, sub_questions=CHECKLIST[:1])
    last = asked["docs"][-1]
    put_first = {
        **last,
        "lanes": [*last["lanes"], {"query": "维修费谁承担", "lane": "rerank", "rank": 1, "score": 9.0}],
    }
    asked = {**asked, "docs": [*asked["docs"][:-1], put_first]}  # type: ignore[list-item]  # a spread TypedDict
    assert to_grade(asked, CHECKLIST[:1])[0] == last["chunk_id"]
