"""llama-index's `QueryFusionRetriever` over `BM25Retriever` (bm25s) and a vector index in Chroma."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import bm25s
import chromadb
from chromadb.config import Settings
from llama_index.core import MockEmbedding, QueryBundle, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.utils import node_to_metadata_dict
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.chroma import ChromaVectorStore

from evals.bench.contender import DEPTH, Contender, Found, K, Loaded, batches
from evals.bench.material import TENTHS
from evals.bench.vectors import DIMENSION

NAME: Final = f"llama-index-core {version('llama-index-core')}"
NOTE: Final = (
    "BM25Retriever (bm25s) takes no tokeniser: pieces and questions are cut by the same jieba and joined by spaces; "
    "it drops English stop words from questions; it filters in both lanes"
)
_BATCH: Final = 5_000
_WORDS = r"(?u)\S+"


class _LlamaIndex:
    name = NAME
    note = NOTE

    def __init__(self, loaded: Loaded, words: bm25s.BM25, index: VectorStoreIndex) -> None:
        self._loaded = loaded
        self._all = _fused(words, index, None)
        self._tenths = [
            _fused(words, index, MetadataFilters(filters=[MetadataFilter(key="tenth", value=tenth)]))
            for tenth in range(TENTHS)
        ]

    def search(self, question: str, tenth: int | None) -> list[Found]:
        retriever = self._all if tenth is None else self._tenths[tenth]
        vector = self._loaded.question_vectors[question].tolist()
        cut = " ".join(self._loaded.tokenise(question))
        found = retriever.retrieve(QueryBundle(cut, embedding=vector))
        return [(scored.node.node_id, scored.node.get_content()) for scored in found[:K]]


def _fused(words: bm25s.BM25, index: VectorStoreIndex, filters: MetadataFilters | None) -> QueryFusionRetriever:
    return QueryFusionRetriever(
        [
            BM25Retriever(
                existing_bm25=words,
                similarity_top_k=DEPTH,
                skip_stemming=True,
                token_pattern=_WORDS,
                filters=filters,
            ),
            index.as_retriever(similarity_top_k=DEPTH, filters=filters),
        ],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        similarity_top_k=K,
        num_queries=1,
        use_async=False,
    )


def build(loaded: Loaded, folder: Path) -> Contender:
    """Index the pieces in memory and in a Chroma folder."""
    nodes = [_node(piece.id, piece.indexed, piece.tenth) for piece in loaded.pieces]
    words = bm25s.BM25()
    cut = [" ".join(loaded.tokenise(piece.indexed)) for piece in loaded.pieces]
    words.index(bm25s.tokenize(cut, stopwords=None, token_pattern=_WORDS, show_progress=False), show_progress=False)
    words.corpus = [node_to_metadata_dict(node) | {"node_id": node.node_id} for node in nodes]
    store = _store(loaded, nodes, folder)
    return _LlamaIndex(loaded, words, VectorStoreIndex.from_vector_store(store, MockEmbedding(embed_dim=DIMENSION)))


def _node(name: str, text: str, tenth: int) -> Any:
    return TextNode(id_=name, text=text, metadata={"tenth": tenth})


def _store(loaded: Loaded, nodes: list[Any], folder: Path) -> ChromaVectorStore:
    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "pieces", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
    )
    store = ChromaVectorStore(chroma_collection=collection)
    for batch in batches(len(nodes), _BATCH):
        embedded = [
            node.model_copy(update={"embedding": vector.tolist()})
            for node, vector in zip(nodes[batch], loaded.vectors[batch], strict=True)
        ]
        store.add(embedded)
    return store
