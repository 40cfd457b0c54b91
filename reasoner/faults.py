"""A vendor's exceptions as ours. Nothing that the vendor wrote gets out: it may hold the key, an address, a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import httpx2
import openai
from langchain_core.exceptions import ContextOverflowError, ModelRefusalError

from endpoints import signs
from endpoints.signs import FORM_WORDS, REFUSALS, is_refusal, is_without_credit, said, status_in_words
from errors import BadRequest, GapseekError, Misconfigured, Unavailable

Fault = tuple[tuple[type[BaseException], ...], type[GapseekError], str, str]

TOO_LONG = "The question and its sources are too long for the model."
REFUSED = "The model's provider refused this content."
CUT_OFF = "The model stopped before its reply was complete."
UNREADABLE = "The chat endpoint sent something that cannot be read: check {0}__BASE_URL if it goes on."
BAD_KEY = "The chat endpoint does not accept the API key: check {0}__API_KEY."
UNKNOWN = "The chat endpoint does not know this model or this address: check {0}__MODEL and {0}__BASE_URL."
NO_CREDIT = "The chat endpoint says that the account of {0}__API_KEY has no credit left."

FAULTS: Final[tuple[Fault, ...]] = (
    ((ContextOverflowError,), BadRequest, "model_context", TOO_LONG),
    ((ModelRefusalError, openai.ContentFilterFinishReasonError), BadRequest, "model_refused", REFUSED),
    ((TimeoutError, openai.APITimeoutError), Unavailable, "model_timeout", "The model did not answer in time."),
    (
        (openai.APIConnectionError, httpx2.TransportError),
        Unavailable,
        "model_unreachable",
        "The chat endpoint cannot be reached or broke off: check {0}__BASE_URL.",
    ),
    ((openai.AuthenticationError,), Misconfigured, "model_denied", BAD_KEY),
    (
        (openai.PermissionDeniedError,),
        Misconfigured,
        "model_denied",
        "The chat endpoint does not let this API key use this model: check {0}__API_KEY and {0}__MODEL.",
    ),
    ((openai.NotFoundError,), Misconfigured, "model_unknown", UNKNOWN),
    ((openai.RateLimitError,), Unavailable, "model_busy", "The chat endpoint allows no more requests for now."),
    ((openai.InternalServerError,), Unavailable, "model_failed", "The chat endpoint failed."),
    (
        (openai.APIStatusError,),
        Misconfigured,
        "model_rejected",
        "The chat endpoint rejected the form of the request: check {0}__MODEL and {0}__EXTRA_BODY.",
    ),
    ((openai.APIError,), Unavailable, "model_failed", "The chat endpoint failed."),
    ((Exception,), Unavailable, "model_unreadable", UNREADABLE),
)
"""The first row whose types fit an exception names it; `{0}` begins the names of the settings."""

MOVED: Final = "The chat endpoint is at another address: check {0}__BASE_URL."

IN_WORDS: Final = {
    401: ("model_denied", BAD_KEY),
    402: ("model_no_credit", NO_CREDIT),
    404: ("model_unknown", UNKNOWN),
}
"""By the status that an error says in words."""


class VendorError(Exception):
    """What may be known of a vendor's exception: its type and the HTTP status."""


@contextmanager
def translated(settings_prefix: str) -> Iterator[None]:
    """Turn whatever a vendor's client raises into `BadRequest` or `Unavailable`; our own errors pass."""
    try:
        yield
    except GapseekError:
        raise
    except Exception as exc:  # the client raises its own tree, httpx2's, KeyError and more
        raise translate(exc, settings_prefix) from VendorError(_describe(exc))


def translate(exc: Exception, settings_prefix: str) -> GapseekError:
    """Our error for a vendor's exception; one of ours that the vendor's client wrapped is itself again."""
    if isinstance(exc.__cause__, GapseekError):
        return exc.__cause__
    if is_refusal(exc):
        return BadRequest(REFUSED, code="model_refused")
    if is_overflow(exc):
        return BadRequest(TOO_LONG, code="model_context")
    if known := IN_WORDS.get(402 if is_without_credit(exc) else status_in_words(exc) or 0):
        return Misconfigured(known[1].format(settings_prefix), code=known[0])
    if isinstance(exc, openai.APIStatusError) and exc.status_code < 400:
        return Misconfigured(MOVED.format(settings_prefix), code="model_unknown")
    error, code, sentence = next(row[1:] for row in FAULTS if isinstance(exc, row[0]))
    return error(sentence.format(settings_prefix), code=code)


def is_overflow(exc: Exception) -> bool:
    """Whether the prompt is too long for the model.

    langchain-openai looks for the code in the message, where openai 3 no longer puts it.
    """
    return isinstance(exc, ContextOverflowError) or signs.is_overflow(exc)


def is_not_offered(exc: Exception) -> bool:
    """Whether the endpoint may take the same prompt in a less binding form.

    400 and 422 say so whatever they tell; 404 and 5xx only when they name the form, since they mean much else.
    """
    if not isinstance(exc, openai.APIStatusError) or is_refusal(exc) or is_overflow(exc):
        return False
    if is_without_credit(exc) or status_in_words(exc):
        return False
    named = bool(FORM_WORDS.search(said(exc)))
    return exc.status_code in (400, 422, 501) or (exc.status_code in (404, 500) and named)


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
