import pytest

from api.schemas.knowledge import Hits
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, serving

QUERY = {"query": "paid leave"}


async def test_a_search_gives_hits_with_text_and_where_they_stood() -> None:
    async with serving() as client:
        answer = await client.post("/search", json=QUERY)
    Hits.model_validate_json(answer.content)
    first = answer.json()["hits"][0]
    assert list(first) == ["chunk_id", "doc_id", "version", "title", "text", "metadata", "rank", "lanes"]
    assert (first["doc_id"], first["text"], first["rank"]) == ("leave", TEXTS["leave"], 1)
    assert [lane["lane"] for lane in first["lanes"]] == ["keyword", "vector"]


@pytest.mark.parametrize(
    ("mode", "lanes"), [("bm25", ("keyword",)), ("naive", ("vector",)), ("hybrid", ("keyword", "vector"))]
)
async def test_the_mode_chooses_the_lanes(mode: str, lanes: tuple[str, ...]) -> None:
    index = MemoryIndex(TEXTS)
    async with serving(index=index) as client:
        await client.post("/search", json=QUERY | {"mode": mode, "k": 1})
    assert (index.requests[-1].lanes, index.requests[-1].top_k) == (lanes, 1)


@pytest.mark.parametrize("mode", ["bm25_rerank", "hybrid_rerank", "loop", "magic"])
async def test_a_mode_not_built_is_told_which_are(mode: str) -> None:
    async with serving() as client:
        answer = await client.post("/search", json=QUERY | {"mode": mode})
    assert answer.status_code == 422
    assert "bm25, naive, hybrid" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body", [{}, {"query": ""}, {"query": 1}, QUERY | {"k": 0}, QUERY | {"k": 101}, QUERY | {"x": 1}]
)
async def test_a_search_that_cannot_be_is_refused(body: object) -> None:
    async with serving() as client:
        assert (await client.post("/search", json=body)).status_code == 422


async def test_one_lane_lost_still_finds_and_all_lost_is_no_empty_list() -> None:
    async with serving(index=MemoryIndex(TEXTS, broken=["vector"])) as client:
        assert (await client.post("/search", json=QUERY)).json()["hits"]
        lost = await client.post("/search", json=QUERY | {"mode": "naive"})
    assert (lost.status_code, lost.json()["code"]) == (503, "source_unavailable")


async def test_nothing_found_is_an_empty_list() -> None:
    async with serving(index=MemoryIndex({})) as client:
        assert (await client.post("/search", json=QUERY)).json() == {"hits": []}
