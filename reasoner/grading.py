"""Grades without a model: how likely a passage answers, from the words it shares and from its embedding.

The evidence for a grade is absolute (nothing here is a rank or relative to the best hit), so an off-topic question
fails in a knowledge base of one document too.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from state import Language

WORDS: Final = (43.7, 5.99, -41.4)
"""Logistic weights of cosine and coverage, and the intercept: a passage that says it in the question's words.

Fitted on candidate passages (top 5 by either signal) of the questions of CMRC 2018, DRCD and a set of property law
whose id hashes even, classes and sets weighted alike; see docs/decisions/0003.
"""
MEANING: Final = (0.89, 150.0)
"""Centre and slope of the cosine alone: a passage that says it in other words.

Chosen on the same halves: at a threshold of 0.7, .98 of the answerable CMRC questions pass (top hit right in .99) and
.95 of those whose passage is not in the corpus fail.
"""


def coverage(asked: Collection[str], present: Collection[str], idf: dict[str, float]) -> float:
    """Share of the question's words that the passage has, weighted by idf: 0 to 1; 0 for a question without words."""
    total = sum(idf[term] for term in asked)
    return sum(idf[term] for term in asked if term in present) / total if total > 0 else 0.0


def score(cosine: float | None, covered: float) -> float:
    """Probability that a passage answers, in the question's words or in others; without an embedder, words decide."""
    if cosine is None:
        return covered
    by_cosine, by_coverage, intercept = WORDS
    centre, slope = MEANING
    in_words = _logistic(by_cosine * cosine + by_coverage * covered + intercept)
    in_meaning = _logistic(slope * (cosine - centre))
    return 1 - (1 - in_words) * (1 - in_meaning)


def reason(cosine: float | None, covered: float, language: Language) -> str:
    """The two signals in words, as the grade's reason."""
    meaning = "—" if cosine is None else f"{cosine:.3f}"
    if language == "zh":
        return f"覆盖问题关键词的 {covered:.0%}（按 idf 加权），语义相似度 {meaning}"
    return f"covers {covered:.0%} of the question's words by idf; embedding similarity {meaning}"


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
