"""When a provider refuses a prompt, or it is too long, the same is asked with less beside the question."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from context.reasoning import AnswerRequest, RewriteRequest, RouteRequest
from errors import BadRequest
from reasoner.bill import Bill
from reasoner.set_aside import SetAside

R = TypeVar("R", RouteRequest, RewriteRequest)
T = TypeVar("T")

_log = logging.getLogger(__name__)

REFUSED_CODE: Final = "model_refused"
TOO_LONG_CODE: Final = "model_context"


class Lessening:
    """Asks with less and less, as far as the bill goes."""

    def __init__(self, aside: SetAside, bill: Bill) -> None:
        self._aside = aside
        self._bill = bill

    async def decide(self, requests: Sequence[R], ask: Callable[[R], Awaitable[T | None]]) -> T | None:
        """What the first request that is taken brings; None when the calls end before one is.

        Raises the error of the last. Turns of the conversation that were refused are in no further prompt.
        """
        for number, request in enumerate(requests, 1):
            try:
                value = await ask(request)
            except BadRequest as error:
                if number == len(requests):
                    raise
                _log.warning("%s A prompt with less is tried.", error.sentence)
                if not self._bill.left:
                    return None
                refused = error.reason == REFUSED_CODE
                continue
            if number > 1 and refused and not request.history:
                self._aside.add_turns(requests[0].history)
            return value
        return None


def less_to_route(request: RouteRequest) -> list[RouteRequest]:
    """The request, and without the conversation."""
    return [request, replace(request, history=())] if request.history else [request]


def less_to_rewrite(request: RewriteRequest) -> list[RewriteRequest]:
    """The request, without what was found, and without the conversation too."""
    requests = [request]
    if request.found:
        requests.append(replace(request, found=()))
    if request.history:
        requests.append(replace(request, found=(), history=()))
    return requests


def less_to_answer(request: AnswerRequest, error: BadRequest) -> AnswerRequest | None:
    """The request without the conversation; of one that was too long, with the better half of its sources.

    None when there is nothing to leave out.
    """
    many = len(request.sources)
    sources = request.sources[: (many + 1) // 2] if error.reason == TOO_LONG_CODE else request.sources
    if not request.history and len(sources) == many:
        return None
    _log.warning("%s The answer is asked for with less.", error.sentence)
    return replace(request, history=(), sources=sources)
