"""Fusion orders, keeps provenance, and repeats nothing, by whatever method."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.lanes.fusion import METHODS, fuse, ordered
from corpus.lanes.match import Match, RankedList
from state import RRF_K, Doc, Fusion, Lane
from tests.fakes.partition import Chunks, Piece

FIVE = [Piece(str(n), doc_id=f"d{n}") for n in range(5)]
every = pytest.mark.parametrize("method", METHODS)


def ranked(
    places: list[int],
    query: str = "q",
    lane: Lane = "keyword",
    weight: float = 1.0,
    elsewhere: dict[int, float] | None = None,
) -> RankedList:
    """Scores 10, 9, 8 and so on."""
    return RankedList(query, lane, weight, [Match(place, 10.0 - n) for n, place in enumerate(places)], elsewhere or {})


def fused(*lists: RankedList, top_k: int = 10, method: Fusion = "rrf", pieces: list[Piece] = FIVE) -> list[Doc]:
    return fuse(lists, Chunks(pieces), top_k, method)


def ranking(lists: Sequence[RankedList], method: Fusion) -> list[tuple[int, float]]:
    return ordered(lists, METHODS[method])


def order(*lists: RankedList, method: Fusion = "rrf") -> list[int]:
    return [place for place, _ in ranking(lists, method)]


def test_reciprocal_scores_are_weighted_sums_of_reciprocal_ranks() -> None:
    docs = fused(ranked([0, 1]), ranked([1], lane="vector", weight=0.5))
    assert [doc["score"] for doc in docs] == pytest.approx([1 / (RRF_K + 2) + 0.5 / (RRF_K + 1), 1 / (RRF_K + 1)])
    assert [(doc["doc_id"], doc["rank"]) for doc in docs] == [("d1", 1), ("d0", 2)]


@every
def test_every_place_that_a_hit_was_found_at_is_told(method: Fusion) -> None:
    docs = fused(ranked([0, 1]), ranked([1], lane="vector"), method=method)
    assert {doc["doc_id"]: doc["lanes"] for doc in docs}["d1"] == [
        {"query": "q", "lane": "keyword", "rank": 2, "score": 9.0},
        {"query": "q", "lane": "vector", "rank": 1, "score": 10.0},
    ]


def test_scaled_scores_are_weighted_sums_over_every_lane_wherever_a_chunk_was_found() -> None:
    docs = fused(
        ranked([0, 1], elsewhere={2: 5.0}),
        ranked([2, 1], lane="vector", weight=3.0, elsewhere={0: 8.0}),
        method="scaled",
    )
    # Keyword scores over the best, 10; cosines between the worst, 8, and the best, 10.
    expected = {"d0": 0.25 * 1.0 + 0.75 * 0.0, "d1": 0.25 * 0.9 + 0.75 * 0.5, "d2": 0.25 * 0.5 + 0.75 * 1.0}
    assert {doc["doc_id"]: 61 * doc["score"] for doc in docs} == pytest.approx(expected)


def test_a_blend_is_the_mean_of_both() -> None:
    lists = ranked([0, 1], elsewhere={2: 5.0}), ranked([2, 1], lane="vector", weight=3.0, elsewhere={0: 8.0})
    scaled, ranks = dict(ranking(lists, "scaled")), dict(ranking(lists, "rrf"))
    assert dict(ranking(lists, "blend")) == pytest.approx({n: (scaled[n] + ranks[n] / 4) / 2 for n in range(3)})


def test_a_better_score_elsewhere_counts_although_the_list_ended_before_it() -> None:
    known = ranked([0, 1], lane="vector", elsewhere={2: 7.0})
    assert order(ranked([2]), known, method="scaled")[-1] == 1
    assert order(ranked([2]), ranked([0, 1], lane="vector"), method="scaled")[-1] == 1


@every
def test_a_lane_of_weight_zero_adds_nothing(method: Fusion) -> None:
    assert order(ranked([0]), ranked([1, 2], lane="vector", weight=0.0), method=method) == [0]


@every
def test_a_lane_that_found_nothing_changes_nothing(method: Fusion) -> None:
    """Neither a failed lane nor a query of unknown words moves what the other found."""
    alone = ranking([ranked([3, 1, 2], lane="vector")], method)
    assert ranking([ranked([]), ranked([3, 1, 2], lane="vector")], method) == alone
    assert [place for place, _ in alone] == [3, 1, 2]


@every
def test_nothing_in_is_nothing_out(method: Fusion) -> None:
    assert fused(method=method) == []
    assert fused(ranked([]), method=method) == []


@every
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=5), st.sampled_from(["keyword", "vector"]))
def test_one_list_alone_keeps_its_order(method: Fusion, scores: list[float], lane: Lane) -> None:
    """Also where Okapi's scores are negative, or do not follow the lane's order, as in tiny corpora."""
    alone = RankedList("q", lane, 1.0, [Match(4 - n, score) for n, score in enumerate(scores)])
    assert order(alone, method=method) == [match.place for match in alone.matches]


LISTS = st.lists(
    st.tuples(
        st.permutations(range(5)),
        st.integers(0, 5),
        st.sampled_from(["keyword", "vector"]),
        st.sampled_from([1.0, 4.0]),
    ),
    min_size=1,
    max_size=4,
)


@every
@given(LISTS, st.integers(1, 6))
def test_the_order_of_the_lists_does_not_matter_and_a_cut_is_a_beginning(
    method: Fusion, lists: list[tuple[list[int], int, Lane, float]], top_k: int
) -> None:
    several = [
        ranked(places[:cut], query=str(n), lane=lane, weight=weight)
        for n, (places, cut, lane, weight) in enumerate(lists)
    ]
    whole = ranking(several, method)
    assert {place for place, _ in whole} == {match.place for one in several for match in one.matches}
    assert ranking(several[::-1], method) == whole
    docs = fused(*several, top_k=top_k, method=method)
    assert [doc["doc_id"] for doc in docs] == [f"d{place}" for place, _ in whole[:top_k]]


@every
@given(LISTS)
def test_asking_everything_twice_changes_no_order(
    method: Fusion, lists: list[tuple[list[int], int, Lane, float]]
) -> None:
    several = [ranked(places[:cut], lane=lane, weight=weight) for places, cut, lane, weight in lists]
    assert order(*several, *several, method=method) == order(*several, method=method)


@pytest.mark.parametrize("method", ["scaled", "blend"])
@given(LISTS)
def test_no_fused_score_looks_like_a_relevance(method: Fusion, lists: list[tuple[list[int], int, Lane, float]]) -> None:
    """Case A40: however it is scaled, the best of a search is not 1."""
    several = [ranked(places[:cut], lane=lane, weight=weight) for places, cut, lane, weight in lists]
    assert all(0 <= score <= 1 / 61 + 1e-9 for _, score in ranking(several, method))


def test_what_repeats_a_better_hit_is_left_out_and_named_there() -> None:
    pieces = [Piece("同文。", doc_id="a"), Piece("同文。", doc_id="b"), Piece("异文。", doc_id="c")]
    docs = fused(ranked([1, 0, 2]), pieces=pieces, top_k=2)
    assert [(doc["doc_id"], doc.get("also_in")) for doc in docs] == [("b", ["a"]), ("c", [])]
