"""Batches: small documents share their costs, and one that fails takes none with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from context.retrieval import Principal, Vectors
from corpus.documents import NewDocument, Outcome
from corpus.index import Index
from corpus.writer import batches
from tests.fakes.embedder import HashEmbedder

ME = Principal()


class Counting(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(len(texts))
        return await super().passages(texts)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 40_000)), max_size=100))
def test_batches_are_all_documents_in_order_bounded_and_without_repeats(given_: list[tuple[str, int]]) -> None:
    documents = [NewDocument(doc_id, "x" * length) for doc_id, length in given_]
    lots = list(batches(documents))
    assert [document for lot in lots for document in lot] == documents
    for lot in lots:
        assert 0 < len(lot) <= 64
        assert len({document.doc_id for document in lot}) == len(lot)
        assert sum(len(d.text) for d in lot[:-1] if isinstance(d, NewDocument)) < 64_000


async def test_small_documents_are_embedded_and_written_together(tmp_path: Path) -> None:
    embedder = Counting()
    index = await Index.open(tmp_path, embedder)
    told: list[tuple[int, int]] = []
    documents = [NewDocument(str(n), f"第 {n} 份文件。") for n in range(150)]
    outcomes = await index.add(documents, ME, lambda done, total, outcome: told.append((done, total)))
    assert embedder.calls == [64, 64, 22]
    assert index.generation == 3
    assert told == [(done, 150) for done in range(1, 151)]
    assert outcomes == [Outcome(str(n), "added", 1) for n in range(150)]
    await index.close()


async def test_what_was_told_of_is_shown_though_others_are_not_done(tmp_path: Path) -> None:
    """The old version, or one that other groups may see, is not served until the last of many documents is indexed."""
    index = await Index.open(tmp_path, None)
    await index.add([NewDocument("a", "旧版")], ME)
    seen: list[int] = []

    def progress(done: int, total: int, outcome: Outcome) -> None:
        seen.append(index._derived.get(ME.tenant).size)

    later = [NewDocument(str(n), "别的") for n in range(70)]
    await index.add(
        [NewDocument("a", "新版", groups=frozenset({"hr"})), *later], Principal(roles=frozenset({"admin"})), progress
    )
    assert seen == [64] * 64 + [71] * 7
    await index.close()


async def test_a_failure_among_many_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, Counting())
    failed = Outcome("c.pdf", "failed", sentence="It is encrypted.")
    outcomes = await index.add([NewDocument("a", "电梯"), NewDocument("b", " "), failed, NewDocument("d", "食堂")], ME)
    assert [outcome.result for outcome in outcomes] == ["added", "failed", "failed", "added"]
    assert [document.doc_id for document in index.catalogue.visible(ME)] == ["a", "d"]
    await index.close()
