"""Fusion orders by rank alone, keeps provenance, and repeats nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents import chunk_id
from corpus.lanes.fusion import RankedList, fuse
from corpus.lanes.match import Match
from corpus.store.records import IndexedChunk
from state import RRF_K, Lane


def chunk(text: str, doc_id: str = "d", start: int = 0, metadata: dict[str, Any] | None = None) -> IndexedChunk:
    return IndexedChunk(
        chunk_id=chunk_id(doc_id, text),
        doc_id=doc_id,
        version="v",
        title="t",
        metadata=metadata or {},
        groups=frozenset(),
        start=start,
        end=start + len(text),
        key=text,
    )


def ranked(places: list[int], query: str = "q", lane: Lane = "keyword", weight: float = 1.0) -> RankedList:
    return RankedList(query, lane, weight, [Match(place, float(-n)) for n, place in enumerate(places)])


FIVE = [chunk(str(n), doc_id=f"d{n}") for n in range(5)]


def order(*lists: RankedList, top_k: int = 10) -> list[str]:
    return [doc["doc_id"] for doc in fuse(lists, FIVE, top_k)]


def test_scores_are_weighted_sums_of_reciprocal_ranks() -> None:
    docs = fuse([ranked([0, 1]), ranked([1], lane="vector", weight=0.5)], FIVE, 10)
    assert [doc["score"] for doc in docs] == pytest.approx([1 / (RRF_K + 2) + 0.5 / (RRF_K + 1), 1 / (RRF_K + 1)])
    assert [(doc["doc_id"], doc["rank"]) for doc in docs] == [("d1", 1), ("d0", 2)]
    assert docs[0]["lanes"] == [
        {"query": "q", "lane": "keyword", "rank": 2, "score": -1.0},
        {"query": "q", "lane": "vector", "rank": 1, "score": 0.0},
    ]


def test_a_fused_score_is_not_a_relevance() -> None:
    """Case A40: the only chunk there is, first in both lanes, is far from 1.0."""
    docs = fuse([ranked([0]), ranked([0], lane="vector")], FIVE, 10)
    assert docs[0]["score"] == pytest.approx(2 / (RRF_K + 1))


def test_a_lane_of_weight_zero_adds_nothing() -> None:
    assert order(ranked([0]), ranked([1, 2], lane="vector", weight=0.0)) == ["d0"]


def test_nothing_in_is_nothing_out() -> None:
    assert fuse([], [], 5) == []
    assert fuse([ranked([])], FIVE, 5) == []


@given(st.lists(st.permutations(range(5)), min_size=1, max_size=4), st.integers(1, 6))
def test_order_is_stable_and_a_cut_is_a_beginning(lists: list[list[int]], top_k: int) -> None:
    several = [ranked(places, query=str(n)) for n, places in enumerate(lists)]
    whole = order(*several)
    assert sorted(whole) == [f"d{n}" for n in range(5)]
    assert order(*several, top_k=top_k) == whole[:top_k]
    assert order(*reversed(several)) == whole


def test_chunks_that_mostly_overlap_are_dropped_and_neighbours_are_kept() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(1000))
    chunks = [chunk(text[:500]), chunk(text[450:950], start=450), chunk(text[420:500], start=420)]
    kept = [doc["chunk_id"] for doc in fuse([ranked([0, 2, 1])], chunks, 10)]
    assert kept == [chunks[0].chunk_id, chunks[1].chunk_id]


def test_the_same_text_elsewhere_is_a_repeat_unless_its_metadata_differs() -> None:
    chunks = [
        chunk("同文", doc_id="a", metadata={"year": 2023}),
        chunk("同文", doc_id="b", metadata={"year": 2023}),
        chunk("同文", doc_id="c", metadata={"year": 2024}),
    ]
    assert [doc["doc_id"] for doc in fuse([ranked([0, 1, 2])], chunks, 10)] == ["a", "c"]
