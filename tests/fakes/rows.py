"""Rows of a store without a store: small documents whose chunks are lists of tokens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from context.retrieval import Vectors
from corpus.documents import chunk_id, digest
from corpus.segments.rows import Row
from corpus.segments.sayings import Saying

DIMENSION = 16


def rows_of_document(
    doc_id: str,
    chunks: Sequence[Sequence[str]],
    metadata: Mapping[str, Any] | None = None,
    groups: Sequence[str] = (),
) -> list[Row]:
    """A row a chunk; chunks of the same tokens are one."""
    texts = dict.fromkeys(" ".join(tokens) for tokens in chunks)
    return [
        Row(
            chunk_id=chunk_id(doc_id, text),
            doc_id=doc_id,
            version_id=1,
            version=digest("|".join(texts))[:16],
            title=doc_id,
            metadata=json.dumps(metadata or {}),
            groups=json.dumps(sorted(groups)),
            chunk_metadata="{}",
            start=ordinal,
            end=ordinal + len(text),
            key=digest(text),
            counts=Counter(text.split()),
            saying=Saying.of(text, ""),
        )
        for ordinal, text in enumerate(texts)
    ]


def vectors_of(keys: Sequence[str]) -> Vectors:
    """For each key its own random direction, shape (keys, DIMENSION)."""
    rows = [np.random.default_rng(int(key[:16], 16)).standard_normal(DIMENSION) for key in keys]
    vectors = np.array(rows, np.float32).reshape(len(keys), DIMENSION)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
