"""The approximate index in `chromadb`: one collection a tenant, derived from the store and never the truth."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, cast

# Read when onnxruntime is first imported, which chromadb may do.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import chromadb
import numpy as np
from chromadb.api.client import Client
from chromadb.config import Settings
from chromadb.errors import NotFoundError

import errors
from context.retrieval import Vectors
from corpus.documents import digest

_SEARCH_WIDTH: Final = 800
"""HNSW's ef_search: with Chroma's default of 100 a list of 50 misses true neighbours that are wanted."""


class Chroma:
    """Implements `Approximate`. `store` names what the vectors come from: another one has other collections.

    Every failure of the package becomes `errors.Unavailable`. Two processes on one folder lose writes: the owner's
    lock of the data folder keeps them apart.
    """

    def __init__(self, folder: Path, store: str) -> None:
        self._store = store
        with _translated():
            client = chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))
            self._client = cast(Client, client)
            self._batch = self._client.get_max_batch_size()

    @classmethod
    def anew(cls, folder: Path, store: str) -> Chroma:
        """Drop whatever is in the folder and start empty."""
        Client.clear_system_cache()  # a client that failed to start stays in it, and would be given again
        shutil.rmtree(folder, ignore_errors=True)
        return cls(folder, store)

    def sync(self, tenant: str, stamp: int, keys: set[str], load: Callable[[Sequence[str]], Vectors]) -> None:
        """Make the collection hold exactly these keys, unless it was left with this stamp.

        An id that is there already would be ignored when it is added, and keys of other vectors are other keys.
        """
        with _translated():
            collection = self._collection(tenant)
            if (collection.metadata or {}).get("stamp") == stamp:
                return
            present = set(collection.get(include=[])["ids"])
            for batch in _batches(sorted(keys - present), self._batch):
                collection.upsert(ids=batch, embeddings=load(batch))
            for batch in _batches(sorted(present - keys), self._batch):
                collection.delete(ids=batch)
            collection.modify(metadata={"stamp": stamp})

    def nearest(self, tenant: str, query: Vectors, count: int) -> list[str]:
        """Keys of near vectors, best first."""
        with _translated():
            found = self._collection(tenant).query(query_embeddings=query[np.newaxis], n_results=count, include=[])
        return found["ids"][0]

    def drop(self, tenant: str) -> None:
        """Remove the collection with its files."""
        with _translated(), suppress(NotFoundError):
            self._client.delete_collection(self._name(tenant))

    def close(self) -> None:
        self._client.close()

    def _collection(self, tenant: str) -> chromadb.Collection:
        return self._client.get_or_create_collection(
            self._name(tenant),
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
        )

    def _name(self, tenant: str) -> str:
        # Chroma allows few characters in a name: a hash keeps names of any script apart.
        return digest(f"{tenant}\n{self._store}")[:48]


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
