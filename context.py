"""What one run is given: the collaborators behind Protocols, and the plain values that pass between them and the nodes.

A node sees these through `runtime.context` and never knows which vendor stands behind one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Generic, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from state import (
    Band,
    Dials,
    Disagreement,
    Doc,
    Gap,
    Lane,
    LaneReport,
    Language,
    LedgerEntry,
    Query,
    Repairs,
    SubQuestion,
    TriedQuery,
    Turn,
)

T_co = TypeVar("T_co", covariant=True)
Vectors = NDArray[np.float32]
"""Embeddings, one row a text, each row of length one."""

Clock = Callable[[], float]
"""Seconds since the epoch, as `time.time` gives them."""

BANDS: Final[dict[Band, tuple[float, float]]] = {
    "direct": (0.9, 1.0),
    "inference": (0.7, 0.9),
    "partial": (0.5, 0.7),
    "irrelevant": (0.0, 0.5),
}
"""The anchors of a grade, best first: [low, high), and `direct` with its 1.0."""


def band_of(score: float) -> Band:
    """The band that a score lies in; below 0 and NaN are `irrelevant`."""
    return next((band for band, (low, _) in BANDS.items() if score >= low), "irrelevant")


def clamp(band: Band, score: float) -> float:
    """The score moved into its band; the top of an open band is a hundredth under its edge, as two decimals show it."""
    low, high = BANDS[band]
    top = high if band == "direct" else round(high - 0.01, 2)
    return max(low, min(score, top))  # in this order NaN becomes `low`


@dataclass(frozen=True)
class Principal:
    """Who asks. Comes from the API key, never from a request's body."""

    tenant: str = "default"
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset({"ask", "ingest", "review", "admin"})


@dataclass(frozen=True)
class Usage:
    """Tokens of one model call; `estimated` when the provider did not report them, `cost` where a price is set."""

    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost: float | None = None


@dataclass(frozen=True)
class Reasoned(Generic[T_co]):
    """A reasoner's decision and the model calls it cost, none for the offline reasoner.

    `repairs` counts what of a model's grades was made good on the way.
    """

    value: T_co
    usage: tuple[Usage, ...] = ()
    repairs: Repairs | None = None


@dataclass(frozen=True)
class Passage:
    """A chunk with its text, as a principal may read it; `heading` is the path of headings above it."""

    chunk_id: str
    doc_id: str
    version: str
    title: str
    heading: str
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RouteRequest:
    """`max_calls`, here and in the next two, is how many model calls the decision may take."""

    question: str
    language: Language
    history: tuple[Turn, ...]
    timeout_s: float
    max_calls: int = 1
    principal: Principal = Principal()


@dataclass(frozen=True)
class Route:
    """Whether to look anything up, and the question in words that need no history."""

    need_retrieval: bool
    reason: str
    standalone: str


@dataclass(frozen=True)
class RewriteRequest:
    """First round: `sub_questions` is empty. Later: `gaps` says what is missing, `tried` what was searched for,
    `ledger` what is established, and `found` holds the passages that came nearest, those of the ledger first.
    `conflicts` has the sides of every gap that is one."""

    question: str
    language: Language
    history: tuple[Turn, ...]
    sub_questions: tuple[SubQuestion, ...]
    gaps: tuple[Gap, ...]
    tried: tuple[TriedQuery, ...]
    ledger: tuple[LedgerEntry, ...]
    found: tuple[Passage, ...]
    principal: Principal
    timeout_s: float
    max_calls: int = 1
    conflicts: tuple[Disagreement, ...] = ()


@dataclass(frozen=True)
class ProposedQuery:
    """`gap` is the 1-based position of the sub-question that it aims at, None for the whole question."""

    text: str
    gap: int | None


@dataclass(frozen=True)
class Rewrite:
    """The checklist (first round only: `(text, required)` pairs) and the queries to send."""

    sub_questions: tuple[tuple[str, bool], ...]
    queries: tuple[ProposedQuery, ...]


@dataclass(frozen=True)
class GradeRequest:
    """Judge every passage against every one of these sub-questions.

    `queries` are those of this round, `ledger` is what was established before it.
    """

    question: str
    language: Language
    sub_questions: tuple[SubQuestion, ...]
    passages: tuple[Passage, ...]
    queries: tuple[Query, ...]
    ledger: tuple[LedgerEntry, ...]
    principal: Principal
    timeout_s: float
    max_calls: int = 1


@dataclass(frozen=True)
class Judgement:
    """One passage's grade for one sub-question; `quote` is a piece of the passage's text, empty when irrelevant.

    `contradicts` names chunks of the same request that assert something else for this sub-question.
    """

    sub_question_id: str
    chunk_id: str
    quote: str
    reason: str
    band: Band
    score: float
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """A passage as the answer may cite it: under this number, supporting these sub-questions with these quotes.

    `grade` is its best one; under 0.7 it is only partly related.
    """

    number: int
    passage: Passage
    sub_question_ids: tuple[str, ...]
    grade: float
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class AnswerRequest:
    """`sources` is empty for a direct reply; `route_reason` then says what kind of talk it is."""

    question: str
    standalone: str
    language: Language
    history: tuple[Turn, ...]
    route_reason: str
    sub_questions: tuple[SubQuestion, ...]
    sources: tuple[Source, ...]
    gaps: tuple[Gap, ...]
    conflicts: tuple[Disagreement, ...]
    timeout_s: float
    max_calls: int = 1


class Reasoner(Protocol):
    """The thinking behind the nodes. Raises `errors.Unavailable` when it cannot think.

    `calls_models` is False for one whose decisions and answers cost no model call and no token.
    """

    name: str
    calls_models: bool

    async def route(self, request: RouteRequest) -> Reasoned[Route]: ...

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]: ...

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]: ...

    def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        """Yield pieces of text in order and, last, the usage if a model was called. Sources are cited as `[n]`."""
        ...


@runtime_checkable
class Endangered(Protocol):
    """A reasoner whose endpoint may be left alone for a while after failures in a row."""

    @property
    def down(self) -> str | None:
        """The sentence why it cannot think now, None when it may."""
        ...


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

    @property
    def generation(self) -> int:
        """Rises by at least one with every change of the index."""
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


class Extractor(Protocol):
    """Metadata that a document states about itself, found by a model while it is indexed."""

    name: str

    async def extract(self, title: str, text: str, fields: Sequence[str]) -> Reasoned[dict[str, Any]]:
        """The fields among those wanted that the text states, in plain JSON types. Raises `errors.Unavailable`, and
        `errors.BadRequest` when the model refuses the content."""
        ...


class Reranker(Protocol):
    """Reads a query and passages. `name` identifies kind and model."""

    name: str

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One finite score a passage, in their order; higher is better. Raises `errors.Unavailable`."""
        ...


@dataclass(frozen=True)
class Windows:
    """Context windows of the models that grade and that answer, in tokens; None for no model."""

    grade: int | None = None
    answer: int | None = None


class Beside(Protocol):
    """What runs beside the graph, on the same budget: a draft (runs/draft.py)."""

    @property
    def calls(self) -> int:
        """Model calls that it holds or has made, as long as they are not counted."""
        ...

    @property
    def tokens(self) -> int:
        """Tokens, likewise."""
        ...

    async def end(self) -> tuple[Usage, ...]:
        """Stop it; the model calls it made, told once: whoever is told them counts them."""
        ...


@dataclass(frozen=True)
class Context:
    """Everything that one run is given. `dials` are the deployment's: the ceiling that no caller can raise."""

    reasoner: Annotated[Reasoner, SkipJsonSchema[InstanceOf[Any]]]
    retriever: Annotated[Retriever, SkipJsonSchema[InstanceOf[Any]]]
    clock: Annotated[Clock, SkipJsonSchema[InstanceOf[Any]]]
    principal: Principal
    dials: Dials
    windows: Windows = Windows()
    beside: Annotated[Beside | None, SkipJsonSchema[InstanceOf[Any]]] = None
