"""Case A3: a loop that finds nothing ends in an answer that says so, never in a step limit."""

import json
from typing import Any

import pytest
from httpx_sse import aconnect_sse

from context.reasoning import ProposedQuery, Rewrite
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import scripted, serving

QUESTION = "How many days of paid leave?"
NOT_FOUND = "The available documents do not answer this question."


def stubborn() -> ScriptedReasoner:
    """Grades everything down and always has the same query to propose."""
    same = Rewrite(((QUESTION, True),), (ProposedQuery("paid leave", 1),))
    return scripted(score=0.1, rewrite=lambda request: same)


async def asked(reasoner: ScriptedReasoner, **settings: Any) -> tuple[dict[str, Any], list[str]]:
    """The plain reply and the types of the events of the same question streamed."""
    async with serving(reasoner, **settings) as client:
        answer = await client.post("/ask", json={"question": QUESTION})
        assert answer.status_code == 200
        async with aconnect_sse(client, "POST", "/ask", json={"question": QUESTION, "stream": True}) as source:
            events = [event async for event in source.aiter_sse()]
    assert json.loads(events[-1].data)["stop_reason"] == answer.json()["stop_reason"]
    return answer.json(), [event.event for event in events]


@pytest.mark.parametrize("retries", [3, 20])
async def test_a_grader_that_always_says_no(retries: int) -> None:
    reply, types = await asked(
        scripted(score=0.1), max_retries=retries, max_searches=1_000, max_barren_rounds=1_000, max_model_calls=1_000
    )
    assert (reply["status"], reply["stop_reason"], reply["retry_count"]) == ("insufficient", "max_retries", retries)
    assert (reply["answer"], reply["citations"]) == (NOT_FOUND, [])
    assert types[-2:] == ["answer", "done"]
    assert "error" not in types


async def test_a_rewrite_that_always_proposes_the_same_query_stops_sooner() -> None:
    reply, types = await asked(stubborn(), max_retries=20, max_barren_rounds=1_000)
    assert (reply["status"], reply["stop_reason"], reply["retry_count"]) == ("insufficient", "no_new_evidence", 1)
    assert reply["answer"] == NOT_FOUND
    assert types[-2:] == ["answer", "done"]
