"""What goes wrong with an embeddings endpoint, as a sentence that names the setting and nothing that was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import httpx2
import openai

import errors
from endpoints.signs import is_no_number, is_overflow, is_refusal, status_in_words

_SETTINGS: Final = "GAPSEEK_EMBEDDINGS"
_LASTING: Final[Mapping[int, str]] = {
    401: f"does not accept the API key: check {_SETTINGS}__API_KEY",
    402: f"says that the account of {_SETTINGS}__API_KEY has no credit left",
    403: f"does not let this API key use this model: check {_SETTINGS}__API_KEY and {_SETTINGS}__MODEL",
    404: f"does not know this model or this address: check {_SETTINGS}__MODEL and {_SETTINGS}__BASE_URL",
    405: f"takes no such request at this address: check {_SETTINGS}__BASE_URL",
}
"""By status what goes on until a setting or an account is mended."""
_MOVED: Final = f"is at another address: check {_SETTINGS}__BASE_URL"
_UNREACHED: Final = f"cannot be reached or broke off: check {_SETTINGS}__BASE_URL"
_UNREADABLE: Final = f"sent something that cannot be read: check {_SETTINGS}__BASE_URL if it goes on"

_OF_THE_TEXTS: Final = (400, 413, 422)


class Refused(Exception):
    """The endpoint did not like what it was sent; `said` are its own words, which are read and never shown."""

    def __init__(self, words: str) -> None:
        super().__init__("refused")
        self.said = words


class UnreadableError(Exception):
    """A reply without a list of vectors that is no error either."""


def is_of_the_texts(exc: Exception) -> bool:
    """Whether other texts, or fewer of them, might be taken."""
    if not isinstance(exc, openai.APIStatusError):
        return False
    if status_in_words(exc):
        return False
    return exc.status_code in _OF_THE_TEXTS or is_refusal(exc) or is_overflow(exc) or is_no_number(exc)


def translate(exc: Exception, embedder: str) -> errors.GapseekError:
    """Our error for what the vendor's client raised; one of ours that it wrapped is itself again."""
    if isinstance(exc.__cause__, errors.GapseekError):
        return exc.__cause__
    lasting = _lasting(exc)
    kind = errors.Misconfigured if lasting else errors.Unavailable
    return kind(f"The embeddings endpoint {lasting or _passing(exc)} ({embedder}).")


def _lasting(exc: Exception) -> str | None:
    if not isinstance(exc, openai.APIStatusError):
        return None
    return _MOVED if 300 <= exc.status_code < 400 else _LASTING.get(status_in_words(exc) or exc.status_code)


def _passing(exc: Exception) -> str:
    if isinstance(exc, openai.APIStatusError):
        return "allows no more requests for now" if exc.status_code == 429 else f"failed with status {exc.status_code}"
    if isinstance(exc, TimeoutError | openai.APITimeoutError):
        return "did not answer in time"
    return _UNREACHED if isinstance(exc, openai.APIConnectionError | httpx2.TransportError) else _UNREADABLE
