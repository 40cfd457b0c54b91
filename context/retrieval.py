"""The index as nodes and reasoner see it, who asks it, and the models that it is built on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from state import Doc, Lane, LaneReport

Vectors = NDArray[np.float32]
"""Embeddings, one row a text, each row of length one."""


@dataclass(frozen=True)
class Principal:
    """Who asks. Comes from the API key, never from a request's body."""

    tenant: str = "default"
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset({"ask", "ingest", "review", "admin"})


@dataclass(frozen=True)
class Passage:
    """A chunk with its text, as a principal may read it; `heading` is the path of headings above it.

    It stands at characters [start, end) of its version's text.
    """

    chunk_id: str
    doc_id: str
    version: str
    title: str
    heading: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Piece:
    """Where a chunk stands: characters [start, end) of its document's current text."""

    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True)
class SearchRequest:
    """`queries` in order of importance; `depth` is how many hits each lane gives, `top_k` how many are kept.

    `weights` are those of the lanes in fusion, None for the index's own. `narrowed` is a further filter that every
    query is also tried with: its lists are fused beside those without it, and take nothing away.

    With `rerank` the best `rerank_depth` hits (None: as many as the deployment says) are re-ordered for the first
    query, by the deployment's reranker, or by embedding where none is configured or that is asked for. With `merge`,
    neighbouring chunks of one document become one hit, so that there may be fewer than `top_k`.

    `timeout_s` is how long to wait for the embedder, and then as long again for the reranker (None: as long as they
    wait themselves); what does not answer in time is told in `lanes`, and the hits come without it.
    """

    queries: tuple[str, ...]
    principal: Principal
    filters: dict[str, Any] | None = None
    lanes: tuple[Lane, ...] = ("keyword", "vector")
    depth: int = 50
    top_k: int = 10
    weights: Mapping[Lane, float] | None = None
    narrowed: dict[str, Any] | None = None
    rerank: bool = False
    reranker: Literal["configured", "embedding"] = "configured"
    rerank_depth: int | None = None
    merge: bool = False
    timeout_s: float | None = None


@dataclass(frozen=True)
class SearchResult:
    """Fused hits, best first, and a report a lane and query, and one of the reranker if it was asked for.

    `searches` counts queries that a lane answered anew.
    """

    docs: tuple[Doc, ...]
    lanes: tuple[LaneReport, ...]
    searches: int


class Retriever(Protocol):
    """The index as a node sees it. Everything is cut to what `principal` may see."""

    def generation_of(self, principal: Principal) -> int:
        """Rises by at least one with every change of the principal's tenant, and with no other."""
        ...

    @property
    def embedder_name(self) -> str | None:
        """None when the vector lane is off."""
        ...

    @property
    def reranker_name(self) -> str | None:
        """None when the deployment re-orders nothing."""
        ...

    async def search(self, request: SearchRequest) -> SearchResult:
        """A lane or reranker that fails is told in `lanes`, not raised. Raises `errors.BadRequest` on a bad filter."""
        ...

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        """Passages in the order of the ids; those that are deleted or not allowed are absent."""
        ...

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        """Characters [start, end) of a version's text; None when it is deleted or not allowed."""
        ...

    async def pieces(self, doc_id: str, principal: Principal, filters: dict[str, Any] | None) -> Sequence[Piece]:
        """The current chunks of a document that the principal may see and that pass the filter, in their order.

        Empty for one that is unknown or not allowed. Raises `errors.BadRequest` on a bad filter.
        """
        ...

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        """Chunks visible to the principal that pass the filter."""
        ...

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        """Values of the metadata fields that sort documents, as far as the principal may see them; few and short."""
        ...


class Statistics(Protocol):
    """Corpus statistics for the offline reasoner, within the principal's own partition."""

    def tokens(self, text: str) -> list[str]:
        """Tokens as the keyword lane cuts them."""
        ...

    def idf(self, token: str, principal: Principal) -> float:
        """ln((N - n + 0.5) / (n + 0.5) + 1) over chunks: at least 0, and largest for a token that no chunk has."""
        ...

    def document_frequency(self, token: str, principal: Principal) -> int:
        """How many chunks of the partition have the token."""
        ...

    async def similarities(
        self, texts: Sequence[str], chunk_ids: Sequence[str], principal: Principal, timeout_s: float | None = None
    ) -> Vectors | None:
        """Cosines of texts (as queries) and chunks, shape (texts, chunks).

        None when the vector lane is off, and when the embedder fails or does not answer in time.
        """
        ...


class Embedder(Protocol):
    """Text to vectors. `name` identifies model, quantisation and prefix policy; a change of it means a rebuild.

    `common` is what this model's vectors of any text have in common, shape (dimension,), or None when it is not known:
    the vector lane takes it out before it compares.
    """

    name: str
    dimension: int
    common: Vectors | None

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension), rows of length one. Raises `errors.Unavailable`."""
        ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """As `queries`, with the prefix for documents."""
        ...


class Reranker(Protocol):
    """Reads a query and passages. `name` identifies kind and model."""

    name: str

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One finite score a passage, in their order; higher is better. Raises `errors.Unavailable`."""
        ...
