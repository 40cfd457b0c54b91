"""`open(doc, position)`: the passage that stands there, or, from the end of one, the next."""

from __future__ import annotations

from context.retrieval import Piece
from context.run import Context
from nodes.tools.arguments import Open
from nodes.tools.reach import passages_of, pieces_of
from nodes.tools.result import Result, said, whole
from policy import remarks
from state import RAGState


async def open_at(arguments: Open, state: RAGState, context: Context) -> Result:
    """One whole passage. Where the filter leaves a hole in the document, the next one behind it."""
    language = state["language"]
    pieces = await pieces_of(arguments.doc, state, context)
    if pieces is None:
        return said("unavailable", remarks.LATE, language)
    if not pieces:
        return said("unknown", remarks.NO_DOCUMENT, language)
    there = [piece for piece in pieces if piece.end > arguments.position]
    if not there:
        return said("nothing", remarks.PAST_THE_END, language, end=max(piece.end for piece in pieces))
    passages = await passages_of([_nearest(there, arguments.position)], state, context)
    if not passages:
        return said("unavailable" if passages is None else "unknown", remarks.LATE, language)
    return Result("done", whole(passages))


def _nearest(pieces: list[Piece], position: int) -> Piece:
    """The passage that begins last before the position, so that an overlap belongs to the later one; else the next."""
    before = [piece for piece in pieces if piece.start <= position]
    return max(before, key=lambda piece: piece.start) if before else min(pieces, key=lambda piece: piece.start)
