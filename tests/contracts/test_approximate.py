"""What every approximate index must do; Chroma's does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import errors
from context.retrieval import Vectors
from corpus.lanes.approximate import Approximate
from corpus.lanes.chroma import Chroma
from tests.fakes.approximate import ListedVectors

DIMENSION = 96
SIZE = 4_000


@pytest.fixture(params=["chroma", "listed"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Approximate]:
    index: Approximate = Chroma(tmp_path / "chroma", "store") if request.param == "chroma" else ListedVectors()
    yield index
    index.close()


def unit(rows: NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def hard(size: int) -> Vectors:
    """In tight clusters: a graph that leads to the right one may still miss half of it."""
    random = np.random.default_rng(5)
    centres = unit(random.standard_normal((40, DIMENSION)))
    return unit(centres[random.integers(40, size=size)] + 0.08 * random.standard_normal((size, DIMENSION)))


def loader(vectors: Vectors, keys: Sequence[str]) -> Callable[[Sequence[str]], Vectors]:
    places = {key: place for place, key in enumerate(keys)}
    return lambda wanted: vectors[[places[key] for key in wanted]]


def test_recall_against_exact_search(index: Approximate) -> None:
    vectors = hard(SIZE + 40)
    keys = [f"k{n}" for n in range(SIZE)]
    index.sync("t", 1, set(keys), loader(vectors, keys))
    found = [index.nearest("t", query, 50) for query in vectors[SIZE:]]
    for depth in (10, 50):
        recall = []
        for query, of_query in zip(vectors[SIZE:], found, strict=True):
            exact = {keys[place] for place in np.argsort(-(vectors[:SIZE] @ query))[:depth]}
            # The lane computes the cosines of what is proposed itself and orders by these.
            ranked = sorted(of_query, key=lambda key: -float(vectors[int(key[1:])] @ query))[:depth]
            recall.append(len(exact & set(ranked)) / depth)
        assert np.mean(recall) >= 0.99


def test_a_sync_replaces_what_is_there_and_nothing_is_left_of_the_rest(index: Approximate) -> None:
    vectors, keys = hard(60), [f"k{n}" for n in range(60)]
    load = loader(vectors, keys)
    index.sync("t", 1, set(keys[:40]), load)
    index.sync("t", 2, set(keys[20:]), load)
    assert set(index.nearest("t", vectors[0], 40)) == set(keys[20:])


def test_a_dropped_tenant_leaves_nothing_and_may_come_again(index: Approximate) -> None:
    vectors, keys = hard(60), [f"k{n}" for n in range(60)]
    load = loader(vectors, keys)
    index.drop("t")
    index.sync("t", 1, set(keys), load)
    index.sync("other", 1, set(keys), load)
    index.drop("t")
    index.sync("t", 1, set(keys[:5]), load)
    assert set(index.nearest("t", vectors[0], 40)) == set(keys[:5])
    assert len(index.nearest("other", vectors[0], 40)) == 40


def test_a_sync_with_the_same_stamp_loads_nothing(index: Approximate) -> None:
    vectors, keys = hard(30), [f"k{n}" for n in range(30)]
    index.sync("t", 1, set(keys), loader(vectors, keys))

    def refuse(wanted: Sequence[str]) -> Vectors:
        raise AssertionError(f"{len(wanted)} vectors loaded")

    index.sync("t", 1, set(keys), refuse)
    index.sync("t", 2, set(keys), refuse)


def test_a_sync_that_was_cut_off_is_finished_by_the_next(index: Approximate) -> None:
    vectors, keys = hard(30), [f"k{n}" for n in range(30)]

    def fails(wanted: Sequence[str]) -> Vectors:
        raise errors.Unavailable("Stopping.")

    with pytest.raises(errors.Unavailable):
        index.sync("t", 1, set(keys), fails)
    index.sync("t", 1, set(keys), loader(vectors, keys))
    assert set(index.nearest("t", vectors[0], 30)) == set(keys)


def test_tenants_of_any_name_are_kept_apart(index: Approximate) -> None:
    """Case A31."""
    names = ["产品手册", "產品手冊", "a", "ab", "财务 2024/Q1", "字" * 80, "😀"]
    vectors = hard(len(names))
    for place, name in enumerate(names):
        index.sync(name, 1, {f"k{place}"}, loader(vectors[place : place + 1], [f"k{place}"]))
    for place, name in enumerate(names):
        assert index.nearest(name, vectors[place], 1) == [f"k{place}"]


def test_a_vector_of_another_dimension_is_unavailable(tmp_path: Path) -> None:
    index = Chroma(tmp_path / "chroma", "store")
    vectors, keys = hard(5), [f"k{n}" for n in range(5)]
    index.sync("t", 1, set(keys), loader(vectors, keys))
    with pytest.raises(errors.Unavailable, match="vector index"):
        index.nearest("t", np.ones(3, np.float32), 5)
    index.close()


def test_chroma_keeps_its_collection_and_another_store_has_its_own(tmp_path: Path) -> None:
    vectors, keys = hard(2_500), [f"k{n}" for n in range(2_500)]
    index = Chroma(tmp_path / "chroma", "store")
    index.sync("t", 7, set(keys), loader(vectors, keys))
    index.close()
    index = Chroma(tmp_path / "chroma", "store")
    index.sync("t", 7, set(keys), loader(vectors[:0], []))
    assert index.nearest("t", vectors[3], 1) == ["k3"]
    index.close()
    index = Chroma(tmp_path / "chroma", "other")
    index.sync("t", 7, set(keys[:2]), loader(vectors, keys))
    assert set(index.nearest("t", vectors[3], 2)) == {"k0", "k1"}
    index.close()


@pytest.mark.parametrize("pattern", ["chroma.sqlite3", "*.bin"])
def test_a_damaged_chroma_fails_and_is_made_anew(tmp_path: Path, pattern: str) -> None:
    folder = tmp_path / "chroma"
    vectors, keys = hard(1_500), [f"k{n}" for n in range(1_500)]  # enough for Chroma to have written its graph
    index = Chroma(folder, "store")
    index.sync("t", 1, set(keys), loader(vectors, keys))
    index.close()
    damaged = list(folder.rglob(pattern))
    for file in damaged:
        file.write_bytes(b"garbage" * 100)
    assert damaged
    with pytest.raises(errors.Unavailable):
        Chroma(folder, "store").nearest("t", vectors[0], 5)
    index = Chroma.anew(folder, "store")
    index.sync("t", 1, set(keys), loader(vectors, keys))
    assert index.nearest("t", vectors[9], 1) == ["k9"]
    index.close()
