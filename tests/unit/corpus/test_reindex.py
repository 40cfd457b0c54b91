"""Other settings are noticed at the start, and a rebuild pays only for what it needs, however often it is cut off."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import errors
from context.retrieval import Embedder, Principal, SearchRequest, Vectors
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.ingest.chunks import Sizes
from corpus.kept import Kept
from corpus.reindex import Part, Rebuilt, reindex
from corpus.store import fingerprints
from tests.fakes.embedder import HashEmbedder

ME = Principal()
OTHER = Principal(tenant="other")
SHORT = Kept(sizes=Sizes(40, 10))
TEXT = "".join(f"第{n}次检修由工程部完成并登记在册，费用由业主大会承担。" for n in range(1, 61))


def documents(count: int = 3) -> list[NewDocument]:
    return [NewDocument(f"手册/{n}", f"# 第{n}册\n\n{TEXT}", metadata={"n": n}) for n in range(count)]


@asynccontextmanager
async def opened(folder: Path, embedder: Embedder | None, kept: Kept | None = None) -> AsyncIterator[Index]:
    index = await Index.open(folder, embedder, kept=kept or Kept())
    try:
        yield index
    finally:
        await index.close()


async def rebuilt(folder: Path, embedder: Embedder | None, kept: Kept | None = None, **more: Any) -> Rebuilt:
    told: list[tuple[Part, int, int]] = more.pop("told", [])
    return await reindex(folder, embedder, kept or Kept(), lambda *progress: told.append(progress))


async def texts(index: Index, query: str, principal: Principal = ME) -> list[str]:
    hits = (await index.search(SearchRequest((query,), principal, top_k=100))).docs
    return [p.text for p in (await index.read([hit["chunk_id"] for hit in hits], principal)).values()]


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "documents.sqlite3")) as connection:
        return connection.execute(sql).fetchall()


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def add_lane_files(folder: Path) -> None:
    (folder / "a-lane").mkdir()
    (folder / "a-lane" / "segment").touch()


class Failing(HashEmbedder):
    """Gives up after so many calls."""

    def __init__(self, name: str, dimension: int, calls: int) -> None:
        super().__init__(name, dimension)
        self.calls = calls

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.calls -= 1
        if self.calls < 0:
            raise errors.Unavailable("The endpoint is away.")
        return await super().passages(texts)


async def test_an_embedding_model_changed_after_indexing_is_noticed_and_rebuilt(tmp_path: Path) -> None:
    """Case A27: A with 8 numbers, then B with 16, then C with 8 again under another name."""
    models = [("A", 8), ("B", 16), ("C", 8)]
    async with opened(tmp_path, HashEmbedder(*models[0])) as index:
        await index.add(documents(), ME)
        chunks = await index.count(ME, None)
    for was, now in pairwise(models):
        with pytest.raises(errors.Conflict, match="gapseek reindex") as refused:
            await Index.open(tmp_path, HashEmbedder(*now))
        assert f"{was[0]} ({was[1]} dimensions)" in refused.value.sentence
        assert f"{now[0]} ({now[1]} dimensions)" in refused.value.sentence
        async with opened(tmp_path, HashEmbedder(*was)) as index:
            assert await texts(index, "第7次检修")
        embedder = HashEmbedder(*now)
        assert await rebuilt(tmp_path, embedder) == Rebuilt(0, 0, chunks, ())
        async with opened(tmp_path, embedder) as index:
            found = await index.search(SearchRequest(("第7次检修",), ME, lanes=("vector",)))
            assert found.docs
            assert found.lanes[0]["error"] is None
        assert len(embedder.embedded) == chunks + 1
    assert rows(tmp_path, "SELECT DISTINCT embedder FROM vectors") == [("C (8 dimensions)",)]


async def test_a_rebuild_that_is_cut_off_goes_on_without_paying_twice(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder("A", 8)) as index:
        await index.add(documents(40), ME)
        chunks = await index.count(ME, None)
    first = Failing("B", 16, calls=2)
    with pytest.raises(errors.Unavailable, match="away"):
        await rebuilt(tmp_path, first)
    with pytest.raises(errors.Conflict):
        await Index.open(tmp_path, HashEmbedder("B", 16))
    old = HashEmbedder("A", 8)
    async with opened(tmp_path, old) as index:
        assert await texts(index, "第7次检修")
        assert old.embedded == ["第7次检修"]
    second, told = HashEmbedder("B", 16), list[tuple[Part, int, int]]()
    await rebuilt(tmp_path, second, told=told)
    assert len(first.embedded) == 128
    assert not set(first.embedded) & set(second.embedded)
    assert len(first.embedded) + len(second.embedded) == chunks
    assert told[-1] == ("embed", chunks - 128, chunks - 128)
    third = HashEmbedder("B", 16)
    assert await rebuilt(tmp_path, third) == Rebuilt(0, 0, 0, ())
    assert third.embedded == []


async def test_another_chunker_cuts_anew_from_the_stored_text_and_history_keeps_the_old_chunks(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    async with opened(tmp_path, embedder) as index:
        await index.add(documents(), ME)
        await index.add([NewDocument("手册/0", "# 他们的\n\n" + TEXT)], OTHER)
        held = {document.doc_id: document.version for document in index.catalogue.visible(ME)}
        old = [hit["chunk_id"] for hit in (await index.search(SearchRequest(("检修",), ME))).docs]
        generation = index.generation
    with pytest.raises(errors.Conflict, match=r"500 characters.*40 characters"):
        await Index.open(tmp_path, embedder, kept=SHORT)
    outcome = await rebuilt(tmp_path, embedder, SHORT)
    assert (outcome.cut, outcome.uncut) == (4, ())
    async with opened(tmp_path, embedder, SHORT) as index:
        assert {document.doc_id: document.version for document in index.catalogue.visible(ME)} == held
        assert index.generation > generation
        found = await texts(index, "第7次检修")
        assert found
        assert max(map(len, found)) <= 40
        assert await index.read(old, ME)
        assert {o.result for o in await index.add(documents(), ME)} == {"unchanged"}
        detail = index.catalogue.detail("手册/0", ME)
        assert [version.current for version in detail.versions] == [True]
    assert await rebuilt(tmp_path, embedder, SHORT) == Rebuilt(0, 0, 0, ())


async def test_a_new_cut_that_was_not_finished_changes_nothing_for_the_old_settings(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder()) as index:
        await index.add(documents(), ME)
        before = await index.count(ME, None)
    with pytest.raises(errors.Unavailable):
        await rebuilt(tmp_path, Failing("hash", 32, calls=1), SHORT)
    async with opened(tmp_path, HashEmbedder()) as index:
        assert await index.count(ME, None) == before
        assert [v.current for v in index.catalogue.detail("手册/1", ME).versions] == [True]
        await index.add([NewDocument("手册/1", "# 新\n\n新的文本。")], ME)
    await rebuilt(tmp_path, HashEmbedder(), SHORT)
    async with opened(tmp_path, HashEmbedder(), SHORT) as index:
        assert "新的文本。" in await texts(index, "新的文本")


async def test_another_tokenizer_counts_anew_and_embeds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, HashEmbedder()) as index:
        await index.add(documents(), ME)
        chunks = await index.count(ME, None)
    monkeypatch.setattr("text.tokens.RULES", 99)
    with pytest.raises(errors.Conflict, match="tokenizer"):
        await Index.open(tmp_path, HashEmbedder())
    embedder = HashEmbedder()
    assert await rebuilt(tmp_path, embedder) == Rebuilt(0, chunks, 0, ())
    assert rows(tmp_path, "SELECT DISTINCT rules FROM terms") == [("99",)]
    async with opened(tmp_path, embedder) as index:
        assert await texts(index, "检修")
    assert embedder.embedded == ["检修"]


async def test_a_rebuild_removes_what_is_derived_and_what_nothing_refers_to(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder()) as index:
        await index.add(documents(), ME)
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3")) as connection, connection:
        connection.execute("INSERT INTO vectors VALUES ('unused', 'hash (32 dimensions)', zeroblob(128))")
        connection.execute("INSERT INTO vectors VALUES ('waiting', 'hash (32 dimensions)', zeroblob(128))")
        connection.execute("INSERT INTO unclaimed VALUES ('waiting', 1)")
    add_lane_files(tmp_path)
    await rebuilt(tmp_path, HashEmbedder())
    assert names(tmp_path) == ["documents.sqlite3"]
    assert rows(tmp_path, "SELECT key FROM vectors WHERE length(key) < 64") == [("waiting",)]


async def test_a_vector_that_waited_too_long_for_its_text_is_dropped_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.writer._TEXTS", 63)  # so that the lot ends within a document
    embedder = Failing("hash", 32, calls=1)
    async with opened(tmp_path, embedder) as index:
        outcomes = await index.add(documents(40), ME)
        assert "failed" in {outcome.result for outcome in outcomes}
    assert (waiting := rows(tmp_path, "SELECT COUNT(*) FROM unclaimed")[0][0]) > 0
    async with opened(tmp_path, HashEmbedder()) as index:
        assert rows(tmp_path, "SELECT COUNT(*) FROM unclaimed") == [(waiting,)]
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3")) as connection, connection:
        connection.execute("UPDATE unclaimed SET since = 0")
    async with opened(tmp_path, HashEmbedder()):
        assert rows(tmp_path, "SELECT COUNT(*) FROM unclaimed") == [(0,)]
        unused = "SELECT COUNT(*) FROM vectors WHERE key NOT IN (SELECT key FROM chunks)"
        assert rows(tmp_path, unused) == [(0,)]


async def test_a_document_without_text_for_the_new_chunker_is_named_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, HashEmbedder()) as index:
        await index.add(documents(2), ME)
    monkeypatch.setattr("corpus.ingest.chunks.sections", lambda text: [])
    outcome = await rebuilt(tmp_path, HashEmbedder(), SHORT)
    assert outcome.uncut == ("手册/0", "手册/1")
    async with opened(tmp_path, HashEmbedder(), SHORT) as index:
        assert await texts(index, "第7次检修")


async def test_without_an_embedder_a_rebuild_leaves_the_vectors(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder()) as index:
        await index.add(documents(), ME)
    await rebuilt(tmp_path, None, SHORT)
    assert rows(tmp_path, "SELECT value FROM fingerprints WHERE part = 'embedder'") == [("hash (32 dimensions)",)]
    async with opened(tmp_path, HashEmbedder(), SHORT) as index:
        assert (await index.search(SearchRequest(("检修",), ME, lanes=("vector",)))).docs


async def test_there_must_be_an_index(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFound):
        await rebuilt(tmp_path, None)
    assert names(tmp_path) == []


async def test_an_index_that_holds_nothing_takes_any_settings(tmp_path: Path) -> None:
    async with opened(tmp_path, HashEmbedder("A", 8)):
        pass
    async with opened(tmp_path, HashEmbedder("B", 16), SHORT) as index:
        await index.add(documents(1), ME)
    assert ("chunker", fingerprints.chunker_of(SHORT.sizes)) in rows(tmp_path, "SELECT * FROM fingerprints")
