"""Collections of vectors in `chromadb`: one a tenant and embedder, derived from the store and never the truth."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

# Read when onnxruntime is first imported, which chromadb may do.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import chromadb
from chromadb.api.client import Client
from chromadb.config import Settings

import errors
from context import Vectors
from corpus.documents import digest

_SEARCH_WIDTH: Final = 400
"""HNSW's ef_search: with Chroma's default of 100 a list of 50 misses true neighbours that are wanted."""


class Chroma:
    """Keys and vectors. Every failure of the package becomes `errors.Unavailable`."""

    def __init__(self, folder: Path, embedder: str) -> None:
        self._embedder = embedder
        with _translated():
            client = chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))
            self._client = cast(Client, client)
            self._batch = self._client.get_max_batch_size()

    @classmethod
    def anew(cls, folder: Path, embedder: str) -> Chroma:
        """Drop whatever is in the folder and start empty."""
        Client.clear_system_cache()  # a client that failed to start stays in it, and would be given again
        shutil.rmtree(folder, ignore_errors=True)
        return cls(folder, embedder)

    def sync(self, tenant: str, generation: int, keys: set[str], load: Callable[[Sequence[str]], Vectors]) -> None:
        """Make the collection hold exactly these keys; `load` gives the vectors of those that it lacks."""
        with _translated():
            collection = self._collection(tenant)
            if (collection.metadata or {}).get("generation") == generation:
                return
            present = set(collection.get(include=[])["ids"])
            for batch in _batches(sorted(keys - present), self._batch):
                collection.upsert(ids=batch, embeddings=load(batch))
            for batch in _batches(sorted(present - keys), self._batch):
                collection.delete(ids=batch)
            collection.modify(metadata={"generation": generation})

    def nearest(self, tenant: str, queries: Vectors, depth: int) -> list[list[tuple[str, float]]]:
        """Per query the nearest keys with their cosines, best first."""
        with _translated():
            found = self._collection(tenant).query(query_embeddings=queries, n_results=depth, include=["distances"])
        distances = found["distances"] or []
        return [
            [(key, 1.0 - float(distance)) for key, distance in zip(ids, of_query, strict=True)]
            for ids, of_query in zip(found["ids"], distances, strict=True)
        ]

    def close(self) -> None:
        self._client.close()

    def _collection(self, tenant: str) -> chromadb.Collection:
        # Chroma allows few characters in a name: a hash keeps names of any script apart.
        return self._client.get_or_create_collection(
            digest(f"{tenant}\n{self._embedder}")[:48],
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
        )


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except errors.GapseekError:
        raise
    except Exception as error:  # Chroma's engine raises many kinds, some of them bare.
        raise errors.Unavailable("The vector index failed.") from error


def _batches(keys: Sequence[str], size: int) -> Iterator[list[str]]:
    return (list(keys[start : start + size]) for start in range(0, len(keys), size))
