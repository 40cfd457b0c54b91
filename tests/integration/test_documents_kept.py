"""What goes in comes out: names of any script, metadata of any value, versions up to a bound, and nothing deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from api.schemas.replies import Reply
from context.retrieval import Principal, SearchRequest
from corpus.correction import Correction
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.ingest.folder import read_folder
from corpus.kept import Kept
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index

ME = Principal()

NAMES = [
    *("产品手册", "a", "ab", "财务 2024/Q1", "财务 2024/Q2", "甲/说明.md", "乙/说明.md", "说明.md"),
    *(
        "字" * 80,
        "字" * 79 + "典",
        "😀.md",
        "😁.md",
        "Ａ",
        "a b",
        "a_b",
        "a-b",
        "a%20b",
        "a/...b",
        "...",
        "b",
        "B",
        "#1",
    ),
]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    async with served(tmp_path) as client:
        yield client


def served(folder: Path) -> Any:
    opener = opening_index(folder, lambda index: OfflineReasoner(index.statistics, None), HashEmbedder())
    return client_of(create_app(Settings.model_construct(data=folder), opener=opener))


def at(doc_id: str) -> str:
    escaped = "".join(f"%{byte:02X}" for byte in doc_id.encode())
    return f"/documents/{escaped}"


async def post(client: AsyncClient, doc_id: str, text: str, **more: Any) -> str:
    answer = await client.post("/documents", json={"documents": [{"doc_id": doc_id, "text": text, **more}]})
    return str(answer.json()["documents"][0]["result"])


async def test_names_of_any_kind_are_kept_apart_and_found_again(client: AsyncClient) -> None:
    """Case A31: the same text under every one of these names, and each changed and deleted by itself."""
    same = "录像保存三十日。"
    assert [await post(client, name, same) for name in NAMES] == ["added"] * len(NAMES)
    listed = (await client.get("/documents")).json()
    assert [document["doc_id"] for document in listed["documents"]] == sorted(NAMES)
    for number, name in enumerate(NAMES):
        shown = (await client.get(at(name))).json()
        assert (shown["doc_id"], [chunk["text"] for chunk in shown["shown"]["chunks"]]) == (name, [same])
        assert await post(client, name, f"第 {number} 份改为九十日。") == "updated"
    for number, name in enumerate(NAMES):
        shown = (await client.get(at(name))).json()
        assert [chunk["text"] for chunk in shown["shown"]["chunks"]] == [f"第 {number} 份改为九十日。"]
        assert (await client.delete(at(name))).status_code == 204
        assert (await client.get("/documents")).json()["total"] == len(NAMES) - number - 1


async def test_metadata_comes_back_unchanged_from_a_file_from_json_and_set_by_hand(tmp_path: Path) -> None:
    """Case A26."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.md").write_text(
        "---\npage: 0\ndraft: false\nnote:\ntags: []\nnested: {a: [1, null], b: {}}\n---\n录像保存三十日。", "utf-8"
    )
    values: dict[str, Any] = {
        "page": 0,
        "draft": False,
        "note": None,
        "tags": [],
        "nested": {"a": [1, None], "b": {}},
        "ratio": 1.0,
    }
    file = {name: value for name, value in values.items() if name != "ratio"}
    index = await Index.open(tmp_path / "index", HashEmbedder())
    await index.add(list(read_folder(tmp_path / "papers")), ME)
    await index.close()
    async with served(tmp_path) as client:
        await post(client, "json", "食堂十二点开门。", metadata=values)
        await post(client, "hand", "车位的租金。", metadata={"page": 7, "draft": True, "note": "x"})
        assert (await client.patch(at("hand"), json={"metadata": {"set": values}})).status_code == 204
        for name, kept in (("a.md", file | {"file": "a.md"}), ("json", values), ("hand", values)):
            told = (await client.get(at(name))).json()["metadata"]
            assert typed(told) == typed(kept)
            hits = (await client.post("/search", json={"query": "录像", "filters": {"doc_id": name}})).json()["hits"]
            assert typed(hits[0]["metadata"]) == typed(kept)
        for filters in ({"page": 0}, {"draft": False}, {"note": None}):
            found = (await client.post("/search", json={"query": "录像", "filters": filters})).json()["hits"]
            assert {hit["doc_id"] for hit in found} == {"a.md", "json", "hand"}


def typed(value: Any) -> str:
    return repr(sorted(value.items()))


async def test_what_was_set_by_hand_outlives_every_ingest_until_it_is_unset(client: AsyncClient) -> None:
    await post(client, "a", "录像保存三十日。", metadata={"year": 2020, "kind": "law"})
    generation = (await client.get("/health")).json()["index_generation"]
    change = {"metadata": {"set": {"year": 2024, "city": "上海"}}}
    assert (await client.patch(at("a"), json=change)).status_code == 204
    assert (await client.get("/health")).json()["index_generation"] > generation
    assert await hits(client, {"year": 2024}) == ["a"]
    assert await hits(client, {"year": 2020}) == []
    assert await post(client, "a", "录像保存三十日。", metadata={"year": 2020, "kind": "law"}) == "unchanged"
    assert await post(client, "a", "录像保存九十日。", metadata={"year": 2021}) == "updated"
    shown = (await client.get(at("a"))).json()
    assert shown["metadata"] == {"year": 2024, "city": "上海"}
    assert shown["layers"] == {"extracted": {}, "given": {"year": 2021}, "set": {"year": 2024, "city": "上海"}}
    assert len(shown["versions"]) == 2
    assert (await client.patch(at("a"), json={"metadata": {"unset": ["year"]}})).status_code == 204
    assert await hits(client, {"year": 2021}) == ["a"]
    assert await hits(client, {"year": 2024}) == []


async def hits(client: AsyncClient, filters: dict[str, Any], query: str = "录像") -> list[str]:
    found = (await client.post("/search", json={"query": query, "filters": filters})).json()["hits"]
    return [hit["doc_id"] for hit in found]


async def test_a_correction_embeds_nothing_and_makes_no_version(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    await index.add([NewDocument("a", "录像保存三十日。", extracted={"year": 2019, "kind": "law"})], ME)
    version, embedded = next(iter(index.catalogue.visible(ME))).version, list(embedder.embedded)
    await index.correct("a", ME, Correction(set={"year": 2024}))
    assert next(iter(index.catalogue.visible(ME))).version == version
    assert embedder.embedded == embedded
    assert next(iter(index.catalogue.visible(ME))).metadata == {"year": 2024, "kind": "law"}
    assert await index.count(ME, {"year": 2024, "kind": "law"}) == 1
    await index.close()


async def test_a_deleted_document_is_in_no_lane_no_cache_no_answer_and_no_file(tmp_path: Path) -> None:
    """Case A32; of a thread that cited it, its own question and answer stay, and the quotes show as deleted."""
    secret = "绝密代号是青鸟，保管人是张三。"
    async with served(tmp_path) as client:
        await post(client, "secret.md", secret)
        await post(client, "other.md", "食堂十二点开门。")
        asked = (await client.post("/ask", json={"question": "绝密代号是什么？"})).json()
        assert [citation["doc_id"] for citation in asked["citations"]] == ["secret.md"]
        assert (await client.delete(at("secret.md"))).status_code == 204
        await is_gone(client, asked)
    assert files_with(tmp_path / "index", "青鸟") == []
    with closing(sqlite3.connect(tmp_path / "index" / "documents.sqlite3")) as store:
        for table in ("versions", "chunks", "vectors", "terms"):
            assert store.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (1,), table  # noqa: S608
    async with served(tmp_path) as client:
        await is_gone(client, asked)


async def test_a_citation_names_the_other_documents_that_say_the_same_while_they_can_be_seen(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        for name in ("a.md", "b.md"):
            await post(client, name, "绝密代号是青鸟，保管人是张三。")
        asked = (await client.post("/ask", json={"question": "绝密代号是什么？"})).json()
        Reply.model_validate(asked)
        (cited,) = asked["citations"]
        assert {cited["doc_id"], *cited["also_in"]} == {"a.md", "b.md"}
        assert (await client.delete(at(cited["also_in"][0]))).status_code == 204
        shown = (await client.get(f"/threads/{asked['thread_id']}")).json()["reply"]["citations"]
        assert shown == [cited | {"also_in": []}]


def files_with(folder: Path, text: str) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


async def is_gone(client: AsyncClient, asked: dict[str, Any]) -> None:
    for mode in ("bm25", "naive", "hybrid"):
        found = (await client.post("/search", json={"query": "绝密代号青鸟", "mode": mode})).json()["hits"]
        assert "secret.md" not in [hit["doc_id"] for hit in found]
    assert (await client.get(at("secret.md"))).status_code == 404
    again = (await client.post("/ask", json={"question": "绝密代号是什么？"})).json()
    assert "青鸟" not in str(again)
    thread = f"/threads/{asked['thread_id']}"
    shown = (await client.get(thread)).json()
    assert [(c["deleted"], c["quote"]) for c in shown["reply"]["citations"]] == [(True, "")]
    steps = (await client.get(f"{thread}/history")).json()["steps"]
    retrieved = next(step for step in steps if step["node"] == "retrieve")
    replayed = (await client.post(f"{thread}/replay", json={"checkpoint_id": retrieved["checkpoint_id"]})).json()
    assert "青鸟" not in str(replayed)


async def test_superseded_versions_are_kept_up_to_a_bound_and_leave_nothing(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, HashEmbedder(), kept=Kept(versions=3))
    old = []
    for number in range(6):
        await index.add([NewDocument("a", f"录像保存 {number} 日。")], ME)
        old += [hit["chunk_id"] for hit in (await index.search(SearchRequest(("录像",), ME))).docs]
    assert list(await index.read(old, ME)) == old[3:]
    assert [version.current for version in index.catalogue.detail("a", ME).versions] == [True, False, False]
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3")) as store:
        for table in ("versions", "chunks", "vectors", "terms"):
            assert store.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (3,), table  # noqa: S608
    await index.close()
