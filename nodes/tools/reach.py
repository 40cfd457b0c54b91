"""What a tool may reach of one document: what a search with the caller's filter could find, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.retrieval import Passage, Piece
from context.run import Context
from nodes.bounded import look_up
from state import RAGState


def both_filters(callers: dict[str, Any] | None, own: dict[str, Any] | None) -> dict[str, Any] | None:
    """The caller's filter and a tool's: both must hold."""
    if not callers or not own:
        return callers or own
    return {"$and": [callers, own]}


async def pieces_of(doc_id: str, state: RAGState, context: Context) -> Sequence[Piece] | None:
    """The document's chunks in their order, none where there is no such document; None when time ran out."""
    return await look_up(state, context, context.retriever.pieces(doc_id, context.principal, state["filters"]))


async def passages_of(pieces: Sequence[Piece], state: RAGState, context: Context) -> list[Passage] | None:
    """Their text as the principal may read it now; None when time ran out."""
    ids = [piece.chunk_id for piece in pieces]
    read = await look_up(state, context, context.retriever.read(ids, context.principal))
    return None if read is None else list(read.values())
