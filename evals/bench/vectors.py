"""Vectors of pieces and questions: real ones where all of them are kept, else a documented stand-in for all.

The stand-in is a random projection of token counts (Johnson and Lindenstrauss, 1984): every token has a fixed random
direction, a text is the sum of its tokens' directions, of length one. Times do not depend on which of the two it is;
how many true neighbours an approximate index finds does.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from context.retrieval import Embedder, Vectors
from corpus.documents import digest
from corpus.embeddings.common import without
from text.tokens import tokens

DIMENSION: Final = 384
_BATCH: Final = 256

Kind = Literal["passage", "query"]


class VectorFile:
    """Vectors of one embedder by kind and text hash: an array that grows at its end, and beside it the keys."""

    def __init__(self, folder: Path, embedder: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._rows = folder / f"{digest(embedder)[:12]}.f32"
        self._names = self._rows.with_suffix(".keys")
        known = self._names.read_text("ascii").split() if self._names.is_file() else []
        self._places = {key: place for place, key in enumerate(known)}

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def put(self, keys: Sequence[str], rows: Vectors) -> None:
        """Rows first, then keys: a run that is cut off leaves rows that the next one writes over."""
        with self._rows.open("r+b" if self._rows.is_file() else "w+b") as file:
            file.seek(len(self._places) * DIMENSION * 4)
            file.write(np.asarray(rows, "<f4").tobytes())
        with self._names.open("a", encoding="ascii") as file:
            file.write("".join(f"{key}\n" for key in keys))
        self._places |= {key: len(self._places) + place for place, key in enumerate(keys)}

    def get(self, keys: Sequence[str]) -> Vectors:
        """Shape (keys, 384), as the embedder gave them."""
        rows = np.memmap(self._rows, "<f4", "r", shape=(len(self._places), DIMENSION))
        return np.asarray(rows[[self._places[key] for key in keys]], np.float32)


def key_of(text: str, kind: Kind) -> str:
    return digest(f"{kind}\n{text}")[:32]


async def embed(
    kept: VectorFile, embedder: Embedder, texts: Sequence[str], kind: Kind, tick: Callable[[int], None]
) -> None:
    """Compute what is not kept yet, batch by batch, so that a run that is cut off loses one batch."""
    ask = embedder.passages if kind == "passage" else embedder.queries
    missing = [text for text in dict.fromkeys(texts) if key_of(text, kind) not in kept]
    tick(len(texts) - len(missing))
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        kept.put([key_of(text, kind) for text in batch], await ask(batch))
        tick(len(batch))


def real(kept: VectorFile, common: Vectors | None, texts: Sequence[str], kind: Kind) -> Vectors | None:
    """The kept vectors without what the model's vectors have in common, None unless all are there."""
    keys = [key_of(text, kind) for text in texts]
    return without(kept.get(keys), common) if all(key in kept for key in keys) else None


def stand_in(texts: Sequence[str]) -> Vectors:
    """Shape (texts, 384), rows of length one; the same text always gives the same row."""
    # A constant direction beside the tokens' keeps a text without tokens away from zero.
    counts = [Counter(["", *tokens(text)]) for text in texts]
    columns = {token: column for column, token in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
    directions = np.stack([_direction(token) for token in columns])
    rows = np.empty((len(texts), DIMENSION), np.float32)
    for place, of_text in enumerate(counts):
        weights = np.fromiter(of_text.values(), np.float32, len(of_text))
        rows[place] = weights @ directions[[columns[token] for token in of_text]]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def _direction(token: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION, np.float32)


@dataclass(frozen=True)
class Choice:
    """Vectors of all pieces and questions, and a word for what they are."""

    passages: Vectors
    questions: Vectors
    kind: str


def chosen(
    texts: Sequence[str], questions: Sequence[str], kept: VectorFile | None, embedder: Embedder | None
) -> Choice:
    """Real vectors when every one is kept, else the stand-in for all: the two are never mixed."""
    if kept is not None and embedder is not None:
        passages = real(kept, embedder.common, texts, "passage")
        asked = real(kept, embedder.common, questions, "query")
        if passages is not None and asked is not None:
            return Choice(passages, asked, embedder.name)
    return Choice(stand_in(texts), stand_in(questions), "random projection of token counts (stand-in)")


class Prepared:
    """An `Embedder` that looks vectors up: of a passage by its last line, which the bench keeps distinct."""

    def __init__(
        self, name: str, passages: Mapping[str, int], queries: Mapping[str, int], rows: tuple[Vectors, Vectors]
    ) -> None:
        self.name = name
        self.dimension = DIMENSION
        self.common: Vectors | None = None
        self._places = {"passage": passages, "query": queries}
        self._rows = {"passage": rows[0], "query": rows[1]}

    @classmethod
    def of(cls, name: str, passages: Sequence[str], queries: Sequence[str], rows: tuple[Vectors, Vectors]) -> Self:
        """A row for each text, in their order."""
        places, asked = ({text: place for place, text in enumerate(texts)} for texts in (passages, queries))
        return cls(name, places, asked, rows)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        return self._look_up("query", texts)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return self._look_up("passage", [text.rpartition("\n")[2] for text in texts])

    def _look_up(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        places = self._places[kind]
        found: Vectors = self._rows[kind][[places[text] for text in texts]]
        return found
