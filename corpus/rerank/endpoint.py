"""Rerank by an HTTP endpoint: the shape that Jina, Cohere, SiliconFlow, DashScope, vLLM and llama.cpp have in common.

`POST {base}/rerank {"model", "query", "documents", "top_n"}` gives `{"results": [{"index", "relevance_score"}]}`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import httpx
from pydantic import SecretStr

import errors
from endpoints.http import LOOPBACK

LONGEST_PASSAGE: Final = 8_000
"""Characters of a passage that are sent; rerank models read 512 to 8,192 tokens."""

LARGEST_REPLY: Final = 2_000_000
"""Bytes read of a reply: a hundred results take 10 kB, or, where the endpoint sends the passages back, 1 MB."""

_PATHS: Final = ("/rerank", "/reranks")
_BAD: Final = "The rerank endpoint gave an answer that cannot be read."


class EndpointReranker:
    """Nothing is sent to any other address, and no redirect is followed. Close it with `aclose`."""

    def __init__(self, *, base_url: str, model: str, api_key: SecretStr | None, timeout_s: float) -> None:
        self.name = f"http:{model}"
        self._model = model
        base = base_url.rstrip("/")
        self._url = base if base.endswith(_PATHS) else f"{base}/rerank"
        headers = {"Authorization": f"Bearer {api_key.get_secret_value()}"} if api_key else {}
        self._http = httpx.AsyncClient(
            headers=headers, timeout=timeout_s, follow_redirects=False, mounts=dict.fromkeys(LOOPBACK)
        )

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One score a passage. Raises `errors.Unavailable`."""
        if not passages:
            return []
        documents = [passage[:LONGEST_PASSAGE] for passage in passages]
        body = {"model": self._model, "query": query, "documents": documents, "top_n": len(documents)}
        return _scores(await self._posted(body), len(documents))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _posted(self, body: dict[str, Any]) -> bytes:
        try:
            async with self._http.stream("POST", self._url, json=body) as reply:
                if reply.status_code != httpx.codes.OK:
                    told = httpx.HTTPStatusError(
                        "", request=reply.request, response=reply
                    )  # of no word, for a diagnosis
                    raise errors.Unavailable(f"The rerank endpoint answered with status {reply.status_code}.") from told
                return await _bounded(reply)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise errors.Unavailable("The rerank endpoint does not answer.") from error


async def _bounded(reply: httpx.Response) -> bytes:
    received = bytearray()
    async for piece in reply.aiter_bytes():
        received += piece
        if len(received) > LARGEST_REPLY:
            raise errors.Unavailable("The rerank endpoint gave an answer that is too large.")
    return bytes(received)


def _scores(reply: bytes, count: int) -> list[float]:
    """The scores in the order of the passages; each must have exactly one."""
    try:
        results = json.loads(reply)["results"]
        scores = {int(one["index"]): float(one["relevance_score"]) for one in results}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise errors.Unavailable(_BAD) from error
    if len(results) != count or scores.keys() != set(range(count)) or not all(map(math.isfinite, scores.values())):
        raise errors.Unavailable(_BAD)
    return [scores[index] for index in range(count)]
