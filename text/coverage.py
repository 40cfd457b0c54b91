"""How much of a question's words a passage has, by what each word weighs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from text.sentences import sentences
from text.tokens import content_tokens


def coverage(idf: Mapping[str, float], present: Collection[str]) -> float:
    """Share of the question's words, given with their idf, that the passage has: 0 to 1; 0 without words."""
    total = sum(idf.values())
    return sum(weight for term, weight in idf.items() if term in present) / total if total > 0 else 0.0


def covered(idf: Mapping[str, float], above: Collection[str], said: Iterable[Collection[str]]) -> float:
    """Coverage by the best sentence of a passage together with what stands above it, its title and headings."""
    return max((coverage(idf, {*above, *words}) for words in said), default=coverage(idf, above))


def words_of(title: str, heading: str, text: str) -> tuple[set[str], list[set[str]]]:
    """The content words of title and headings, and those of each sentence."""
    said = [set(content_tokens(text[start:end])) for start, end in sentences(text)]
    return set(content_tokens(f"{title}\n{heading}")), said
