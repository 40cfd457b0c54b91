"""Queries for a gap, from the words of what was found: relevance feedback without a model.

Each attempt at a gap looks from another side: with the words of the nearest passages beside the gap's own, then with
those words alone, then with the gap's content words alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from context import Passage
from text.negation import NEGATION
from text.tokens import content_tokens

FEEDBACK_TERMS: Final = 6
MIN_TERM_CHARS: Final = 2

Idf = Callable[[str], float]


def expansion(question: str, found: Sequence[Passage], idf: Idf) -> list[str]:
    """The terms that best tell the found passages from the rest of the corpus, heaviest first.

    A term's weight is its idf times the sum over passages of tf / (tf + 1), each passage counting less than the one
    before it (1, 1/2, 1/3 …). Digits and negation are left out: a query may not add what the asker did not say.
    """
    asked = set(content_tokens(question))
    weight: defaultdict[str, float] = defaultdict(float)
    for place, passage in enumerate(found, start=1):
        for term, tf in Counter(content_tokens(f"{passage.heading} {passage.text}")).items():
            if term not in asked and _may_be_added(term):
                weight[term] += idf(term) * tf / (tf + 1) / place
    return [term for term, _ in sorted(weight.items(), key=lambda item: (-item[1], item[0]))[:FEEDBACK_TERMS]]


def queries_for_gap(text: str, attempt: int, terms: Sequence[str]) -> list[str]:
    """The queries of the given attempt at a gap, counted from 1; none when there is no side left to look from."""
    own = " ".join(dict.fromkeys(content_tokens(text)))
    found = " ".join(terms)
    sides = [f"{text} {found}", found, own] if terms else [own]
    return [side for side in sides[attempt - 1 : attempt] if side]


def _may_be_added(term: str) -> bool:
    return len(term) >= MIN_TERM_CHARS and term.isalpha() and not NEGATION.search(term)
