"""BM25 as `rank_bm25.BM25Okapi` scores it, from statistics instead of a corpus.

The formula is ATIRE BM25 with a floor under idf, as `rank_bm25` 0.2.2 has it; its class gives k1, b and epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from corpus.segments.inverted import Frequencies

_MODEL: Final = BM25Okapi([[""]])
_K1: Final = float(_MODEL.k1)
_B: Final = float(_MODEL.b)
_EPSILON: Final = float(_MODEL.epsilon)


@dataclass(frozen=True)
class Okapi:
    """What every score depends on: chunks, their average length in tokens, the average idf of all present terms."""

    size: int
    average_length: float
    average_idf: float

    @classmethod
    def of(cls, size: int, tokens: int, document_frequencies: NDArray[np.int64]) -> Okapi:
        """From the number of chunks and tokens, and the document frequency of every present term."""
        # Terms of one document frequency have one idf: few of these differ, however many terms there are.
        terms = np.bincount(document_frequencies)
        present = np.flatnonzero(terms)
        idf = np.log(size - present + 0.5) - np.log(present + 0.5)
        average = float(terms[present] @ idf / len(document_frequencies)) if len(document_frequencies) else 0.0
        return cls(size, tokens / size if tokens else 1.0, average)

    def idf(self, document_frequency: int) -> float:
        """Terms in more than half of the chunks get a quarter of the average instead of a negative one."""
        idf = math.log(self.size - document_frequency + 0.5) - math.log(document_frequency + 0.5)
        return idf if idf >= 0 else _EPSILON * self.average_idf

    def gain(self, frequencies: Frequencies, lengths: NDArray[np.int32]) -> NDArray[np.float64]:
        """tf (k1 + 1) / (tf + k1 (1 - b + b length / average length)) for entries of one term."""
        penalty = lengths * (_K1 * _B / self.average_length)
        penalty += _K1 * (1 - _B)
        penalty += frequencies
        return np.asarray(frequencies * (_K1 + 1) / penalty)
