"""What the reasoner is asked and what it answers: a request and a value for each decision."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar, runtime_checkable

from context.retrieval import Passage, Principal
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest
from evidence import Band, Disagreement, Gap, LedgerEntry, Repairs
from state import Language, Query, SubQuestion, TriedQuery, Turn

T_co = TypeVar("T_co", covariant=True)


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
class RouteRequest:
    """`max_calls`, here and in the next two, is how many model calls the decision may take."""

    question: str
    language: Language
    history: tuple[Turn, ...]
    timeout_s: float
    max_calls: int = 1
    principal: Principal = field(default_factory=Principal)


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

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        """What to do next in agent mode. The choice is not trusted: whoever runs it checks it."""
        ...

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        """What the passages say on a question, in their own words, in the order of the document."""
        ...

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


@runtime_checkable
class Queueing(Protocol):
    """A reasoner whose calls wait for each other when there are many."""

    @property
    def waiting(self) -> int:
        """Calls that wait now."""
        ...


class Extractor(Protocol):
    """Metadata that a document states about itself, found by a model while it is indexed."""

    name: str

    async def extract(self, title: str, text: str, fields: Sequence[str]) -> Reasoned[dict[str, Any]]:
        """The fields among those wanted that the text states, in plain JSON types. Raises `errors.Unavailable`, and
        `errors.BadRequest` when the model refuses the content."""
        ...
