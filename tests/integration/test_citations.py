"""Case A41: each marker is the chunk that the model was shown under that number, from the stream to a later reading."""

from __future__ import annotations

import json
from typing import Any

import pytest
from httpx_sse import aconnect_sse

from context.reasoning import AnswerRequest, GradeRequest, ProposedQuery, Rewrite, RewriteRequest
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import grading, scripted, serving

FACTS = {
    f"fact{n}": f"The {name} allowance is {n}00 yuan."
    for n, name in enumerate(("meal", "hotel", "taxi", "phone", "gift", "visa"), 1)
}
QUESTION = "What is the allowance?"
PARTS = ("meal allowance", "hotel allowance", "taxi allowance")
SHOWN: dict[int, str] = {}


def reasoner(answer: Any) -> ScriptedReasoner:
    """Two rounds over six chunks: the first two sub-questions are confirmed in the first, the third in the second."""

    def rewrite(request: RewriteRequest) -> Rewrite:
        if request.sub_questions:
            return Rewrite((), (ProposedQuery("taxi phone gift visa", 3), ProposedQuery("taxi yuan", 3)))
        return Rewrite(
            tuple((part, True) for part in PARTS), tuple(ProposedQuery(p, n) for n, p in enumerate(PARTS, 1))
        )

    def grade(request: GradeRequest) -> Any:
        later = len(request.sub_questions) == 1
        return (
            grading(0.95 if later else 0.9)(request)
            if later
            else tuple(judgement for judgement in grading(0.9)(request) if judgement.sub_question_id != "q3")
        )

    def said(request: AnswerRequest) -> Any:
        SHOWN.clear()
        SHOWN.update({source.number: source.passage.chunk_id for source in request.sources})
        return answer

    return scripted(rewrite=rewrite, grade=grade, answer=said)


PIECES = [
    "The hotel allowance is 200 yuan [", "2", "]. ", "Both are paid in yuan [1][", "3]. ", "It is paid in yuan 【2】. ",
    "Yuan allowances exist [9]. ", "The allowance is in yuan [0]. ", "Take arr[1] and m[1][2] of the allowance [6]. ",
    "It is so.[", "4]", "[1] The allowance `x [1]` is in yuan [1, 2].",
]  # fmt: skip


async def test_every_kind_of_marker_over_two_rounds_the_stream_and_a_later_reading() -> None:
    ask = {"question": QUESTION, "stream": True}
    async with serving(reasoner(PIECES), MemoryIndex(FACTS)) as client:
        async with aconnect_sse(client, "POST", "/ask", json=ask) as source:
            events = [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]
        reply = next(data for kind, data in events if kind == "answer")
        kept = (await client.get(f"/threads/{reply['thread_id']}")).json()
    answer = reply["answer"]
    assert "".join(data["text"] for kind, data in events if kind == "token") == answer
    assert reply["retry_count"] == 1
    assert "The hotel allowance is 200 yuan [2]." in answer
    assert "in yuan [1][3]." in answer
    assert "in yuan [2]." in answer
    assert "arr[1] and m[1][2] of the allowance [6]." in answer
    assert "`x [1]` is in yuan [1][2]." in answer
    assert "[9]" not in answer
    assert "[0]" not in answer
    assert {c["number"]: c["chunk_id"] for c in reply["citations"]} == {n: SHOWN[n] for n in (1, 2, 3, 4, 6)}
    for citation in reply["citations"]:
        text = FACTS[citation["doc_id"]]
        assert text[citation["start"] : citation["end"]] == citation["quote"] == text
    assert kept["reply"]["citations"] == reply["citations"]
    assert kept["reply"]["answer"] == answer


@pytest.mark.parametrize(
    ("said", "ends_with"),
    [
        ("The hotel allowance is 900 yuan [2].", "(not in the cited sources: 900 yuan)"),
        ("Allowances must be claimed by the employee within the year.", "not an answer written by a model:"),
        ("The hotel allowance is 900 yuan.", "not an answer written by a model:"),
    ],
)
async def test_what_the_sources_do_not_bear_is_told(said: str, ends_with: str) -> None:
    async with serving(reasoner(said), MemoryIndex(FACTS)) as client:
        reply = (await client.post("/ask", json={"question": QUESTION})).json()
    first = reply["answer"].split("The meal allowance")[0]
    assert first.strip().endswith(ends_with)
    assert reply["citations"]


async def test_a_sentence_left_out_is_counted_in_the_text() -> None:
    said = "The hotel allowance is 200 yuan [2]. The bar allowance is 900 yuan."
    async with serving(reasoner(said), MemoryIndex(FACTS)) as client:
        reply = (await client.post("/ask", json={"question": QUESTION})).json()
    assert reply["answer"] == (
        "The hotel allowance is 200 yuan [2].\n(Left out for want of any support in the documents: 1 sentence(s).)"
    )
