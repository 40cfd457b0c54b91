"""An error of a call as a finding: the sentence that an ask would give, and the setting that it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from context.doctor.findings import Finding, Status
from errors import GapseekError
from reasoner.faults import translate

_ABOUT: Final[Mapping[str, tuple[str, str]]] = {
    "model_timeout": ("TIMEOUT_S", "more seconds than now"),
    "model_unreachable": ("BASE_URL", "the address at which the server answers"),
    "model_denied": ("API_KEY", "a valid key of this provider"),
    "model_unknown": ("MODEL", "a name that the endpoint knows"),
    "model_rejected": ("EXTRA_BODY", "only what this endpoint knows, or {}"),
    "model_context": ("CONTEXT_TOKENS", "the context length of the server"),
    "model_cut_off": ("MAX_TOKENS", "more tokens, thought included"),
    "model_empty": ("MAX_TOKENS", "more tokens, thought included"),
    "model_endless": ("BASE_URL", "the address of a chat endpoint"),
    "model_thought": ("EXTRA_BODY", "what turns thinking off"),
    "model_unreadable": ("BASE_URL", "the address of an OpenAI-compatible API, mostly ending in /v1"),
    "model_no_credit": ("API_KEY", "a key of an account with credit, or pay for this one"),
    "model_busy": ("CONCURRENCY", "fewer calls at a time, where the provider's limit is not used up"),
}


def trouble(exc: Exception, prefix: str, status: Status = "fail") -> Finding:
    """What an ask would be told of this."""
    error = exc if isinstance(exc, GapseekError) else translate(exc, prefix)
    about = _ABOUT.get(error.reason)
    return Finding(status, error.sentence, *((f"{prefix}__{about[0]}", about[1]) if about else ()))
