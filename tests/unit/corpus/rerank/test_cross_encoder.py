"""The cross-encoder where its package is absent, or cannot load the model."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from corpus.rerank.cross_encoder import CrossEncoderReranker
from errors import Unavailable


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Unavailable, match="extra `rerank`"):
        CrossEncoderReranker.load("bge")


def test_a_model_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise OSError(f"no {name} here")

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=refuse))
    with pytest.raises(Unavailable, match="could not be loaded"):
        CrossEncoderReranker.load("bge")


async def test_it_loads_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fake:
        def __init__(self, name: str) -> None:
            self.name = name

        def predict(self, pairs: list[tuple[str, str]]) -> list[float]:
            return [float(len(text)) for _, text in pairs]

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=Fake))
    reranker = CrossEncoderReranker.load("bge")
    assert reranker.name == "cross-encoder:bge"
    assert list(await reranker.rerank("q", ["a", "bb"])) == [1.0, 2.0]
