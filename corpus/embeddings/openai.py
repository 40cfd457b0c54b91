"""Embeddings from any endpoint that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import numpy as np
import openai
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr

import errors
from context.retrieval import Vectors
from corpus.cache import LRU
from corpus.embeddings.limits import fewer, most_texts
from text.normalise import clean
from text.token_estimate import beginning

Row = list[float]

_MOST_CHARACTERS: Final = 8_000
_MOST_REFUSED: Final = 3  # texts, before no more are tried
_MOST_PAID: Final = 256
_SHOWN_CHARACTERS: Final = 30
TEXT_REFUSED: Final = "text_refused"
"""The error's code when it is the texts that cannot be embedded, now or later."""
_BAD_INPUT: Final = (400, 413, 422)

_log = logging.getLogger(__name__)


class OpenAIEmbedder:
    """Texts go out as they are: no prefix, no token ids, so that no tokeniser is ever downloaded.

    Without `batch`, requests are as large as the provider is known to take. What an endpoint refuses is sent again in
    smaller parts, until it takes it or a single text is refused, which is then named. Of a text that has more than
    `context_tokens` its beginning is embedded.
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
    ) -> None:
        self.name = f"openai/{model}"
        self.dimension = dimension
        self.common: Vectors | None = None
        self.failing: str | None = None
        """What the endpoint failed with last, None once it answers again."""
        self._batch = batch or most_texts(base_url, model)
        self._context_tokens = context_tokens
        self._paid: LRU[str, Row] = LRU(_MOST_PAID)
        # Its own connections: the package's shared ones outlive the event loop that made them.
        self._http = openai.DefaultAsyncHttpxClient(timeout=timeout_s)
        self._client = OpenAIEmbeddings(
            model=model,
            base_url=base_url,
            # An endpoint without keys is given one all the same: the client refuses to start without.
            api_key=api_key or SecretStr("none"),
            check_embedding_ctx_length=False,
            model_kwargs={"encoding_format": "float"},
            chunk_size=2_048,  # more than is ever sent: how much goes into a request is decided here
            timeout=timeout_s,
            max_retries=2,
            http_async_client=self._http,
        )

    @classmethod
    async def connect(
        cls,
        *,
        model: str,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
        batch: int | None = None,
        timeout_s: float = 30.0,
        context_tokens: int = 16_000,
    ) -> OpenAIEmbedder:
        """Ask the endpoint for one vector to learn its dimension. Raises `errors.Unavailable`."""
        embedder = cls(
            model=model,
            dimension=0,
            base_url=base_url,
            api_key=api_key,
            batch=batch,
            timeout_s=timeout_s,
            context_tokens=context_tokens,
        )
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
        self.dimension = len((await self._request(["dimension"]))[0])

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension), in batches. Raises `errors.Unavailable`, `ValueError` for an empty text.

        What was paid for in a call that failed is not paid for again in the next one.
        """
        prepared = [_prepared(text, self._context_tokens) for text in texts]
        found = {text: row for text in prepared if (row := self._paid.get(text)) is not None}
        try:
            await self._find([text for text in dict.fromkeys(prepared) if text not in found], found)
        except BaseException:
            for text, row in found.items():
                self._paid.put(text, row)
            raise
        rows = [found[text] for text in prepared]
        if any(len(row) != self.dimension for row in rows):
            raise errors.Unavailable(
                f"The embeddings endpoint gave vectors of another dimension than {self.dimension} for {self.name}."
            )
        return _unit(np.asarray(rows, np.float32).reshape(len(rows), self.dimension))

    passages = queries

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _find(self, texts: list[str], found: dict[str, Row]) -> None:
        """Put the texts' rows into `found`; everything that can be embedded is, even when something cannot."""
        batch, waiting, refused = self._batch, texts, list[str]()
        while waiting and len(refused) < _MOST_REFUSED:
            sent = waiting[:batch]
            try:
                found.update(zip(sent, await self._request(sent), strict=True))
            except _RefusedError as error:
                if len(sent) > 1:
                    batch = fewer(len(sent), error.said)
                    continue
                refused += sent
                batch = self._batch  # it was this text, and not how many there were
            waiting = waiting[len(sent) :]
        if refused:
            sentence = f"The embeddings endpoint refused {_named(refused)} for {self.name}."
            raise errors.Unavailable(sentence, code=TEXT_REFUSED)
        self._learn(batch)

    def _learn(self, batch: int) -> None:
        if batch < self._batch:
            _log.warning("The embeddings endpoint takes %d texts in a request and not %d", batch, self._batch)
            self._batch = batch

    async def _request(self, texts: list[str]) -> list[Row]:
        """Raises `errors.Unavailable`, in the form of `_RefusedError` where other texts might be taken."""
        try:
            rows: list[Row] = await self._client.aembed_documents(texts)
        except (openai.OpenAIError, AttributeError, LookupError, TypeError, ValueError) as error:
            sentence = f"The embeddings endpoint failed for {self.name}: {_kind(error)}."
            if isinstance(error, openai.APIStatusError) and error.status_code in _BAD_INPUT:
                raise _RefusedError(sentence, error.message) from error
            self.failing = sentence
            raise errors.Unavailable(sentence) from error
        self.failing = None
        if len(rows) != len(texts) or not all(rows):
            raise errors.Unavailable(
                f"The embeddings endpoint gave {sum(map(bool, rows))} vectors for {len(texts)} texts for {self.name}."
            )
        return rows


class _RefusedError(errors.Unavailable):
    """The endpoint did not like what it was sent; `said` are its own words, which are read and never shown."""

    def __init__(self, sentence: str, said: str) -> None:
        super().__init__(sentence)
        self.said = said


def _named(texts: list[str]) -> str:
    """The beginnings of texts, so that their author recognises them."""
    beginnings = ", ".join(f"“{text[:_SHOWN_CHARACTERS]}”" for text in texts)
    return f"the text that begins {beginnings}" if len(texts) == 1 else f"the texts that begin {beginnings}"


def _kind(error: Exception) -> str:
    """What went wrong, without the endpoint's own words: they may hold the key or the address."""
    if isinstance(error, openai.APIStatusError):
        return f"status {error.status_code}"
    if isinstance(error, openai.APIConnectionError):
        return "no answer"
    return "an empty or malformed reply"


def _prepared(text: str, most_tokens: int) -> str:
    prepared = beginning(clean(text).strip()[:_MOST_CHARACTERS], most_tokens)
    if not prepared:
        raise ValueError("An empty text has no vector.")
    return prepared


def _unit(rows: Vectors) -> Vectors:
    """Rows of length one; a row of zeros or with a NaN is no vector."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if rows.size and (not np.isfinite(lengths).all() or not lengths.all()):
        raise errors.Unavailable("The embeddings endpoint gave a vector without a direction.")
    return np.asarray(rows / lengths, np.float32)
