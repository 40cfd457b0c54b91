"""`find(doc, pattern)`: an exact text or a regular expression inside one document, with the places where it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from context.retrieval import Passage
from context.run import Context
from errors import BadRequest
from nodes.tools.arguments import Find
from nodes.tools.reach import passages_of, pieces_of
from nodes.tools.result import Result, hit, said
from policy import remarks
from state import RAGState, ToolHit
from text.patterns import Matcher

MOST: Final = 8
"""Places that are told."""
BATCH: Final = 200
"""Passages that are read at a time."""


async def find(arguments: Find, state: RAGState, context: Context) -> Result:
    """The first places in the order of the document. What spans two passages is not found."""
    language = state["language"]
    try:
        matcher = Matcher(arguments.pattern, regex=arguments.regex)
    except BadRequest as error:
        return said("wrong", remarks.BAD_PATTERN, language, fault=error.sentence)
    pieces = await pieces_of(arguments.doc, state, context)
    if not pieces:
        return _without(pieces, state)
    places: dict[tuple[str, int], ToolHit] = {}
    for start in range(0, len(pieces), BATCH):
        passages = await passages_of(pieces[start : start + BATCH], state, context)
        if passages is None:
            return said("unavailable", remarks.LATE, language)
        # Matching is work of the processor.
        places |= await asyncio.to_thread(_places, matcher, passages)
        if len(places) > MOST or matcher.timed_out:
            break
    return _told(list(places.values()), matcher, state)


def _without(pieces: Sequence[object] | None, state: RAGState) -> Result:
    """No such document, or no time to look for it."""
    if pieces is None:
        return said("unavailable", remarks.LATE, state["language"])
    return said("unknown", remarks.NO_DOCUMENT, state["language"])


def _places(matcher: Matcher, passages: Sequence[Passage]) -> dict[tuple[str, int], ToolHit]:
    """By document and position: neighbours overlap, and what stands in both is one place."""
    found: dict[tuple[str, int], ToolHit] = {}
    for passage in passages:
        for start, end in matcher.spans(passage.text):
            found.setdefault((passage.doc_id, passage.start + start), hit(passage, (start, end)))
            if len(found) > MOST:
                return found
    return found


def _told(places: list[ToolHit], matcher: Matcher, state: RAGState) -> Result:
    language = state["language"]
    if matcher.timed_out:
        slow = remarks.TOO_SLOW[language].format(seen=matcher.texts)
        return Result("done" if places else "nothing", tuple(places[:MOST]), slow)
    if not places:
        return said("nothing", remarks.NOTHING, language)
    return Result("done", tuple(places[:MOST]), remarks.MORE[language] if len(places) > MOST else "")
