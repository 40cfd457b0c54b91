"""Grades without a model: how likely a passage answers, from the words it shares and from its embedding.

The evidence for a grade is absolute (nothing here is a rank or relative to the best hit), so an off-topic question
fails in a knowledge base of one document too.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from state import Language

COSINE_WEIGHT: Final = 100.0
COVERAGE_WEIGHT: Final = 4.0
INTERCEPT: Final = -88.0


def coverage(asked: Collection[str], present: Collection[str], idf: dict[str, float]) -> float:
    """Share of the question's words that the passage has, weighted by idf: 0 to 1; 0 for a question without words."""
    total = sum(idf[term] for term in asked)
    return sum(idf[term] for term in asked if term in present) / total if total > 0 else 0.0


def score(cosine: float | None, covered: float) -> float:
    """Probability that a passage with these two signals answers; without an embedder the words decide alone."""
    if cosine is None:
        return covered
    return 1 / (1 + math.exp(-(COSINE_WEIGHT * cosine + COVERAGE_WEIGHT * covered + INTERCEPT)))


def reason(cosine: float | None, covered: float, language: Language) -> str:
    """The two signals in words, as the grade's reason."""
    meaning = "—" if cosine is None else f"{cosine:.3f}"
    if language == "zh":
        return f"覆盖问题关键词的 {covered:.0%}（按 idf 加权），语义相似度 {meaning}"
    return f"covers {covered:.0%} of the question's words by idf; embedding similarity {meaning}"
