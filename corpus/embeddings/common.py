"""What the vectors of one model have in common, so that the vector lane can take it out.

e5's cosines of any two texts lie above .7: a large shared component hides what tells texts apart. Subtracting the mean
vector is the first step of Mu and Viswanath, All-but-the-Top, ICLR 2018. Here the mean is taken over sentences of
unrelated subjects, half Chinese and half English: it belongs to the model and not to the corpus, so nothing has to be
computed anew when documents come and go.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

import numpy as np

from context.retrieval import Vectors

SHARE: Final = 0.9
"""How much of the mean is taken out.

Chosen on the questions of seven public sets whose id hashes even: mean Recall@5 of the vector lane is .846 there, and
.828 with nothing taken out (docs/decisions/0008).
"""


def generic_sentences() -> list[str]:
    """The sentences of unrelated subjects, written for this purpose."""
    sentences: list[str] = json.loads(_read("generic_sentences.json"))
    return sentences


def e5_common() -> Vectors:
    """What is taken out of the embedded model's vectors, shape (384,)."""
    return SHARE * np.array(json.loads(_read("e5_mean.json")), np.float32)


def without(vectors: Vectors, common: Vectors | None) -> Vectors:
    """The vectors, shape (texts, dimension), with the common part taken out and of length one again."""
    if common is None:
        return vectors
    moved = vectors - common
    unit: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-12)
    return unit


def _read(name: str) -> str:
    return (files("corpus.embeddings") / name).read_text("utf-8")
