"""A streamed answer, and whether the endpoint tells what calls cost."""

from __future__ import annotations

from contextlib import aclosing
from typing import Final

from langchain_core.messages import HumanMessage

from context.doctor.findings import Finding
from context.reasoning import Usage
from errors import GapseekError
from reasoner.chat_model import ChatModel
from reasoner.doctor.overheard import Overheard
from reasoner.doctor.trouble import trouble

COUNT: Final = "Count from 1 to 20 in digits, separated by commas."
CALLS: Final = 2
"""Whether a stream may be asked for its usage takes a second call to learn."""


class Streaming:
    """Streams as an answer does: whole or not at all."""

    def __init__(self, caller: Overheard) -> None:
        self._caller = caller
        self._prefix = caller.endpoint.settings_prefix
        self._usage: Usage | None = None

    async def stream(self) -> Finding:
        """One answer, as asks stream them."""
        model, bill = ChatModel(self._caller.endpoint, caller=self._caller), self._caller.purse(CALLS)
        try:
            async with aclosing(model.stream([HumanMessage(COUNT)], bill)) as pieces:
                async for piece in pieces:
                    self._usage = piece if isinstance(piece, Usage) else self._usage
        except GapseekError as error:
            return self._broken(error)
        pieces_with_text = sum(bool(chunk.text) for chunk in self._caller.chunks)
        if pieces_with_text < 2:
            sentence = "A streamed answer comes in one piece: nothing is seen until it is whole."
            value = "an address without a proxy that holds streams back"
            return Finding("warn", sentence, f"{self._prefix}__BASE_URL", value)
        return Finding("ok", "An answer is streamed in pieces and says where it ends.")

    async def usage(self) -> Finding:
        """Tokens as the endpoint reports them, else estimated."""
        if not all(reply.usage_metadata for reply in self._caller.replies):
            return Finding(
                "warn", "The endpoint reports no usage: tokens are estimated, and budgets hold by estimates."
            )
        return Finding("ok", "Usage is reported.")

    async def stream_usage(self) -> Finding:
        """The same of a stream, which has to be asked for it."""
        if self._caller.manners.stream_options is False:
            return Finding("warn", "Streams cannot be asked for usage: tokens of answers are estimated.")
        if self._usage is None or self._usage.estimated:
            return Finding("warn", "Streams report no usage, though asked: tokens of answers are estimated.")
        return Finding("ok", "Streams report usage.")

    def _broken(self, error: GapseekError) -> Finding:
        ended = any(chunk.response_metadata.get("finish_reason") for chunk in self._caller.chunks)
        if error.reason == "model_cut_off" and not ended:
            sentence = "The stream ends without saying that it is whole: each answer would count as cut off."
            value = "an address without a proxy that cuts streams"
            return Finding("fail", sentence, f"{self._prefix}__BASE_URL", value)
        return trouble(error, self._prefix)
