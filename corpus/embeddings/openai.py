"""Embeddings from any endpoint that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import httpx2
import numpy as np
import openai
from pydantic import SecretStr

import errors
from context.retrieval import Vectors
from corpus.cache import LRU
from corpus.embeddings.faults import Refused, UnreadableError, is_of_the_texts, translate
from corpus.embeddings.limits import most_texts
from corpus.embeddings.pieces import DimensionError, Pieces
from corpus.embeddings.refused import TextsRefused
from corpus.embeddings.wire import Wire
from endpoints.signs import said
from text.normalise import clean
from text.token_estimate import beginning

_MOST_CHARACTERS: Final = 8_000
_MOST_PAID: Final = 256

_log = logging.getLogger(__name__)


class OpenAIEmbedder:
    """Texts go out as they are: no prefix, no token ids, so that no tokeniser is ever downloaded.

    Without `batch`, requests are as large as the provider is known to take. What an endpoint refuses, or gives no
    usable vector for, is sent again in smaller parts, until a single text is left, which is then named. Of a text that
    has more than `context_tokens` its beginning is embedded.
    """

    def __init__(
        self,
        *,
        model: str,
        dimension: int,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
        batch: int | None = None,
        timeout_s: float = 30.0,
        context_tokens: int = 16_000,
        retries: int = 2,
    ) -> None:
        self.name = f"openai/{model}"
        self.dimension = dimension
        self.common: Vectors | None = None
        self.failing: str | None = None
        """What the endpoint failed with last, None once it answers again."""
        self._batch = batch or most_texts(base_url, model)
        self._context_tokens = context_tokens
        self._paid: LRU[str, Vectors] = LRU(_MOST_PAID)
        self._wire = Wire(model=model, base_url=base_url, api_key=api_key, timeout_s=timeout_s, retries=retries)

    @classmethod
    async def connect(
        cls, *, model: str, base_url: str | None = None, api_key: SecretStr | None = None, batch: int | None = None
    ) -> OpenAIEmbedder:
        """Ask the endpoint for one vector to learn its dimension. Raises `errors.Unavailable`."""
        embedder = cls(model=model, dimension=0, base_url=base_url, api_key=api_key, batch=batch)
        try:
            await embedder.learn_dimension()
        except BaseException:
            await embedder.close()
            raise
        return embedder

    @property
    def batch(self) -> int:
        """The most texts that go into a request, as far as is known."""
        return self._batch

    async def learn_dimension(self) -> None:
        """Ask for one vector and see how long it is. Raises `errors.Unavailable`."""
        pieces = Pieces(self._ask, 0)
        await pieces.send(["dimension"], 1)
        if pieces.refused:
            raise self._takes_nothing()
        self.dimension = len(pieces.found["dimension"])

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension), in batches. Raises `errors.Unavailable`, `ValueError` for an empty text.

        Raises `TextsRefused` where some have no vector. What was paid for in a call that failed is not paid for again
        in the next one.
        """
        prepared = {text: _prepared(text, self._context_tokens) for text in texts}
        paid = {text: row for text in prepared.values() if (row := self._paid.get(text)) is not None}
        found = paid | await self._found([text for text in dict.fromkeys(prepared.values()) if text not in paid])
        refused = [text for text in prepared if prepared[text] not in found]
        if refused:
            self._remember(found)
            raise TextsRefused(refused, self.name)
        return np.array([found[prepared[text]] for text in texts], np.float32).reshape(len(texts), self.dimension)

    passages = queries

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def _found(self, texts: list[str]) -> dict[str, Vectors]:
        """The vectors of all of these that have one. Raises `errors.Unavailable`."""
        pieces = Pieces(self._ask, self.dimension)
        try:
            size = await pieces.send(texts, self._batch)
        except DimensionError as error:
            raise self._other_model(error.dimension) from error
        except BaseException:
            self._remember(pieces.found)
            raise
        if pieces.in_vain:
            raise self._takes_nothing()
        if not pieces.refused:
            self._learn(size)
        return pieces.found

    def _remember(self, found: dict[str, Vectors]) -> None:
        for text, row in found.items():
            self._paid.put(text, row)

    def _learn(self, size: int) -> None:
        if size < self._batch:
            _log.warning("The embeddings endpoint takes %d texts in a request and not %d", size, self._batch)
            self._batch = size

    async def _ask(self, texts: list[str]) -> list[Vectors | None]:
        """Raises `errors.Unavailable`, `Refused` where other texts might be taken."""
        try:
            rows = await self._wire.ask(texts)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, UnreadableError) as exc:
            if is_of_the_texts(exc):
                raise Refused(said(exc)) from None
            error = translate(exc, self.name)
            self.failing = error.sentence
            raise error from None  # what the endpoint said may hold the key or a text
        self.failing = None
        return rows

    def _takes_nothing(self) -> errors.Misconfigured:
        return errors.Misconfigured(
            "The embeddings endpoint gave no vector for anything that it was sent: check GAPSEEK_EMBEDDINGS__MODEL and "
            f"GAPSEEK_EMBEDDINGS__BASE_URL ({self.name})."
        )

    def _other_model(self, dimension: int) -> errors.Misconfigured:
        self.failing = (
            f"The embeddings endpoint gives vectors of {dimension} numbers now, and the index was built with "
            f"{self.dimension}: go back to that model, or start again with this one and rebuild the index with "
            f"`gapseek reindex` ({self.name})."
        )
        return errors.Misconfigured(self.failing)


def _prepared(text: str, most_tokens: int) -> str:
    prepared = beginning(clean(text).strip()[:_MOST_CHARACTERS], most_tokens)
    if not prepared:
        raise ValueError("An empty text has no vector.")
    return prepared
