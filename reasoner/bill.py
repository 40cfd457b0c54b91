"""The calls and the time that one decision or answer may take, and what the calls that were made cost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from langchain_core.messages import BaseMessage
from langchain_core.messages.ai import UsageMetadata

from context.reasoning import Usage
from errors import GapseekError
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.lines import Manners
from text.token_estimate import estimate_tokens

_log = logging.getLogger(__name__)

CUT_BELOW: Final = 0.4
WORTH_A_LOOK: Final = 2_000
"""A prompt estimated at so many tokens, of which the endpoint counted less than this part, was not read to its end:
tokenizers differ from the estimate by less."""

CUT_PROMPT: Final = (
    "The chat endpoint counted %d tokens in a prompt of about %d: it seems to cut prompts without a word. "
    "Raise the context length of its server, or lower %s__CONTEXT_TOKENS to it."
)


class Bill:
    """Every call that reached the endpoint is on it, those that were turned down too; `ends_at` is a time of the
    running loop."""

    def __init__(self, endpoint: ChatEndpoint, manners: Manners, max_calls: int, timeout_s: float) -> None:
        self._endpoint = endpoint
        self._manners = manners
        self._max_calls = max_calls
        self.ends_at = asyncio.get_running_loop().time() + timeout_s
        self.usage: list[Usage] = []

    @property
    def left(self) -> int:
        """How many more calls may be made."""
        return self._max_calls - len(self.usage)

    def turned_down(self) -> None:
        """A call that the endpoint refused to carry out: it counts, and costs no token."""
        self.usage.append(Usage(self._endpoint.model, 0, 0, estimated=True))

    @contextmanager
    def told(self) -> Iterator[None]:
        """What fails within says what it has cost."""
        try:
            yield
        except GapseekError as error:
            error.made = tuple(self.usage)
            raise

    def carried_out(self, messages: Sequence[BaseMessage], written: str, reported: UsageMetadata | None) -> Usage:
        """A call with its tokens as reported, or else as estimated from the prompt and all that was written."""
        sent = sum(estimate_tokens(message.text) for message in messages)
        tokens, estimated = (sent, estimate_tokens(written)), True
        if reported and reported["input_tokens"] > 0:
            tokens, estimated = (reported["input_tokens"], reported["output_tokens"]), False
            self._look_at(sent, tokens[0])
        price = self._endpoint.price
        usage = Usage(self._endpoint.model, *tokens, estimated, price.of(*tokens) if price else None)
        self.usage.append(usage)
        return usage

    def _look_at(self, sent: int, read: int) -> None:
        if sent >= WORTH_A_LOOK and read < sent * CUT_BELOW and not self._manners.warned_of_cut:
            self._manners.warned_of_cut = True
            _log.warning(CUT_PROMPT, read, sent, self._endpoint.settings_prefix)
