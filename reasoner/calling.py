"""One function call from a chat model: by `tools`, and where an endpoint has none, in a form.

What was learnt is remembered for the model: whether it may be told that it must call, whether it may be offered tools
at all. Of several calls in one reply the first counts.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import openai
from langchain_core.messages import AIMessage, BaseMessage

from endpoints.signs import REFUSALS
from errors import BadRequest
from reasoner.bill import Bill
from reasoner.caller import Caller
from reasoner.client import ARGUMENTS, FUNCTIONS
from reasoner.faults import REFUSED, is_not_offered
from reasoner.lines import Offer
from reasoner.replies import CUT, is_cut, objects_of, read, texts
from reasoner.structured import Ladder
from reasoner.tool_forms import ToolForm, functions
from state import Language

Called = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments, as the model wrote them."""

_log = logging.getLogger(__name__)

_CHOICE: Final = {Offer.REQUIRED: "required", Offer.AUTO: "auto"}


class Calling:
    """One choice of a tool."""

    def __init__(self, caller: Caller, messages: Sequence[BaseMessage], language: Language) -> None:
        self._caller = caller
        self._messages = list(messages)
        self._language = language

    async def call(self, bill: Bill) -> Called | None:
        """The call; None when no reply could be used and the calls are used up.

        Raises what `Caller` raises, and `errors.BadRequest` when the model refuses the content.
        """
        while bill.left and self._caller.manners.offer is not Offer.NONE:
            reply = await self._reply(bill)
            if reply is None:
                continue
            if (called := self._read(reply)) is not None:
                return called
            if not (is_cut(reply) and self._caller.outgrown(CUT)):
                self._step_down()
        form = await Ladder(self._caller, ToolForm, self._messages, self._language).climb_down(bill)
        return (form.tool, form.model_dump(exclude={"tool"})) if form else None

    async def _reply(self, bill: Bill) -> AIMessage | None:
        """None when the endpoint does not take tools in this way."""
        body = {"tools": functions(), "tool_choice": _CHOICE[self._caller.manners.offer]}
        try:
            reply = await self._caller.whole(self._messages, body, bill)
        except openai.APIStatusError as exc:
            if not is_not_offered(exc):
                raise
            self._step_down()
            return None
        bill.carried_out(self._messages, "".join(texts(reply)), reply.usage_metadata)
        return reply

    def _read(self, reply: AIMessage) -> Called | None:
        if reply.response_metadata.get("finish_reason") in REFUSALS or reply.additional_kwargs.get("refusal"):
            raise BadRequest(REFUSED, code="model_refused")
        kept = reply.additional_kwargs
        for name, written in zip(kept.get(FUNCTIONS, ()), kept.get(ARGUMENTS, ()), strict=False):
            return str(name), next(objects_of(str(written)), {})
        # Some servers write the call into the text instead.
        form = read(ToolForm, texts(reply), self._language).value
        return (form.tool, form.model_dump(exclude={"tool"})) if form else None

    def _step_down(self) -> None:
        manners = self._caller.manners
        manners.offer = Offer(manners.offer + 1)
        _log.info("the endpoint made no tool call; from now on it is asked with tools: %s", manners.offer.name)
