"""LangChain's `EnsembleRetriever` over `BM25Retriever` and `Chroma`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from langchain_chroma import Chroma
from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import RunnableLambda

from context.retrieval import Vectors
from evals.bench.contender import DEPTH, Contender, Found, K, Loaded, batches
from evals.bench.material import TENTHS

NAME: Final = f"langchain-classic {version('langchain-classic')}"
NOTE: Final = (
    "BM25Retriever cuts with the same jieba tokens and knows no filter: "
    "ten times as many hits are asked for, then filtered"
)
_BATCH: Final = 5_000


class _Prepared(Embeddings):
    """Looks vectors up, so that nobody's search embeds anything."""

    def __init__(self, loaded: Loaded) -> None:
        self._questions: Mapping[str, Vectors] = loaded.question_vectors
        self._passages = dict(zip((piece.indexed for piece in loaded.pieces), loaded.vectors, strict=True))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._passages[text].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = self._questions[text].tolist()
        return found


class _LangChain:
    name = NAME
    note = NOTE

    def __init__(self, words: BM25Retriever, store: Chroma) -> None:
        self._all = EnsembleRetriever(
            retrievers=[words, store.as_retriever(search_kwargs={"k": DEPTH})], weights=[0.5, 0.5]
        )
        deep = words.model_copy(update={"k": DEPTH * TENTHS})
        self._tenths = [
            EnsembleRetriever(
                retrievers=[
                    deep | _only(tenth),
                    store.as_retriever(search_kwargs={"k": DEPTH, "filter": {"tenth": tenth}}),
                ],
                weights=[0.5, 0.5],
            )
            for tenth in range(TENTHS)
        ]

    def search(self, question: str, tenth: int | None) -> list[Found]:
        retriever = self._all if tenth is None else self._tenths[tenth]
        return [(document.metadata["id"], document.page_content) for document in retriever.invoke(question)[:K]]


def _only(tenth: int) -> RunnableLambda[list[Document], list[Document]]:
    """A post-filter on metadata, as one writes it behind a retriever that has none."""

    def keep(documents: list[Document]) -> list[Document]:
        return [document for document in documents if document.metadata["tenth"] == tenth][:DEPTH]

    return RunnableLambda(keep)


def build(loaded: Loaded, folder: Path) -> Contender:
    """Index the pieces in memory and in a Chroma folder."""
    texts = [piece.indexed for piece in loaded.pieces]
    metadata = [{"id": piece.id, "tenth": piece.tenth} for piece in loaded.pieces]
    store = Chroma("pieces", _Prepared(loaded), str(folder), collection_configuration={"hnsw": {"space": "cosine"}})
    for batch in batches(len(texts), _BATCH):
        store.add_texts(texts[batch], metadata[batch], [entry["id"] for entry in metadata[batch]])
    words = BM25Retriever.from_texts(texts, metadata, preprocess_func=loaded.tokenise, k=DEPTH)
    return _LangChain(words, store)
