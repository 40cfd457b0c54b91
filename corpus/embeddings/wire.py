"""One request for embeddings over HTTP: strings out, one vector a text back, one layer of retries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Final

import httpx2
import openai
from pydantic import SecretStr

import errors
from context.retrieval import Vectors
from corpus.embeddings.faults import UnreadableError
from corpus.embeddings.reply import vectors_in
from endpoints.http import NO_KEY, OPENAI, http_client, without_credentials
from endpoints.retries import retrying

LONGEST_WAIT_S: Final = 60.0
"""Most that is waited for an endpoint that says when to come back: their limits are by the minute."""
_CONNECT_S: Final = 5.0
_LARGEST_REPLY: Final = 64_000_000
"""Bytes of one reply that are read: 64 vectors of 8,192 numbers, with 22 characters for each, take 12 MB."""

_ENCODINGS: Final = ("float", None, "base64")
"""Ways to ask for the numbers, the plainest first; None says nothing of it. Replies in either form are read."""
_ENCODING_NAMED: Final = re.compile("encoding|base64", re.IGNORECASE)


class Wire:
    """One model behind one address; nothing is sent to any other. Close it with `close`."""

    def __init__(
        self, *, model: str, base_url: str | None, api_key: SecretStr | None, timeout_s: float, retries: int
    ) -> None:
        address, headers = without_credentials(base_url or OPENAI)
        self._model = model
        self._timeout_s = timeout_s
        self._retries = retries
        self._encoding = 0
        # Its own connections: the package's shared ones outlive the event loop that made them.
        self._http = http_client(timeout_s, _CONNECT_S, _LARGEST_REPLY, _endless)
        self._client = openai.AsyncOpenAI(
            base_url=address,
            api_key=(api_key or NO_KEY).get_secret_value(),
            default_headers=headers,
            max_retries=0,
            http_client=self._http,
        )

    async def ask(self, texts: list[str]) -> list[Vectors | None]:
        """A vector of length one for each text, None where the endpoint sent none that can be used.

        Raises what the vendor's client raises, `TimeoutError` and `UnreadableError`.
        """
        while True:
            encoding = self._encoding
            try:
                return await retrying(lambda: self._once(texts), self._retries, lambda: LONGEST_WAIT_S)
            except openai.APIStatusError as exc:
                if not self._may_ask_otherwise(exc, encoding):
                    raise

    async def close(self) -> None:
        await self._http.aclose()

    async def _once(self, texts: list[str]) -> list[Vectors | None]:
        body: dict[str, Any] = {"input": texts, "model": self._model}
        if encoding := _ENCODINGS[self._encoding]:
            body["encoding_format"] = encoding
        # The package's own method asks for base64 where nothing is said of it, and drops what is odd in a reply.
        async with asyncio.timeout(self._timeout_s):
            response = await self._client.post("/embeddings", cast_to=httpx2.Response, body=body)
        return vectors_in(_data(response), len(texts))

    def _may_ask_otherwise(self, exc: openai.APIStatusError, encoding: int) -> bool:
        """Whether the form of the numbers was refused, and there is another; it is kept for further requests."""
        if exc.status_code not in (400, 422) or not _ENCODING_NAMED.search(exc.message):
            return False
        if self._encoding == encoding and encoding + 1 < len(_ENCODINGS):
            self._encoding = encoding + 1
            return True
        return self._encoding != encoding


def _endless() -> errors.GapseekError:
    return errors.Unavailable("The embeddings endpoint sent a reply without an end.")


def _data(response: httpx2.Response) -> list[Any]:
    """The rows of a reply; an error that came with 200 is raised as if it had come with its own status."""
    try:
        body = response.json()
    except ValueError as error:
        raise UnreadableError from error
    if not isinstance(body, dict):
        raise UnreadableError
    data = body.get("data")
    if isinstance(data, list) and not body.get("error"):
        return data
    if not (body.get("error") or {"code", "message"} <= body.keys()):
        raise UnreadableError
    raise _as_error(response, body)


def _as_error(response: httpx2.Response, body: Mapping[str, Any]) -> openai.APIStatusError:
    error = body.get("error") or body
    told = error if isinstance(error, dict) else {"message": str(error)}
    status = next((number for name in ("status", "code") if (number := _status(told.get(name)))), 400)
    same = httpx2.Response(status, headers=response.headers, request=response.request)
    return openai.APIStatusError(str(told.get("message", "")), response=same, body=told)


def _status(told: object) -> int | None:
    """An HTTP status that stands for an error, as a number or as text."""
    number = int(told) if isinstance(told, int | str) and str(told).isdecimal() else 0
    return number if 400 <= number < 600 else None
