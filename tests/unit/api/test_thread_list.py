from typing import Any

import pytest

from api.schemas.replies import Reply, Thread, Threads
from tests.fakes.service import scripted, serving

ASK = {"question": "How many days of paid leave?", "handoff": True}


async def test_a_question_is_handed_over_found_replied_to_and_gone_from_the_list() -> None:
    async with serving(scripted(score=0.1)) as client:
        waiting = await client.post("/ask", json=ASK)
        thread_id = waiting.json()["thread_id"]
        found = await client.get("/threads?status=awaiting_human")
        health = (await client.get("/health")).json()
        again = await client.post("/ask", json=ASK | {"thread_id": thread_id})
        replied = await client.post(f"/threads/{thread_id}/reply", json={"text": "Thirty.", "name": "Wang"})
        twice = await client.post(f"/threads/{thread_id}/reply", json={"text": "Forty."})
        shown = await client.get(f"/threads/{thread_id}")
        left = (await client.get("/threads?status=awaiting_human")).json()
        everything = (await client.get("/threads")).json()
    Reply.model_validate_json(waiting.content)
    Threads.model_validate_json(found.content)
    assert [one["thread_id"] for one in found.json()["threads"]] == [thread_id]
    assert health["awaiting_human"] == 1
    assert (again.status_code, again.json()["code"]) == (409, "awaiting_human")
    assert "/reply" in again.json()["detail"]
    Reply.model_validate_json(replied.content)
    assert (replied.json()["stop_reason"], replied.json()["answer"]) == ("human", "Thirty. [1]")
    assert (twice.status_code, twice.json()["code"]) == (409, "not_awaiting")
    Thread.model_validate_json(shown.content)
    assert left["threads"] == []
    assert [one["status"] for one in everything["threads"]] == ["answered"]


async def test_declining_ends_the_wait() -> None:
    async with serving(scripted(score=0.1), max_retries=0) as client:
        thread_id = (await client.post("/ask", json=ASK)).json()["thread_id"]
        said = (await client.post(f"/threads/{thread_id}/reply", json={"decline": True})).json()
    assert (said["status"], said["stop_reason"], said["citations"]) == ("insufficient", "max_retries", [])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": " \n"},
        {"text": "x" * 20_001},
        {"text": 7},
        {"text": "Thirty.", "decline": True},
        {"decline": False},
        {"decline": "yes"},
        {"text": "Thirty.", "name": "x" * 101},
        {"text": "Thirty.", "more": 1},
        [1],
    ],
)
async def test_a_reply_that_cannot_be_used_is_a_sentence_and_the_wait_goes_on(body: Any) -> None:
    async with serving(scripted(score=0.1)) as client:
        thread_id = (await client.post("/ask", json=ASK)).json()["thread_id"]
        refused = await client.post(f"/threads/{thread_id}/reply", json=body)
        waiting = (await client.get(f"/threads/{thread_id}")).json()
    assert refused.status_code == 422
    assert refused.json()["detail"].endswith(".")
    assert waiting["status"] == "awaiting_human"


@pytest.mark.parametrize("thread_id", ["0" * 32, "x", "%F0%9F%98%80", "..%2f"])
async def test_a_reply_to_no_thread_is_404(thread_id: str) -> None:
    async with serving() as client:
        refused = await client.post(f"/threads/{thread_id}/reply", json={"text": "Thirty."})
    assert refused.status_code == 404


@pytest.mark.parametrize("query", ["status=magic", "limit=0", "limit=201", "limit=x", "after=x"])
async def test_a_list_that_cannot_be_is_422(query: str) -> None:
    async with serving() as client:
        refused = await client.get(f"/threads?{query}")
    assert refused.status_code == 422
    assert refused.json()["detail"].endswith(".")


async def test_where_nobody_is_there_to_be_asked_the_ask_is_refused() -> None:
    async with serving(handoff="never") as client:
        refused = await client.post("/ask", json=ASK)
    assert refused.status_code == 422
    assert "person" in refused.json()["detail"]
