from pathlib import Path

import pytest

from api.schemas.knowledge import Hits
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, client_of, opening_index, scripted, serving

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


async def test_a_search_waits_for_vectors_as_long_as_the_settings_say() -> None:
    index = MemoryIndex(TEXTS)
    async with serving(index=index, search_timeout_s=3.0) as client:
        await client.post("/search", json=QUERY)
    assert index.requests[-1].timeout_s == 3.0


async def test_rerank_modes_say_by_what_and_how_deep() -> None:
    index = MemoryIndex(TEXTS)
    async with serving(index=index) as client:
        for mode in ("bm25_rerank", "hybrid_rerank", "hybrid"):
            assert (await client.post("/search", json=QUERY | {"mode": mode})).status_code == 200
    asked = [(one.lanes, one.rerank, one.reranker, one.rerank_depth) for one in index.requests]
    assert asked == [
        (("keyword",), True, "embedding", 20),
        (("keyword", "vector"), True, "configured", None),
        (("keyword", "vector"), False, "configured", None),
    ]


async def test_what_failed_while_something_answered_is_a_warning() -> None:
    async with serving(index=MemoryIndex(TEXTS, broken=["vector"])) as client:
        found = await client.post("/search", json=QUERY)
    assert Hits.model_validate_json(found.content).warnings == ["the vector lane failed"]


async def test_neighbours_are_merged_on_request_with_the_text_of_their_span(tmp_path: Path) -> None:
    text = "\n".join(f"电梯第{n}条规定，乘客须遵守下列事项。{'甲乙丙丁' * 20}。" for n in range(12))
    app = create_app(Settings.model_construct(), opener=opening_index(tmp_path, lambda index: scripted(), None))
    async with client_of(app) as client:
        await client.post("/documents", json={"documents": [{"doc_id": "rules", "text": text}]})
        apart = (await client.post("/search", json={"query": "电梯规定", "mode": "bm25"})).json()["hits"]
        answer = await client.post("/search", json={"query": "电梯规定", "mode": "bm25", "merge": True})
    Hits.model_validate_json(answer.content)
    (hit,) = answer.json()["hits"]
    assert len(apart) > 1
    assert (hit["text"], hit["span"]) == (text, [0, len(text)])
    assert sorted(hit["merged"]) == sorted(one["chunk_id"] for one in apart)


async def test_copies_are_one_hit_that_names_the_others(tmp_path: Path) -> None:
    app = create_app(Settings.model_construct(), opener=opening_index(tmp_path, lambda index: scripted(), None))
    documents = [{"doc_id": name, "text": "电梯维修费由物业承担。"} for name in ("a", "b", "c")]
    async with client_of(app) as client:
        await client.post("/documents", json={"documents": documents})
        answer = await client.post("/search", json={"query": "电梯维修费", "mode": "bm25"})
    Hits.model_validate_json(answer.content)
    (hit,) = answer.json()["hits"]
    assert (hit["doc_id"], hit["also_in"]) == ("a", ["b", "c"])


@pytest.mark.parametrize("mode", ["loop", "magic"])
async def test_a_mode_not_built_is_told_which_are(mode: str) -> None:
    async with serving() as client:
        answer = await client.post("/search", json=QUERY | {"mode": mode})
    assert answer.status_code == 422
    assert "bm25, naive, bm25_rerank, hybrid, hybrid_rerank" in answer.json()["detail"]


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
