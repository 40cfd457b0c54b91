"""haystack's hybrid pipeline: BM25 and vectors of one document store in memory, joined by `DocumentJoiner`."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from evals.bench.contender import DEPTH, Contender, Found, K, Loaded

NAME: Final = f"haystack-ai {version('haystack-ai')}"
NOTE: Final = "its BM25 cuts by a regular expression, Chinese by characters; it filters in both lanes"


class _Haystack:
    name = NAME
    note = NOTE

    def __init__(self, loaded: Loaded, pipeline: Pipeline) -> None:
        self._loaded = loaded
        self._pipeline = pipeline

    def search(self, question: str, tenth: int | None) -> list[Found]:
        wanted = None if tenth is None else {"field": "meta.tenth", "operator": "==", "value": tenth}
        vector = self._loaded.question_vectors[question].tolist()
        asked: dict[str, Any] = {
            "words": {"query": question, "filters": wanted},
            "vectors": {"query_embedding": vector, "filters": wanted},
        }
        return [(found.id, found.content) for found in self._pipeline.run(asked)["joiner"]["documents"]]


def build(loaded: Loaded, folder: Path) -> Contender:
    """Index the pieces in memory. Its Chroma store writes one document a transaction: hours for 100,000."""
    store = InMemoryDocumentStore(shared=False)
    store.write_documents(
        [
            Document(id=piece.id, content=piece.indexed, meta={"tenth": piece.tenth}, embedding=vector.tolist())
            for piece, vector in zip(loaded.pieces, loaded.vectors, strict=True)
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=DEPTH))
    pipeline.add_component("vectors", InMemoryEmbeddingRetriever(store, top_k=DEPTH))
    pipeline.add_component("joiner", DocumentJoiner("reciprocal_rank_fusion", top_k=K))
    pipeline.connect("words", "joiner")
    pipeline.connect("vectors", "joiner")
    return _Haystack(loaded, pipeline)
