"""Sub-questions by clause: what a question asks for, one piece at a time, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Final

from state import MAX_SUB_QUESTIONS
from text.follow_up import leans_on_history
from text.identifiers import identifiers
from text.names import names
from text.sentences import sentences
from text.tokens import content_tokens

MIN_CONTENT: Final = 3
"""A piece with fewer content words says too little to be searched alone and joins the piece before it."""
NARRATIVE_CLAUSES: Final = 4
"""From so many clauses on, a single sentence tells a case whose circumstances each need their own evidence."""

_CLAUSE: Final = re.compile(r"(?:[，；;]|,(?!\d))\s*|\s+(?=(?:and|but)\s)", re.IGNORECASE)
"""Not the comma of 1,000: cut there, its halves would be numbers that nobody said."""
_ASKING: Final = "who|whom|whose|what|when|where|which|why|how"
_SECOND_QUESTION: Final = re.compile(rf",?\s+and\s+(?=(?:{_ASKING})\b)", re.IGNORECASE)
_UNFINISHED: Final = re.compile(rf"(?:^|\W)(?:{_ASKING}|of|on|in|at|by|for|from|to|with|about)$", re.IGNORECASE)
"""When and how is footage kept: what is left of the "and" asks nothing yet."""
_CODE: Final = r"[A-Za-z]{1,12}[-_.]?\d[A-Za-z0-9._-]*"
_LISTED: Final = re.compile(rf"{_CODE}(?:\s*(?:和|与|及|以及|、|,|，|and|&)\s*{_CODE})+")
_COMPARED: Final = re.compile(
    r"区别|不同|差别|差异|比较|相比|对比|哪个更|兼容|differ|compar|versus|\bvs\b|better|between", re.IGNORECASE
)
"""Two codes that are held against each other are one question."""


def sub_questions(question: str) -> list[str]:
    """One piece a sentence; a long sentence that tells a case is cut into its clauses. At most six, in order."""
    pieces = [question[start:end] for start, end in sentences(question)]
    if len(pieces) == 1:
        parts = clauses(pieces[0])
        pieces = parts if len(parts) >= NARRATIVE_CLAUSES else pieces
    apart = [part for piece in joined(pieces) for part in _asked_apart(piece)] or [question]
    whole = [one for part in apart for one in _each_code(part)]
    return [*whole[: MAX_SUB_QUESTIONS - 1], *_all_in_one(whole[MAX_SUB_QUESTIONS - 1 :])]


def _asked_apart(piece: str) -> list[str]:
    """Two where another question follows an "and" that names what it is about, and points back to nothing."""
    parts = _SECOND_QUESTION.split(piece)
    if len(parts) != 2 or _UNFINISHED.search(parts[0]) or leans_on_history(parts[1]):
        return [piece]
    if all(identifiers(part) for part in parts):
        return parts
    first, second = (len(set(content_tokens(part))) for part in parts)
    enough = MIN_CONTENT - 1 if names(parts[1]) else MIN_CONTENT
    return parts if first >= MIN_CONTENT - 1 and second >= enough else [piece]


def _each_code(piece: str) -> list[str]:
    """One for every code of a list: what answers for E1001 says nothing of E1002."""
    listed = _LISTED.search(piece)
    if listed is None or _COMPARED.search(piece):
        return [piece]
    codes = dict.fromkeys(re.findall(_CODE, listed[0]))
    return [piece[: listed.start()] + code + piece[listed.end() :] for code in codes]


def _all_in_one(pieces: Sequence[str]) -> list[str]:
    return [reduce(_join, pieces)] if pieces else []


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, without the commas between them."""
    return [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]


def joined(pieces: Sequence[str]) -> list[str]:
    """The pieces, each too short one joined to its neighbour: the one before, or for the first the one after."""
    whole: list[str] = []
    for piece in pieces:
        if whole and (_is_short(piece) or _is_short(whole[-1])):
            whole[-1] = _join(whole[-1], piece)
        else:
            whole.append(piece)
    return whole


def _join(before: str, after: str) -> str:
    if before[-1].isalnum():
        return f"{before}, {after}" if after.isascii() else f"{before}，{after}"
    return f"{before} {after}" if after.isascii() else before + after


def _is_short(piece: str) -> bool:
    return len(set(content_tokens(piece))) < MIN_CONTENT
