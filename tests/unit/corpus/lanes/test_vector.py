"""The vector lane is exact where it says so, and an approximate index only proposes."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import errors
from context.retrieval import Vectors
from corpus.lanes.match import Match
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from corpus.segments.segment import Segment
from tests.fakes.approximate import ListedVectors
from tests.fakes.rows import rows_of_document, vectors_of

SIZE = 40


def segment(*numbers: int, prefix: str = "") -> Segment:
    rows = [row for number in numbers for row in rows_of_document(f"{prefix}{number:03}", [[f"x{number}"]])]
    return Segment.of(rows, vectors_of)


def whole(size: int = SIZE) -> Partition:
    return Partition.whole("t", 1, segment(*range(size)))


def exact() -> VectorLane:
    def never(anew: bool) -> ListedVectors:
        raise AssertionError("a small partition has no approximate index")

    return VectorLane(never)


class Opened:
    """Gives one index after another and remembers them."""

    def __init__(self) -> None:
        self.indexes: list[ListedVectors] = []
        self.anew: list[bool] = []
        self.broken = 0

    def __call__(self, anew: bool) -> ListedVectors:
        self.anew.append(anew)
        index = ListedVectors()
        index.broken = len(self.indexes) < self.broken
        self.indexes.append(index)
        return index


def query(partition: Partition, place: int) -> Vectors:
    return vectors_of([partition.chunks[place].key])


def plain(partition: Partition, vector: Vectors, depth: int, mask: list[int] | None = None) -> list[Match]:
    """What the lane should find, computed chunk by chunk."""
    rows = vectors_of([chunk.key for chunk in partition.chunks]).astype(float)
    cosines = np.vecdot(rows, vector[0].astype(float)).tolist()
    places = range(partition.size) if mask is None else mask
    return [Match(n, cosines[n]) for n in sorted(places, key=lambda n: (-cosines[n], n))[:depth]]


def test_the_nearest_come_first_with_plain_cosines() -> None:
    partition = whole()
    queries = np.concatenate([query(partition, 7), query(partition, 9)])
    found = exact().search(partition, queries, 5, None)
    assert found == [plain(partition, queries[:1], 5), plain(partition, queries[1:], 5)]
    assert [matches[0].place for matches in found] == [7, 9]
    assert all(type(match.score) is float and type(match.place) is int for match in found[0])


def test_a_mask_is_exact_and_nothing_else_enters() -> None:
    partition, lane = whole(), exact()
    for allowed in ([], [3], list(range(0, SIZE, 3)), list(range(SIZE))):
        mask = np.isin(np.arange(SIZE), allowed)
        vector = query(partition, 8)
        assert lane.search(partition, vector, 50, mask) == [plain(partition, vector, 50, allowed)]
        assert lane.search(partition, vector, 4, mask) == [plain(partition, vector, 4, allowed)]


def test_what_all_vectors_have_in_common_is_taken_out_of_queries() -> None:
    partition = whole()
    common = np.full(16, 0.05, np.float32)
    moved = query(partition, 7) - common
    moved /= np.linalg.norm(moved)
    found = VectorLane(Opened(), common).search(partition, query(partition, 7), 3, None)[0]
    assert [match.place for match in found] == [match.place for match in plain(partition, moved, 3)]


def test_copies_of_a_text_are_ties_by_id() -> None:
    rows = [row for name in "dbca" for row in rows_of_document(name, [["same"]])]
    partition = Partition.whole("t", 1, Segment.of(rows, vectors_of))
    assert [match.place for match in exact().search(partition, query(partition, 0), 3, None)[0]] == [0, 1, 2]


def test_an_empty_partition_finds_nothing() -> None:
    assert exact().search(Partition.empty("t"), np.zeros((2, 16), np.float32), 5, None) == [[], []]


def test_a_large_partition_is_proposed_for_once_its_index_is_up_to_date() -> None:
    partition, opened = whole(), Opened()
    lane = VectorLane(opened, approximate_from=SIZE)
    vector = query(partition, 7)
    before = lane.search(partition, vector, 5, None)
    assert opened.indexes == []
    assert lane.is_behind(partition)
    lane.settle(partition)
    assert not lane.is_behind(partition)
    assert lane.search(partition, vector, 5, None) == before
    assert opened.indexes[0].asked == 1
    assert lane.search(partition, vector, 5, np.ones(SIZE, np.bool_)) == before
    assert opened.indexes[0].asked == 1
    lane.close()
    assert opened.indexes[0].closed


def test_changes_since_then_count_and_only_new_vectors_are_brought() -> None:
    partition, opened = whole(), Opened()
    lane = VectorLane(opened, approximate_from=SIZE - 1)
    lane.settle(partition)
    changed = partition.changed(2, ["007", "008"], segment(100))
    for place in range(changed.size):
        vector = query(changed, place)
        assert lane.search(changed, vector, 6, None) == [plain(changed, vector, 6)]
    assert opened.indexes[0].asked == changed.size
    merged = Partition.whole("t", 2, changed.merged())
    asked, loaded = opened.indexes[0].asked, len(opened.indexes[0].loaded)
    lane.search(merged, query(merged, 0), 5, None)
    assert opened.indexes[0].asked == asked
    lane.settle(merged)
    assert len(opened.indexes[0].loaded) == loaded + 1
    assert lane.search(merged, query(merged, 38), 5, None) == [plain(merged, query(merged, 38), 5)]


def test_what_is_large_no_longer_leaves_the_index() -> None:
    partition, opened = whole(), Opened()
    lane = VectorLane(opened, approximate_from=SIZE)
    lane.settle(partition)
    smaller = Partition.whole("t", 2, partition.changed(2, ["007"], segment()).merged())
    assert lane.is_behind(smaller)
    lane.settle(smaller)
    assert not lane.is_behind(smaller)
    assert opened.indexes[0].vectors == {}
    vector = query(smaller, 3)
    assert lane.search(smaller, vector, 5, None) == [plain(smaller, vector, 5)]


def test_where_most_that_is_near_was_withdrawn_the_search_is_exact() -> None:
    partition, opened = whole(), Opened()
    lane = VectorLane(opened, approximate_from=SIZE)
    lane.settle(partition)
    vector = query(partition, 7)
    near = [partition.chunks[match.place].doc_id for match in plain(partition, vector, 15)]
    changed = partition.changed(2, near, segment())
    assert lane.search(changed, vector, 5, None) == [plain(changed, vector, 5)]


def test_a_damaged_index_is_built_anew_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    partition, opened = whole(), Opened()
    opened.broken = 1
    lane = VectorLane(opened, approximate_from=SIZE)
    lane.settle(partition)
    assert opened.anew == [False, True]
    assert [index.closed for index in opened.indexes] == [True, False]
    assert not lane.is_behind(partition)


def test_one_that_stays_broken_is_given_up_and_searches_are_exact(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    partition, opened = whole(), Opened()
    opened.broken = 2
    lane = VectorLane(opened, approximate_from=SIZE)
    with pytest.raises(errors.Unavailable):
        lane.settle(partition)
    assert not lane.is_behind(partition)
    assert lane.search(partition, query(partition, 7), 5, None) == [plain(partition, query(partition, 7), 5)]


def test_one_that_breaks_while_it_is_asked_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    partition, opened = whole(), Opened()
    lane = VectorLane(opened, approximate_from=SIZE)
    lane.settle(partition)
    opened.indexes[0].broken = True
    assert lane.search(partition, query(partition, 7), 5, None) == [plain(partition, query(partition, 7), 5)]
    assert lane.is_behind(partition)


def test_a_stop_ends_bringing_up_to_date() -> None:
    opened = Opened()
    lane = VectorLane(opened, approximate_from=SIZE)
    lane.stop()
    with pytest.raises(errors.Unavailable, match="stopping"):
        lane.settle(whole())
    assert opened.anew == [False]
