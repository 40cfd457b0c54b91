"""Where a chat model is, and what it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import SecretStr

from endpoints.http import OPENAI

TokenLimitName = Literal["max_tokens", "max_completion_tokens"]

USUAL_LIMIT: Final = 2_000
LARGER_LIMIT: Final = 8_000
"""Tokens of one reply: a round's grades or an answer take some 1,000, a model that thinks takes several thousand."""


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in whatever currency the deployment counts."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The price of so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True)
class ChatEndpoint:
    """A chat model behind an OpenAI-compatible address; `base_url` None means OpenAI's own.

    `timeout_s` is the longest that one call may take, its retries included. `max_tokens` limits one reply, its thought
    included, under the name that the endpoint knows; without it a limit of ours holds, which grows once a reply was cut
    at it, up to half of `context_tokens`. `settings_prefix` begins the names of the settings that a sentence may tell.
    """

    model: str
    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_s: float = 30.0
    connect_timeout_s: float = 5.0
    temperature: float | None = 0.0
    max_tokens: int | None = None
    context_tokens: int = 16_000
    token_limit_name: TokenLimitName = "max_tokens"  # noqa: S105 (no password)
    retries: int = 2
    concurrency: int = 8
    extra_body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    price: Price | None = None
    settings_prefix: str = "GAPSEEK_CHAT"

    @property
    def address(self) -> str:
        return self.base_url or OPENAI

    @property
    def larger_limit(self) -> int:
        """The limit of a reply after one was cut at the usual one."""
        return self.max_tokens or max(USUAL_LIMIT, min(LARGER_LIMIT, self.context_tokens // 2))
