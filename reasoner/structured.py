"""A form from a chat model, by a ladder: JSON schema, function call, JSON mode, plain text.

The rung that an endpoint takes is remembered for its model. What comes back is read alike on every rung: servers ignore
what they were asked for as often as they refuse it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Generic, TypeVar

import openai
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from endpoints.signs import REFUSALS
from errors import BadRequest
from reasoner.bill import Bill
from reasoner.caller import Caller
from reasoner.client import REASONING
from reasoner.faults import REFUSED, is_not_offered
from reasoner.lines import Rung
from reasoner.replies import CUT, NO_OBJECT, Reading, is_cut, read, texts
from reasoner.schemas import Form
from reasoner.thinking import answer_only, is_bare
from state import Language

F = TypeVar("F", bound=Form)

_log = logging.getLogger(__name__)

IN_FORM: Final[dict[Language, str]] = {
    "zh": "只回复一个符合以下 JSON Schema 的 json 对象，不要有任何其他文字：\n{schema}",
    "en": "Reply with nothing but one json object of this JSON Schema:\n{schema}",
}
"""The word json in lower case is what JSON mode asks of a prompt."""

AGAIN: Final[dict[Language, str]] = {
    "zh": "上一条回复无法使用：{error}。\n" + IN_FORM["zh"],
    "en": "That reply cannot be used: {error}.\n" + IN_FORM["en"],
}
ECHOED: Final = 2_000
"""Characters of a wrong reply that the model is shown again."""
BLANK_AFTER: Final = 200
"""Characters of white space at the end of a cut reply that tell of a JSON mode without an end."""


class Ladder(Generic[F]):
    """One decision: the rung that it stands on, and what was said so far."""

    def __init__(self, caller: Caller, form: type[F], messages: Sequence[BaseMessage], language: Language) -> None:
        self._caller = caller
        self._form = form
        self._said = list(messages)
        self._language = language
        self._rung = self._first = caller.manners.rung
        self._corrected = False

    async def climb_down(self, bill: Bill) -> F | None:
        """The form; None when no reply could be used, and the calls or the second chance are used up.

        Raises what `Caller` raises, and `errors.BadRequest` when the model refuses the content.
        """
        while bill.left:
            reply = await self._reply(bill)
            if reply is None:
                continue
            reading = self._read(reply)
            if reading.value is not None:
                return reading.value
            if not self._may_go_on(reply, reading):
                break
        self._give_up()
        return None

    async def _reply(self, bill: Bill) -> AIMessage | None:
        """What was said on this rung, None when the endpoint does not offer it and a lower one is left."""
        asked = _asked_on(self._rung, self._form, self._said, self._language)
        try:
            reply = await self._caller.whole(asked, _request(self._rung, self._form), bill)
        except openai.APIStatusError as exc:
            if not is_not_offered(exc):
                raise
            if self._rung is Rung.PLAIN:
                self._caller.manners.rung = self._first
                raise
            self._step_down()
            return None
        bill.carried_out(asked, "".join(texts(reply)), reply.usage_metadata)
        return reply

    def _step_down(self) -> None:
        self._rung = self._caller.manners.rung = Rung(self._rung + 1)
        _log.info("the endpoint does not offer %s; trying %s", Rung(self._rung - 1).name, self._rung.name)

    def _read(self, reply: AIMessage) -> Reading[F]:
        self._learn_of_thought(reply)
        if reply.response_metadata.get("finish_reason") in REFUSALS or reply.additional_kwargs.get("refusal"):
            raise BadRequest(REFUSED, code="model_refused")
        if is_cut(reply):
            return Reading(None, NO_OBJECT[self._language])
        return read(self._form, texts(reply), self._language)

    def _learn_of_thought(self, reply: AIMessage) -> None:
        """A form that is forced leaves no room for thought: only without one, a reply free of it tells of answers."""
        manners = self._caller.manners
        if is_bare(reply.text):
            manners.thinks_bare = True
        elif manners.thinks_bare is None and not is_cut(reply):
            apart = reply.additional_kwargs.get(REASONING)
            manners.thinks_bare = False if apart or self._rung is Rung.PLAIN else None

    def _may_go_on(self, reply: AIMessage, reading: Reading[F]) -> bool:
        """Whether another call may bring the form, which it then asks for in another way."""
        if is_cut(reply):
            return self._with_more_room(reply)
        if self._corrected:
            self._learn_of_silence(reply)
            return False
        self._corrected = True
        schema = _schema(self._form)[1]
        correction = AGAIN[self._language].format(error=reading.wrong, schema=schema)
        self._said += [AIMessage(answer_only(reply.text)[:ECHOED] or "…"), HumanMessage(correction)]
        return True

    def _learn_of_silence(self, reply: AIMessage) -> None:
        """A server that takes a way of asking and then says nothing, twice, is asked in another from now on."""
        if not texts(reply) and self._rung is not Rung.PLAIN:
            self._step_down()

    def _with_more_room(self, reply: AIMessage) -> bool:
        """A reply that ends in white space would do so in any room: it needs another rung."""
        if reply.text and not reply.text[-BLANK_AFTER:].strip() and self._rung is not Rung.PLAIN:
            self._step_down()
            return True
        return self._caller.outgrown(CUT)

    def _give_up(self) -> None:
        manners, endpoint = self._caller.manners, self._caller.endpoint
        manners.fallbacks += 1
        _log.warning(
            "no reply of %s to `%s` could be used; the safe default stands (the %d. time since the start). "
            "If replies are cut, raise %s__MAX_TOKENS.",
            endpoint.model,
            _schema(self._form)[0]["title"],
            manners.fallbacks,
            endpoint.settings_prefix,
        )


def _asked_on(rung: Rung, form: type[Form], messages: list[BaseMessage], language: Language) -> list[BaseMessage]:
    """The messages; on the rungs that send no schema beside them, with the schema at their end."""
    if rung < Rung.JSON_MODE:
        return messages
    schema = IN_FORM[language].format(schema=_schema(form)[1])
    return [*messages[:-1], HumanMessage(f"{messages[-1].text}\n\n{schema}")]


def _request(rung: Rung, form: type[Form]) -> Mapping[str, Any]:
    """The part of a request's body that asks for the form."""
    if rung is Rung.PLAIN:
        return {}
    if rung is Rung.JSON_MODE:
        return {"response_format": {"type": "json_object"}}
    schema = _schema(form)[0]
    if rung is Rung.FUNCTION:
        function = {"name": schema["title"], "parameters": schema}
        choice = {"type": "function", "function": {"name": schema["title"]}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    named = {"name": schema["title"], "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


@cache
def _schema(form: type[Form]) -> tuple[dict[str, Any], str]:
    """A form's JSON schema, and the same as text."""
    schema = form.json_form()
    return schema, json.dumps(schema, ensure_ascii=False)
