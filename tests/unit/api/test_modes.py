from __future__ import annotations

import pytest

from api.schemas.modes import Modes
from api.schemas.replies import Reply
from errors import BadRequest
from runs.engine import MODES
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, client_of, opening, serving

ASK = {"question": "How many days of paid leave?"}


async def test_the_page_of_modes_is_what_is_documented() -> None:
    async with serving(mode="hybrid") as client:
        page = Modes.model_validate_json((await client.get("/modes")).content)
    assert page.default == "hybrid"
    assert [mode.mode for mode in page.modes if mode.available] == list(MODES)
    for mode in page.modes:
        assert (mode.summary.en[-1], mode.summary.zh[-1]) == (".", "。")


@pytest.mark.parametrize("mode", MODES)
async def test_each_mode_answers_over_http_and_says_its_name(mode: str) -> None:
    async with serving() as client:
        answer = await client.post("/ask", json=ASK | {"mode": mode})
    reply = Reply.model_validate_json(answer.content)
    assert (reply.mode, reply.status, reply.warnings) == (mode, "answered", [])


async def test_without_vectors_naive_is_a_sentence_in_both_places() -> None:
    async with serving(index=MemoryIndex(TEXTS, vector=False)) as client:
        asked = await client.post("/ask", json=ASK | {"mode": "naive"})
        searched = await client.post("/search", json={"query": "leave", "mode": "naive"})
    for refused in (asked, searched):
        assert (refused.status_code, refused.json()["code"]) == (422, "mode_unavailable")
        assert "there is no embedder" in refused.json()["detail"]


async def test_a_deployment_whose_default_mode_cannot_search_does_not_start() -> None:
    opener = opening(index=MemoryIndex(TEXTS, vector=False))
    app = create_app(Settings.model_construct(mode="naive"), opener=opener)
    with pytest.raises(BadRequest, match="'naive' cannot be used here"):
        async with client_of(app):
            pass


async def test_a_search_in_bm25_rerank_keeps_five_unless_told_otherwise() -> None:
    index = MemoryIndex(TEXTS)
    async with serving(index=index) as client:
        for more in ({}, {"k": 8}, {"mode": "bm25"}):
            await client.post("/search", json={"query": "leave", "mode": "bm25_rerank"} | more)
    assert [request.top_k for request in index.requests] == [5, 8, 10]
