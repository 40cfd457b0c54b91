"""A request's body as it arrives: no larger than it may be, and no slower."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

WAIT_S = 60.0
"""Longest silence within a body, in seconds; what a client keeps open counts as one of its requests."""


def limited(receive: Receive, most: int) -> Receive:
    """Counts what really comes: a chunked body announces no length, and one that never ends announces no end.

    FastAPI makes a 400 of any exception here that is not an `HTTPException`.
    """
    received, ended = 0, False

    async def arriving() -> Message:
        nonlocal received, ended
        try:
            # What comes after the body is the client leaving, for which nobody is to hurry.
            message = await asyncio.wait_for(receive(), None if ended else WAIT_S)
        except TimeoutError as error:
            raise HTTPException(408) from error
        received += len(message.get("body", b""))
        ended = not message.get("more_body", False)
        if received > most:
            raise HTTPException(413)
        return message

    return arriving
