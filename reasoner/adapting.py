"""What an endpoint refuses of a request's form besides the way to ask for JSON, and how the next one is without it."""

from __future__ import annotations

import re
from typing import Any, Final

import openai

from endpoints.signs import is_refusal, said, status_in_words
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.faults import is_overflow
from reasoner.lines import Manners

_LIMIT_NAME: Final = re.compile(r"max_(?:completion_)?tokens")
NO_THOUGHT: Final = "enable_thinking"
"""Which DashScope and ModelScope want set to false for some models wherever a reply is not streamed."""
_TOLD: Final = (400, 422)


def adapted(exc: Exception, manners: Manners, endpoint: ChatEndpoint) -> bool:
    """Whether the error names a part that the next request is without; it is learnt for all further ones.

    Newer models of OpenAI know only `max_completion_tokens` and no temperature but theirs; many others the reverse.
    """
    if not isinstance(exc, openai.APIStatusError) or exc.status_code not in _TOLD or is_overflow(exc):
        return False
    told = said(exc)
    if "stream_options" in told and manners.stream_options is not False:
        manners.stream_options = False
    elif _LIMIT_NAME.search(told) and manners.token_limit_name == endpoint.token_limit_name:
        swapped = endpoint.token_limit_name == "max_tokens"  # noqa: S105 (no password)
        manners.token_limit_name = "max_completion_tokens" if swapped else "max_tokens"
    elif NO_THOUGHT in told and manners.may_think and NO_THOUGHT not in endpoint.extra_body:
        manners.may_think = False
    elif "temperature" in told and manners.temperature and endpoint.temperature is not None:
        manners.temperature = False
    else:
        return False
    return True


def may_be_stream_options(exc: Exception) -> bool:
    """Whether an error that names nothing may mean that a stream cannot be asked for its usage."""
    told = isinstance(exc, openai.APIStatusError) and exc.status_code in _TOLD
    return told and not (is_refusal(exc) or is_overflow(exc) or status_in_words(exc))


def parameters(endpoint: ChatEndpoint, manners: Manners) -> dict[str, Any]:
    """The body of a request beside model and messages; the deployment's own part has the last word."""
    own: dict[str, Any] = {manners.token_limit_name: manners.token_limit}
    if manners.temperature and endpoint.temperature is not None:
        own["temperature"] = endpoint.temperature
    if not manners.may_think:
        own[NO_THOUGHT] = False
    return own | dict(endpoint.extra_body)
