"""Embeddings from any endpoint that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import openai
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr

import errors
from context import Vectors
from text.normalise import clean

_MOST_CHARACTERS = 8_000


class OpenAIEmbedder:
    """Texts go out as they are: no prefix, no token ids, so that no tokeniser is ever downloaded."""

    def __init__(
        self,
        *,
        model: str,
        dimension: int,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
        batch: int = 64,
        timeout_s: float = 30.0,
    ) -> None:
        self.name = f"openai/{model}"
        self.dimension = dimension
        self._batch = batch
        # Its own connections: the package's shared ones outlive the event loop that made them.
        self._http = openai.DefaultAsyncHttpxClient(timeout=timeout_s)
        self._client = OpenAIEmbeddings(
            model=model,
            base_url=base_url,
            # An endpoint without keys is given one all the same: the client refuses to start without.
            api_key=api_key or SecretStr("none"),
            check_embedding_ctx_length=False,
            model_kwargs={"encoding_format": "float"},
            chunk_size=batch,
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
        batch: int = 64,
        timeout_s: float = 30.0,
    ) -> OpenAIEmbedder:
        """Ask the endpoint for one vector to learn its dimension. Raises `errors.Unavailable`."""
        embedder = cls(model=model, dimension=0, base_url=base_url, api_key=api_key, batch=batch, timeout_s=timeout_s)
        try:
            embedder.dimension = len((await embedder._request(["dimension"]))[0])
        except BaseException:
            await embedder.close()
            raise
        return embedder

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension), in batches. Raises `errors.Unavailable`, `ValueError` for an empty text."""
        prepared = [_prepared(text) for text in texts]
        batches = [prepared[start : start + self._batch] for start in range(0, len(prepared), self._batch)]
        rows = [row for batch in batches for row in await self._request(batch)]
        if any(len(row) != self.dimension for row in rows):
            raise errors.Unavailable(
                f"The embeddings endpoint gave vectors of another dimension than {self.dimension} for {self.name}."
            )
        return _unit(np.asarray(rows, np.float32).reshape(len(rows), self.dimension))

    passages = queries

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _request(self, texts: list[str]) -> list[list[float]]:
        try:
            rows = await self._client.aembed_documents(texts)
        except (openai.OpenAIError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise errors.Unavailable(f"The embeddings endpoint failed for {self.name}: {_kind(error)}.") from error
        if len(rows) != len(texts) or not all(rows):
            raise errors.Unavailable(
                f"The embeddings endpoint gave {sum(map(bool, rows))} vectors for {len(texts)} texts for {self.name}."
            )
        return rows


def _kind(error: Exception) -> str:
    """What went wrong, without the endpoint's own words: they may hold the key or the address."""
    if isinstance(error, openai.APIStatusError):
        return f"status {error.status_code}"
    if isinstance(error, openai.APIConnectionError):
        return "no answer"
    return "an empty or malformed reply"


def _prepared(text: str) -> str:
    prepared = clean(text).strip()[:_MOST_CHARACTERS]
    if not prepared:
        raise ValueError("An empty text has no vector.")
    return prepared


def _unit(rows: Vectors) -> Vectors:
    """Rows of length one; a row of zeros or with a NaN is no vector."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if rows.size and (not np.isfinite(lengths).all() or not lengths.all()):
        raise errors.Unavailable("The embeddings endpoint gave a vector without a direction.")
    return np.asarray(rows / lengths, np.float32)
