"""Whatever happened to a partition, it is searched as if its documents had just been indexed."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from corpus.lanes import keyword
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from corpus.segments.rows import Row
from corpus.segments.segment import Segment
from tests.fakes.rows import rows_of_document, vectors_of

TOKENS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8)
DOCUMENT = st.lists(TOKENS, min_size=1, max_size=3)
NAMES = st.sampled_from(["a", "a#", "b", "电梯", "😀", "z"])
CHANGE = st.tuples(NAMES, st.none() | DOCUMENT)
"""A document and its new chunks, or None when it is deleted."""
History = list[str | tuple[str, list[list[str]] | None]]
HISTORY: st.SearchStrategy[History] = st.lists(st.just("merge") | CHANGE, max_size=14)

Documents = dict[str, list[list[str]]]


def segment(rows: list[Row]) -> Segment:
    return Segment.of(rows, vectors_of)


def lived(history: History) -> tuple[Partition, Documents]:
    """The partition after these changes, and the documents that are there at the end."""
    partition, documents = Partition.whole("t", 0, segment([])), Documents()
    for generation, change in enumerate(history, 1):
        if isinstance(change, str):
            partition = Partition.whole("t", generation, partition.merged())
            continue
        name, chunks = change
        partition = partition.changed(generation, [name], segment(rows_of_document(name, chunks) if chunks else []))
        documents.pop(name, None)
        if chunks:
            documents[name] = chunks
    return partition, documents


def rows(documents: Documents) -> list[Row]:
    found = [row for name, chunks in documents.items() for row in rows_of_document(name, chunks)]
    return sorted(found, key=lambda row: row.chunk_id)


def tokens_of(row: Row) -> list[str]:
    return [token for token, count in row.counts.items() for _ in range(count)]


@given(HISTORY, TOKENS)
def test_scores_are_those_of_a_fresh_okapi(history: History, query: list[str]) -> None:
    partition, documents = lived(history)
    corpus = [tokens_of(row) for row in rows(documents)]
    expected = BM25Okapi(corpus).get_scores(query) if corpus else np.zeros(0)
    np.testing.assert_allclose(keyword.scores(partition.postings, query), expected, rtol=0, atol=1e-9)
    for token in query:
        assert partition.postings.document_frequency(token) == sum(token in chunk for chunk in corpus)


@given(HISTORY, TOKENS, st.integers(1, 9))
def test_the_same_documents_are_found_the_same_way(history: History, query: list[str], depth: int) -> None:
    """Not nearly: places, order and scores are identical, in both lanes."""
    partition, documents = lived(history)
    fresh = Partition.whole("t", 0, segment(rows(documents)))
    lane, vectors = VectorLane(never), vectors_of([f"{ord(query[0]):016x}"])
    assert list(partition.chunks) == list(fresh.chunks)
    assert [partition.chunks.saying(n) for n in range(fresh.size)] == [row.saying for row in rows(documents)]
    assert keyword.search(partition.postings, query, depth) == keyword.search(fresh.postings, query, depth)
    assert lane.search(partition, vectors, depth, None) == lane.search(fresh, vectors, depth, None)
    mask = np.arange(fresh.size) % 2 == 0
    assert keyword.search(partition.postings, query, depth, mask) == keyword.search(fresh.postings, query, depth, mask)
    assert lane.search(partition, vectors, depth, mask) == lane.search(fresh, vectors, depth, mask)
    places = range(fresh.size)
    np.testing.assert_array_equal(lane.scores_at(partition, vectors, places), lane.scores_at(fresh, vectors, places))
    np.testing.assert_allclose(
        keyword.scores_at(partition.postings, query, places), keyword.scores(fresh.postings, query), rtol=0, atol=1e-12
    )


@given(HISTORY)
def test_an_outline_tells_documents_apart(history: History) -> None:
    partition, _ = lived(history)
    outlines = [partition.chunks.outline(place) for place in range(partition.size)]
    assert [(o.start, o.end) for o in outlines] == [(chunk.start, chunk.end) for chunk in partition.chunks]
    named = {(outline.document, chunk.doc_id) for outline, chunk in zip(outlines, partition.chunks, strict=True)}
    assert len(named) == len({number for number, _ in named}) == len({doc_id for _, doc_id in named})


@given(HISTORY)
def test_a_chunk_is_found_by_its_id_while_it_is_current(history: History) -> None:
    partition, documents = lived(history)
    current = {row.chunk_id: row for row in rows(documents)}
    ever = {
        row.chunk_id for change in history if not isinstance(change, str) for row in rows({change[0]: change[1] or []})
    }
    for chunk_id in ever:
        found, row = partition.by_id(chunk_id), current.get(chunk_id)
        assert (found and (found.doc_id, found.version, found.key)) == (row and (row.doc_id, row.version, row.key))


@given(HISTORY)
def test_a_merge_keeps_nothing_of_what_is_gone(history: History) -> None:
    partition, documents = lived(history)
    merged, fresh = partition.merged().arrays(), segment(rows(documents)).arrays()
    # Codes of interned texts are in the order in which they came; all else is the same to the byte.
    assert fresh.keys() == merged.keys() if documents else merged.keys() <= fresh.keys()
    exact = [name for name in merged if not name.endswith(("codes", "values.data", "values.ends"))]
    for name in exact:
        np.testing.assert_array_equal(merged[name], fresh[name], name)
    for name in [name for name in merged if name.endswith("values.data")]:
        assert len(merged[name]) == len(fresh[name])


def test_places_beyond_the_chunks_are_no_places() -> None:
    partition = Partition.whole("t", 1, segment(rows_of_document("a", [["x"], ["y"]])))
    assert len(partition.chunks[0:9]) == len(partition.chunks) == 2
    for place in (-1, 2):
        with pytest.raises(IndexError):
            partition.chunks[place]


def never(anew: bool) -> NoReturn:
    raise AssertionError("a small partition has no approximate index")
