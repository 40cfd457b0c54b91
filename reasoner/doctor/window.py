"""Whether a long prompt is read to its end: some servers cut it without a word."""

from __future__ import annotations

import math
from typing import Final

from langchain_core.messages import AIMessage

from context.doctor.findings import Finding
from errors import GapseekError
from reasoner.bill import CUT_BELOW
from reasoner.doctor.overheard import Overheard
from reasoner.doctor.trouble import trouble
from reasoner.faults import translated
from reasoner.thinking import answer_only
from text.token_estimate import estimate_tokens

LONG: Final = 8_000
"""Tokens of the prompt: twice what servers that cut mostly have room for unless told otherwise."""
SHARE: Final = 0.8
"""Of the window that is set, the part that a whole prompt may fill; the reply needs room too."""
LEAST: Final = 4_096
"""The smallest window that can be set."""

WORD: Final = "heron-4071"
_HEAD: Final = f"The code word is {WORD}. Remember it."
_LINE: Final = "Entry {number}: on this day nothing of note was seen at the gate, and the keeper went home early."
_TAIL: Final = "What is the code word that stands above all entries? Reply with it alone."


class Window:
    """`whole` sends a prompt as long as the setting allows, however much that costs."""

    def __init__(self, caller: Overheard, whole: bool) -> None:
        self._caller = caller
        self._setting = f"{caller.endpoint.settings_prefix}__CONTEXT_TOKENS"
        room = int(caller.endpoint.context_tokens * SHARE)
        self.tokens = room if whole else min(LONG, room)

    async def window(self) -> Finding:
        """A word at the head of a long prompt, asked for at its end."""
        prompt = long_prompt(self.tokens)
        prefix = self._caller.endpoint.settings_prefix
        try:
            with translated(prefix):
                reply = await self._caller.say(prompt)
        except GapseekError as error:
            return self._too_long(error) if error.reason == "model_context" else trouble(error, prefix, "warn")
        return self._read(reply, estimate_tokens(prompt))

    def _read(self, reply: AIMessage, sent: int) -> Finding:
        counted = (reply.usage_metadata or {"input_tokens": 0})["input_tokens"]
        recalled = WORD in answer_only(reply.text).lower()
        if counted and counted < sent * CUT_BELOW:
            sentence = (
                f"Of a prompt of about {sent:,} tokens only {counted:,} were counted: the rest is cut without a word."
            )
            return Finding("warn", sentence, self._setting, _at_most(counted))
        if not recalled:
            sentence = f"What stands at the head of a prompt of about {sent:,} tokens is not recalled: it may be cut."
            return Finding("warn", sentence, self._setting, _at_most(counted or 0))
        beyond = "" if sent >= self._caller.endpoint.context_tokens * SHARE * 0.9 else " Longer ones were not tried."
        return Finding("ok", f"A prompt of about {sent:,} tokens is read whole.{beyond}")

    def _too_long(self, error: GapseekError) -> Finding:
        sentence = f"A prompt of about {self.tokens:,} tokens is refused as too long, though the setting allows it."
        return Finding("warn", sentence, self._setting, _at_most(0))


def long_prompt(tokens: int) -> str:
    """About so many tokens by our estimate."""
    lines = math.ceil(tokens / estimate_tokens(_LINE))
    return "\n".join([_HEAD, *(_LINE.format(number=number) for number in range(1, lines + 1)), _TAIL])


def _at_most(counted: int) -> str:
    """The context length of the server is ours to name only where it can be set."""
    if counted > LEAST:
        return f"{counted}, or raise the context length of the server to what is set"
    return f"the context length of the server, once raised to {LEAST:,} or more"
