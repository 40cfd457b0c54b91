from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from evals.bench.bare import Bare
from evals.bench.contender import Found, Loaded
from evals.bench.exact import Exact
from evals.bench.gapseek import ASKER, Gapseek
from evals.bench.hybrid import compare, keyword, vector_recall
from evals.bench.material import Material, from_sample
from evals.bench.vectors import Prepared, stand_in
from text.tokens import tokens

MATERIAL = from_sample(220, seed=3)


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return made(MATERIAL)


@pytest.fixture(scope="module")
def ours(loaded: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gapseek]:
    texts = [piece.text for piece in loaded.pieces]
    rows = np.stack(list(loaded.question_vectors.values()))
    embedder = Prepared.of("bench", texts, list(loaded.question_vectors), (loaded.vectors, rows))
    with Gapseek(tmp_path_factory.mktemp("index"), embedder) as opened:
        opened.add(MATERIAL.pieces)
        yield opened


@pytest.fixture(scope="module")
def exact(loaded: Loaded) -> Exact:
    return Exact(loaded)


def made(material: Material) -> Loaded:
    texts = [piece.indexed for piece in material.pieces]
    vectors = dict(zip(material.questions, stand_in(material.questions), strict=True))
    return Loaded(material.pieces, stand_in(texts), vectors, {text: tokens(text) for text in texts})


class Backwards:
    """Gives the exact answer in the wrong order."""

    name = "backwards"
    note = "a fake"

    def __init__(self, exact: Exact) -> None:
        self._exact = exact

    def search(self, question: str, tenth: int | None) -> list[Found]:
        return [(name, "") for name in reversed(self._exact.search(question, tenth))]


def test_gapseek_finds_what_comparing_everything_finds(ours: Gapseek, exact: Exact) -> None:
    rows = compare([ours, Backwards(exact)], exact, iter(MATERIAL.questions), rounds=8, most_seconds=60)
    assert [(row["contender"], row["filter"], row["n"]) for row in rows] == [
        ("gapseek", False, 8),
        ("backwards", False, 8),
        ("gapseek", True, 8),
        ("backwards", True, 8),
    ]
    assert all(row["overlap_10"] == 1.0 for row in rows if row["contender"] == "backwards")
    assert all(row["same_first"] == 0.0 for row in rows if row["contender"] == "backwards")
    # The product leaves out what repeats a better hit, and drawn sentences repeat much.
    assert all(row["overlap_10"] > 0.7 and row["ratio"] == 1.0 for row in rows if row["contender"] == "gapseek")


def test_the_bare_prototype_finds_nearly_the_same(loaded: Loaded, exact: Exact) -> None:
    pieces = {piece.id: piece for piece in loaded.pieces}
    bare = Bare(loaded, exact.okapi)
    rows = compare([bare], exact, iter(MATERIAL.questions), rounds=8, most_seconds=60)
    assert all(row["overlap_10"] > 0.9 for row in rows)
    assert {pieces[name].tenth for name, _ in bare.search(MATERIAL.questions[0], 3)} == {3}


def test_a_filter_and_access_hold(ours: Gapseek) -> None:
    pieces = {piece.id: piece for piece in MATERIAL.pieces}
    question = MATERIAL.questions[0]
    assert {pieces[name].tenth for name, _ in ours.search(question, 3)} == {3}
    hidden = next(piece for piece in MATERIAL.pieces if piece.hidden)
    seen = ours.search(MATERIAL.questions[1], None, ASKER)
    assert hidden.id not in {name for name, _ in seen}
    assert all(pieces[name].text == text for name, text in seen)


def test_the_keyword_lane_has_the_scores_of_rank_bm25(ours: Gapseek, exact: Exact) -> None:
    rows = keyword(ours, exact, iter(MATERIAL.questions), rounds=5, most_seconds=60)
    assert [(row["contender"], row["n"]) for row in rows] == [("gapseek", 5), ("rank_bm25", 5)]


def test_a_score_that_differs_is_no_result(ours: Gapseek, loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Exact(loaded)
    monkeypatch.setattr(wrong.okapi, "k1", 1.4)
    with pytest.raises(AssertionError, match="differs from rank_bm25"):
        keyword(ours, wrong, iter(MATERIAL.questions), rounds=5, most_seconds=60)


def test_small_indexes_find_every_neighbour(ours: Gapseek, exact: Exact) -> None:
    assert vector_recall(ours, exact, MATERIAL.questions[:5]) > 0.9
