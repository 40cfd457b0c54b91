"""Hits that a replay is given by their ids alone: what they say is read under whoever asks for it."""

from __future__ import annotations

from typing import Any, Final

from context.run import Context
from errors import BadRequest
from state import Doc

MOST: Final = 100


async def read_docs(context: Context, chunk_ids: Any) -> list[Doc]:
    """The chunks as hits, in this order.

    Raises `BadRequest` for what is no list of ids, and for an id that is unknown or not the principal's to read.
    """
    if not isinstance(chunk_ids, list) or not all(isinstance(one, str) for one in chunk_ids):
        raise BadRequest("'docs' must be a list of chunk ids.")
    ids = list(dict.fromkeys(chunk_ids))
    if not 1 <= len(ids) <= MOST:
        raise BadRequest(f"'docs' must have 1 to {MOST} chunk ids.")
    passages = await context.retriever.read(ids, context.principal)
    if missing := len(set(ids) - passages.keys()):
        raise BadRequest(f"{missing} of the 'docs' are no chunks that can be read.")
    return [
        {
            "chunk_id": passage.chunk_id,
            "doc_id": passage.doc_id,
            "version": passage.version,
            "title": passage.title,
            "rank": rank,
            "score": 0.0,
            "lanes": [],
        }
        for rank, passage in enumerate((passages[one] for one in ids), 1)
    ]
