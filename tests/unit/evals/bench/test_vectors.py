from __future__ import annotations

from pathlib import Path

import numpy as np

from evals.bench.vectors import DIMENSION, Prepared, VectorFile, chosen, embed, key_of, real, stand_in
from tests.fakes.embedder import HashEmbedder

TEXTS = ["电梯维修", "年假五天", "lift repair"]


async def test_a_text_is_embedded_once_and_a_later_run_knows_it(tmp_path: Path) -> None:
    embedder = HashEmbedder(dimension=DIMENSION)
    told: list[int] = []
    await embed(VectorFile(tmp_path, "hash"), embedder, TEXTS[:2], "passage", told.append)
    await embed(VectorFile(tmp_path, "hash"), embedder, TEXTS, "passage", told.append)
    assert embedder.embedded == TEXTS
    assert told == [0, 2, 2, 1]
    found = real(VectorFile(tmp_path, "hash"), None, TEXTS, "passage")
    assert found is not None
    np.testing.assert_array_equal(found, await HashEmbedder(dimension=DIMENSION).passages(TEXTS))


async def test_queries_and_other_embedders_are_kept_apart(tmp_path: Path) -> None:
    kept = VectorFile(tmp_path, "hash")
    await embed(kept, HashEmbedder(dimension=DIMENSION), TEXTS, "passage", lambda count: None)
    assert real(kept, None, TEXTS, "query") is None
    assert real(VectorFile(tmp_path, "another"), None, TEXTS, "passage") is None


async def test_real_vectors_are_taken_only_when_every_one_is_kept(tmp_path: Path) -> None:
    kept, embedder = VectorFile(tmp_path, "hash"), HashEmbedder(dimension=DIMENSION)
    await embed(kept, embedder, TEXTS, "passage", lambda count: None)
    assert "stand-in" in chosen(TEXTS, ["问？"], kept, embedder).kind
    await embed(kept, embedder, ["问？"], "query", lambda count: None)
    found = chosen(TEXTS, ["问？"], kept, embedder)
    assert (found.kind, found.passages.shape, found.questions.shape) == ("hash", (3, DIMENSION), (1, DIMENSION))
    assert "stand-in" in chosen([*TEXTS, "新"], ["问？"], kept, embedder).kind


def test_rows_that_a_run_left_without_keys_are_written_over(tmp_path: Path) -> None:
    ones = np.ones((1, DIMENSION), np.float32)
    VectorFile(tmp_path, "m").put([key_of("a", "passage")], ones)
    with next(tmp_path.glob("*.f32")).open("ab") as file:
        file.write(b"\x07" * 100)
    VectorFile(tmp_path, "m").put([key_of("b", "passage")], 2 * ones)
    found = VectorFile(tmp_path, "m").get([key_of("b", "passage"), key_of("a", "passage")])
    np.testing.assert_array_equal(found, np.concatenate([2 * ones, ones]))


def test_the_stand_in_is_the_same_each_time_and_near_where_words_are_shared() -> None:
    rows = stand_in(["电梯维修费用", "电梯维修记录", "年假五天", "？"])
    np.testing.assert_array_equal(rows, stand_in(["电梯维修费用", "电梯维修记录", "年假五天", "？"]))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


async def test_a_passage_is_looked_up_by_its_last_line() -> None:
    rows = np.eye(2, DIMENSION, dtype=np.float32)
    prepared = Prepared("bench", {"一": 0, "二": 1}, {"问": 0}, (rows, rows[:1]))
    np.testing.assert_array_equal(await prepared.passages(["标题\n二", "一"]), rows[[1, 0]])
    np.testing.assert_array_equal(await prepared.queries(["问"]), rows[:1])
