"""One turn over HTTP: asked, left if its plan says so, and come back to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import httpx
from httpx_sse import EventSource, ServerSentEvent, connect_sse

from evals.soak.turn import Turn

PATIENCE_S: Final = 90.0
"""A stream that is silent for so long, in seconds, is stuck: the server pings every 15."""
CANCELLED: Final = "cancelled"
"""The answer to a JSON ask whose run was taken, and stopped as the server ended."""
_PATIENCE: Final = httpx.Timeout(PATIENCE_S)


def client() -> httpx.Client:
    """For one thread; proxies of the environment are not for this machine."""
    return httpx.Client(timeout=_PATIENCE, trust_env=False)


def ask(http: httpx.Client, address: str, turn: Turn) -> None:
    """Ask, and note in the turn what came of it; a stream that its asker left is come back to, where it plans so."""
    body: dict[str, Any] = {"question": turn.question.text, "on_disconnect": turn.plan.on_disconnect}
    if turn.thread_id is not None:
        body["thread_id"] = turn.thread_id
    try:
        (_stream if turn.plan.streamed else _json)(http, f"{address}/ask", body, turn)
        if turn.left and turn.plan.comes_back and turn.run_id is not None:
            _come_back(http, address, turn)
    except httpx.TimeoutException:
        turn.stuck = True
    except httpx.TransportError:
        turn.broken = True


def _json(http: httpx.Client, url: str, body: dict[str, Any], turn: Turn) -> None:
    tenths = turn.plan.leaves_after
    try:
        response = http.post(
            url, json=body, timeout=_PATIENCE if tenths is None else httpx.Timeout(10, read=tenths / 10)
        )
    except httpx.ReadTimeout:
        if tenths is None:
            raise
        turn.left = True
        return
    if response.status_code == httpx.codes.OK:
        turn.answered(response.json())
    elif (code := _code(response)) == CANCELLED:
        turn.broken = True
    else:
        turn.refused = code


def _stream(http: httpx.Client, url: str, body: dict[str, Any], turn: Turn) -> None:
    with connect_sse(http, "POST", url, json={**body, "stream": True}) as source:
        if _accepted(source, turn):
            turn.left = _read(source.iter_sse(), turn, turn.plan.leaves_after)


def _come_back(http: httpx.Client, address: str, turn: Turn) -> None:
    """Take the events up where they were left. A run that its process took along is gone, and that is told."""
    url = f"{address}/runs/{turn.run_id}/events"
    with connect_sse(http, "GET", url, headers={"Last-Event-ID": str(turn.seen[-1])}) as source:
        if source.response.status_code == httpx.codes.OK:
            turn.came_back = True
            _read(source.iter_sse(), turn, None)


def _read(events: Iterable[ServerSentEvent], turn: Turn, leaves_after: int | None) -> bool:
    """Note events up to the last. Whether the asker left before that."""
    for event in events:
        turn.take(event.event, int(event.id), event.json())
        if not turn.over and leaves_after is not None and len(turn.seen) >= leaves_after:
            return True
    if turn.done is None:
        turn.broken = True
    return False


def _accepted(source: EventSource, turn: Turn) -> bool:
    if source.response.status_code == httpx.codes.OK:
        return True
    source.response.read()
    turn.refused = _code(source.response)
    return False


def _code(response: httpx.Response) -> str:
    return str(response.json().get("code", response.status_code))
