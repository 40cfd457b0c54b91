from __future__ import annotations

from dataclasses import replace

from context.reasoning import Judgement
from nodes.contradicted import capped
from nodes.evaluate import evaluate
from nodes.retrieve import retrieve
from state import SubQuestion
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import runtime, state

ULTRA: list[SubQuestion] = [{"id": "q1", "text": "X200-Ultra 多重", "required": True}]
NEIGHBOUR = passage("X200-Pro 重 2 公斤。")
OWN = passage("X200-Ultra 重 3 公斤。")


def sure(chunk_id: str, score: float = 0.97) -> Judgement:
    return Judgement("q1", chunk_id, "", "它说了", "direct", score)


async def test_no_grade_of_a_model_makes_evidence_of_a_neighbouring_code() -> None:
    retriever = MemoryRetriever([NEIGHBOUR, OWN])
    asked = state("X200-Ultra 多重", sub_questions=ULTRA)
    asked = {**asked, **await retrieve(asked, runtime(retriever=retriever))}
    reasoner = ScriptedReasoner(grade=[(sure(NEIGHBOUR.chunk_id), sure(OWN.chunk_id, 0.9))])
    update = await evaluate(asked, runtime(reasoner, retriever))
    assert [e["chunk_id"] for e in update["ledger"][0]["evidence"]] == [OWN.chunk_id]
    assert {pair["chunk_id"]: pair["score"] for pair in update["graded"]}[NEIGHBOUR.chunk_id] == 0.49


def test_the_cap_names_its_reason_and_leaves_lower_grades_as_they_are() -> None:
    asked = state("X200-Ultra 多重", sub_questions=ULTRA)
    low = Judgement("q1", NEIGHBOUR.chunk_id, "", "无关", "irrelevant", 0.1)
    high, kept = capped([sure(NEIGHBOUR.chunk_id), low], asked, {NEIGHBOUR.chunk_id: NEIGHBOUR})
    assert (high.band, high.score) == ("irrelevant", 0.49)
    assert "X200-PRO" in high.reason
    assert "X200-ULTRA" in high.reason
    assert kept == low


def test_metadata_of_another_place_caps_too() -> None:
    asked = state("杭州市谁付？", sub_questions=[{"id": "q1", "text": "谁付", "required": True}])
    elsewhere = replace(passage("由业主付。"), metadata={"city": "宁波市"})
    assert capped([sure(elsewhere.chunk_id)], asked, {elsewhere.chunk_id: elsewhere})[0].score == 0.49
