"""A vendor's exceptions as ours. Nothing that the vendor wrote gets out: it may hold the key, an address, a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import openai
from langchain_core.exceptions import ContextOverflowError, ModelRefusalError

from errors import BadRequest, GapseekError, Unavailable

DENIED = (openai.AuthenticationError, openai.PermissionDeniedError)
Fault = tuple[tuple[type[BaseException], ...], type[GapseekError], str, str]

TOO_LONG = "The question and its sources are too long for the model."
REFUSED = "The model's provider refused this content."
CUT_OFF = "The model stopped before its reply was complete."
UNREADABLE = "The chat endpoint sent something that cannot be read."

FAULTS: Final[tuple[Fault, ...]] = (
    ((ContextOverflowError,), BadRequest, "model_context", TOO_LONG),
    ((ModelRefusalError, openai.ContentFilterFinishReasonError), BadRequest, "model_refused", REFUSED),
    ((TimeoutError, openai.APITimeoutError), Unavailable, "model_timeout", "The model did not answer in time."),
    (
        (openai.APIConnectionError,),
        Unavailable,
        "model_unreachable",
        "The chat endpoint cannot be reached or broke off.",
    ),
    (DENIED, Unavailable, "model_denied", "The chat endpoint refused the API key or the model."),
    ((openai.NotFoundError,), Unavailable, "model_unknown", "The chat endpoint does not know this model or address."),
    ((openai.RateLimitError,), Unavailable, "model_busy", "The chat endpoint allows no more requests for now."),
    ((openai.InternalServerError,), Unavailable, "model_failed", "The chat endpoint failed."),
    ((openai.APIStatusError,), Unavailable, "model_rejected", "The chat endpoint rejected the form of the request."),
    ((openai.APIError,), Unavailable, "model_failed", "The chat endpoint failed."),
    ((openai.LengthFinishReasonError,), Unavailable, "model_cut_off", CUT_OFF),
    ((Exception,), Unavailable, "model_unreadable", UNREADABLE),
)
"""The first row whose types fit an exception names it."""

REFUSALS: Final = frozenset({"content_filter", "data_inspection_failed", "sensitive"})
"""Error codes and finish reasons by which OpenAI, Azure, DashScope and Zhipu say that they refuse the content."""

_OVERFLOW: Final = re.compile(r"context[_ ](?:length|size|window)", re.IGNORECASE)
"""In the code or message by which OpenAI, DeepSeek, vLLM and llama.cpp refuse a prompt that is too long.

langchain-openai looks for the code in the message, where openai 3 no longer puts it.
"""


class VendorError(Exception):
    """What may be known of a vendor's exception: its type and the HTTP status."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn whatever a vendor's client raises into `BadRequest` or `Unavailable`; our own errors pass."""
    try:
        yield
    except GapseekError:
        raise
    except Exception as exc:  # the client raises its own tree, httpx's, KeyError and more
        raise translate(exc) from VendorError(_describe(exc))


def translate(exc: Exception) -> GapseekError:
    """Our error for a vendor's exception."""
    if isinstance(exc, openai.BadRequestError):
        if exc.code in REFUSALS:
            return BadRequest(REFUSED, code="model_refused")
        if _OVERFLOW.search(f"{exc.code} {exc.message}"):
            return BadRequest(TOO_LONG, code="model_context")
    return next(error(sentence, code=code) for types, error, code, sentence in FAULTS if isinstance(exc, types))


def check_whole(finish_reason: str | None, answer: str) -> None:
    """Raise unless a stream said that its text is whole: a cut or an empty answer must not pass for one."""
    if finish_reason in REFUSALS:
        raise BadRequest(REFUSED, code="model_refused")
    if finish_reason != "stop":
        raise Unavailable(CUT_OFF, code="model_cut_off")
    if not answer.strip():
        raise Unavailable("The model gave an empty answer.", code="model_empty")


def _describe(exc: Exception) -> str:
    status = getattr(exc, "status_code", None)
    return f"{type(exc).__name__}, HTTP {status}" if isinstance(status, int) else type(exc).__name__
