"""Queries that may settle a conflict without a model: the subject in the words of what replaces something."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evidence import Disagreement
from state import Language
from text.tokens import content_words

IN_FORCE: Final[dict[Language, str]] = {"zh": "现行 有效 施行", "en": "in force effective current"}
REPLACED: Final[dict[Language, str]] = {
    "zh": "最新 修订 修改 废止 替代 通知",
    "en": "latest amended revised supersedes replaces notice",
}
"""How documents say that they hold, and that they take the place of another."""


def queries_for_conflict(text: str, conflicts: Iterable[Disagreement], gap: str, language: Language) -> list[str]:
    """Two queries for the sub-question `gap`, whose text is given: what holds now, and what replaced one of the sides.

    The second has the sides' titles, as far as they are words: a query adds no number.
    """
    subject = _words(text)
    titles = _words(" ".join(s["title"] for c in conflicts if c["sub_question_id"] == gap for s in c["sides"]))
    both = " ".join(dict.fromkeys([*subject, *titles]))
    return [f"{' '.join(subject)} {IN_FORCE[language]}", f"{both} {REPLACED[language]}"]


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in content_words(text) if word.isalpha()))
