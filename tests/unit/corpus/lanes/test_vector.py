"""The vector lane finds the nearest, exactly under a mask, and follows the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import errors
from context import Vectors
from corpus.lanes.postings import Vocabulary
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from corpus.store.database import Database
from corpus.store.vectors import VectorTable
from tests.fakes.embedder import HashEmbedder
from tests.fakes.partition import Piece

TEXTS = [f"电梯 {n} 号" for n in range(40)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[VectorTable]:
    database = Database.open(tmp_path / "documents.sqlite3")
    yield VectorTable(database, HashEmbedder())
    database.close()


@pytest.fixture
def lane(tmp_path: Path, table: VectorTable) -> Iterator[VectorLane]:
    lane = VectorLane(tmp_path / "vectors", "hash", table)
    yield lane
    lane.close()


async def stored(table: VectorTable, texts: list[str], generation: int = 1, tenant: str = "t") -> Partition:
    vectors = await HashEmbedder().passages(texts)
    table.put(dict(zip(texts, vectors, strict=True)))
    return Partition.build(tenant, generation, Vocabulary(), [Piece(text, doc_id=text).chunk() for text in texts])


async def queries(*texts: str) -> Vectors:
    return await HashEmbedder().queries(texts)


async def test_the_nearest_come_first_with_cosines(table: VectorTable, lane: VectorLane) -> None:
    partition = await stored(table, TEXTS)
    found = lane.search(partition, await queries(TEXTS[7], TEXTS[9]), 5, None)
    assert [partition.chunks[matches[0].place].key for matches in found] == [TEXTS[7], TEXTS[9]]
    assert found[0][0].score == pytest.approx(1, abs=1e-5)
    assert [len(matches) for matches in found] == [5, 5]
    assert all(type(match.score) is float and type(match.place) is int for match in found[0])


async def test_a_mask_is_exact_and_nothing_else_enters(table: VectorTable, lane: VectorLane) -> None:
    partition = await stored(table, TEXTS)
    mask = np.arange(len(TEXTS)) % 3 == 0
    query = await queries("电梯 7 号")
    everything = lane.search(partition, query, len(TEXTS), np.ones(len(TEXTS), np.bool_))[0]
    assert lane.search(partition, query, 50, mask)[0] == [match for match in everything if mask[match.place]]
    assert lane.search(partition, query, 5, np.zeros(len(TEXTS), np.bool_)) == [[]]


async def test_masked_and_unmasked_agree(table: VectorTable, lane: VectorLane) -> None:
    partition = await stored(table, TEXTS)
    query = await queries("电梯 7 号")
    one = lane.search(partition, query, 10, None)[0]
    other = lane.search(partition, query, 10, np.ones(len(TEXTS), np.bool_))[0]
    assert [match.score for match in one] == pytest.approx([match.score for match in other], abs=1e-5)


async def test_the_collection_follows_the_generation(table: VectorTable, lane: VectorLane) -> None:
    lane.sync(await stored(table, TEXTS, generation=1))
    smaller = await stored(table, TEXTS[:3], generation=2)
    found = lane.search(smaller, await queries(TEXTS[20]), 10, None)[0]
    assert sorted(match.place for match in found) == [0, 1, 2]


async def test_tenants_of_any_name_have_their_own_collection(table: VectorTable, lane: VectorLane) -> None:
    names = ["产品手册", "a", "财务 2024/Q1", "字" * 80, "😀", "產品手冊"]
    for name in names:
        lane.sync(await stored(table, [f"只属于{name}"], tenant=name))
    for name in names:
        partition = await stored(table, [f"只属于{name}"], tenant=name)
        assert len(lane.search(partition, await queries("只属于"), 10, None)[0]) == 1


async def test_an_empty_partition_finds_nothing(lane: VectorLane) -> None:
    assert lane.search(Partition.empty("t"), await queries("a", "b"), 5, None) == [[], []]


async def test_a_failure_that_a_rebuild_does_not_cure_is_unavailable(table: VectorTable, lane: VectorLane) -> None:
    partition = await stored(table, TEXTS)
    for _ in range(2):
        with pytest.raises(errors.Unavailable, match="vector index"):
            lane.search(partition, np.ones((1, 3), np.float32), 5, None)
    assert len(lane.search(partition, await queries(TEXTS[0]), 5, None)[0]) == 5


@pytest.mark.parametrize("pattern", ["chroma.sqlite3", "*.bin"])
async def test_a_damaged_collection_is_built_anew(tmp_path: Path, table: VectorTable, pattern: str) -> None:
    texts = [f"电梯 {n} 号" for n in range(1100)]  # enough for Chroma to have written its graph
    partition = await stored(table, texts)
    lane = VectorLane(tmp_path / "vectors", "hash", table)
    lane.sync(partition)
    lane.close()
    damaged = list((tmp_path / "vectors").rglob(pattern))
    for file in damaged:
        file.write_bytes(b"garbage" * 100)
    lane = VectorLane(tmp_path / "vectors", "hash", table)
    found = lane.search(partition, await queries(texts[7]), 5, None)[0]
    assert damaged
    assert partition.chunks[found[0].place].key == texts[7]
    lane.close()
