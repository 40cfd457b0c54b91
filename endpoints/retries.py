"""The one layer of retries: a failure that may pass is tried again, as late as the endpoint asks for."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

import httpx2
import openai

from endpoints.signs import FORM_WORDS, is_no_number, is_overflow, is_refusal, is_without_credit, said
from errors import GapseekError

T = TypeVar("T")

FIRST_S: Final = 0.5
LONGEST_S: Final = 8.0
"""Waits without word from the endpoint: between nothing and half a second, doubled each time, up to the longest."""

PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


async def retrying(call: Callable[[], Awaitable[T]], retries: int, patience: Callable[[], float]) -> T:
    """What the call gives, made again up to so many times; a wait is only begun if it is shorter than the patience.

    `patience` gives seconds. Raises what the last call raised.
    """
    tried = 0
    while True:
        try:
            return await call()
        except (openai.APIError, httpx2.TransportError) as exc:
            wait = wait_before_retry(exc, tried)
            if wait is None or tried >= retries or wait >= patience():
                raise
        await asyncio.sleep(wait)
        tried += 1


def wait_before_retry(exc: Exception, tried: int, chance: Callable[[], float] = random.random) -> float | None:
    """Seconds to wait before the same call is made again, None when that cannot help.

    `tried` counts the retries so far; `chance` gives numbers in [0, 1), for jitter: calls that failed together should
    not come back together.
    """
    if not _may_pass(exc):
        return None
    backoff = min(LONGEST_S, FIRST_S * 2**tried) * chance()
    asked = _asked_for(exc)
    return backoff if asked is None else asked * (1 + 0.1 * chance())


def _may_pass(exc: Exception) -> bool:
    if isinstance(exc, (openai.APIConnectionError, httpx2.TransportError)):
        return not isinstance(exc.__cause__, GapseekError)
    if not isinstance(exc, openai.APIStatusError) or exc.status_code not in PASSING:
        return False
    if exc.response.headers.get("x-should-retry") == "false" or is_without_credit(exc):
        return False
    lasting = is_no_number(exc) or (exc.status_code == 500 and FORM_WORDS.search(said(exc)))
    return not (lasting or is_refusal(exc) or is_overflow(exc))


def _asked_for(exc: Exception) -> float | None:
    """Seconds as `retry-after-ms` or `Retry-After` (RFC 9110, section 10.2.3) give them, never negative."""
    headers = exc.response.headers if isinstance(exc, openai.APIStatusError) else httpx2.Headers()
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return None
