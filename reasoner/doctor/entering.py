"""The first call to a chat model: its address, the way there, the key, the model, a plain reply."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

import httpx2
import openai
from langchain_core.messages import AIMessage

from context.doctor.address import look_at
from context.doctor.door import Door, status_of
from context.doctor.findings import Finding
from endpoints.signs import is_without_credit
from errors import GapseekError
from reasoner.doctor.overheard import Overheard
from reasoner.doctor.trouble import trouble
from reasoner.replies import is_cut
from reasoner.thinking import answer_only

HELLO: Final = "Reply with the one word: ready"
CALLS: Final = 4
"""The call itself, and what is learnt on the way: the limit's name, the temperature, whether it must not think."""

_NAME: Final = re.compile(r"[\w./:@+-]{1,80}")
_NEAR: Final = 3
_MAY_BE_THE_MODEL: Final = (400, 404, 422)


class Entering:
    """One call answers for several steps, so that none is paid for twice."""

    def __init__(self, caller: Overheard) -> None:
        self._caller = caller
        self._prefix = caller.endpoint.settings_prefix
        self._first: AIMessage | Exception = TimeoutError("nothing was asked yet")

    async def address(self) -> Finding:
        return look_at(self._caller.endpoint.address, f"{self._prefix}__BASE_URL")

    async def reach(self) -> Finding:
        try:
            self._first = await self._caller.say(HELLO, CALLS)
        except Exception as exc:  # the client raises its own tree, httpx2's, KeyError and more
            self._first = exc
        return self._door.reach()

    async def auth(self) -> Finding:
        if self._error is not None and is_without_credit(self._error):
            return trouble(self._error, self._prefix)
        return self._door.auth()

    async def model(self) -> Finding:
        if self._error is None:
            return Finding("ok", "The model is known.")
        if status_of(self._error) not in _MAY_BE_THE_MODEL:
            return Finding("ok", "The endpoint says nothing against the model.")
        return await self._unknown(self._error)

    async def reply(self) -> Finding:
        if isinstance(self._first, Exception):
            return trouble(self._first, self._prefix)
        if answer_only(self._first.text):
            return Finding("ok", "A plain question is answered.")
        more = f"{self._prefix}__MAX_TOKENS", "more tokens, thought included"
        if is_cut(self._first):
            return Finding("fail", "A plain question gets no answer: all room went into thought.", *more)
        return Finding("warn", "A plain question gets an empty answer.", f"{self._prefix}__MODEL", "a chat model")

    async def _unknown(self, error: Exception) -> Finding:
        """404 for a wrong model or a wrong address; which of them, the list of models shows where there is one."""
        try:
            names = await self._caller.listed()
        except (openai.APIError, httpx2.HTTPError, GapseekError, AttributeError, TypeError, TimeoutError):
            return self._without_list(error)
        wanted = self._caller.endpoint.model
        if wanted in names:
            return self._rejected(error)
        near = [name for name in get_close_matches(wanted, names, _NEAR, 0.4) if _NAME.fullmatch(name)]
        told = ", ".join(near) or "a name of its list"
        return Finding("fail", "The endpoint does not know this model.", f"{self._prefix}__MODEL", told)

    def _without_list(self, error: Exception) -> Finding:
        if status_of(error) != 404:
            return self._rejected(error)
        sentence = "The endpoint knows neither this address nor a list of models: model or address is wrong."
        value = "the address up to and including /v1, or as the provider gives it"
        return Finding("fail", sentence, f"{self._prefix}__BASE_URL", value)

    def _rejected(self, error: Exception) -> Finding:
        if status_of(error) != 404:
            return Finding("ok", "The endpoint says nothing against the model.")
        sentence = "The endpoint lists this model and does not chat with it."
        return Finding("fail", sentence, f"{self._prefix}__MODEL", "a chat model, rather than one for embeddings")

    @property
    def _error(self) -> Exception | None:
        return self._first if isinstance(self._first, Exception) else None

    @property
    def _door(self) -> Door:
        endpoint = self._caller.endpoint
        return Door("The chat endpoint", self._prefix, endpoint.address, endpoint.api_key is not None, self._error)
