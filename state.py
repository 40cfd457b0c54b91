"""What one run remembers: `RAGState` and its value types.

Plain JSON types only, so that strict msgpack accepts them and a checkpoint of any age can be read back.
Chunks are referred to by id and version; their text is read under the current principal when it is needed.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

from evidence import Change, Disagreement, Gap, GradedPair, LedgerEntry, Repairs, Strategy

SCHEMA: Final = 1
"""Version of this layout; written into every checkpoint and checked when one is read."""

NodeName = Literal["route", "rewrite", "retrieve", "agent", "evaluate", "handoff", "generate"]
Mode = Literal["bm25", "naive", "bm25_rerank", "hybrid", "hybrid_rerank", "self_query", "loop", "agent"]
Lane = Literal["keyword", "vector"]
Stage = Literal["keyword", "vector", "rerank"]
"""Where a hit can have a rank: in a lane, or in what a reranker made of the fused list."""
Fusion = Literal["blend", "scaled", "rrf"]
Language = Literal["zh", "en"]
Status = Literal["answered", "partial", "insufficient", "failed", "cancelled", "awaiting_human"]
Verdict = Literal["confirmed", "changed", "withdrawn"]
"""What the answer makes of a draft that went out before it."""
StopReason = Literal[
    "cancelled",
    "human",
    "direct",
    "empty_corpus",
    "source_unavailable",
    "sufficient",
    "conflict",
    "no_new_evidence",
    "single_pass",
    "max_retries",
    "call_budget",
    "token_budget",
    "deadline",
]


class Dials(TypedDict):
    """The budget and thresholds of one ask, after the caller lowered what it may lower.

    `rewrite_beside_route`: the first rewrite does not wait for the route when there is no history. Old threads lack it.
    """

    threshold: float
    max_retries: int
    max_searches: int
    max_model_calls: int
    max_tokens: int
    deadline_s: float
    max_barren_rounds: int
    max_tool_calls: int
    top_k: int
    keyword_weight: float
    vector_weight: float
    grades_per_sub_question: int
    grades_per_round: int
    rewrite_beside_route: NotRequired[bool]


class Turn(TypedDict):
    """One finished question and its answer in this thread."""

    question: str
    standalone: str
    answer: str


class SubQuestion(TypedDict):
    """One thing that the answer must establish."""

    id: str
    text: str
    required: bool


MAX_SUB_QUESTIONS: Final = 6
"""The longest checklist."""


class Query(TypedDict):
    """A text sent to retrieval; `gap` is the id of the sub-question it aims at, None for the asker's own."""

    text: str
    gap: str | None


class TriedQuery(TypedDict):
    """A query of this turn, and how many chunks it found that were neither among the hits before nor graded.

    `strategy` is there when it was searched in another way than usual.
    """

    text: str
    gap: str | None
    round: int
    new_hits: int
    strategy: NotRequired[Change]


class LaneRank(TypedDict):
    """Where a hit stood: rank from 1 in one lane of one query, with that lane's own score.

    `narrowed` is there, and true, when the list held only what passes the filter that the question itself names.
    """

    query: str
    lane: Stage
    rank: int
    score: float
    narrowed: NotRequired[bool]


class Doc(TypedDict):
    """A hit: a chunk found in this turn. `score` is the fused score: it orders and decides nothing.

    `also_in` names other documents that were found to say the same; checkpoints of old lack it. A hit of several
    neighbouring chunks has their ids as `merged` and their `span` [start, end] in the version's text.
    """

    chunk_id: str
    doc_id: str
    version: str
    title: str
    rank: int
    score: float
    lanes: list[LaneRank]
    also_in: NotRequired[list[str]]
    merged: NotRequired[list[str]]
    span: NotRequired[list[int]]


class LaneReport(TypedDict):
    """How one lane of one query, or the reranker, went; `error` is a sentence when it failed. `narrowed` as in
    `LaneRank`."""

    query: str
    lane: Stage
    hits: int
    cached: bool
    error: str | None
    narrowed: NotRequired[bool]


ToolName = Literal["search", "find", "open", "summarize", "note", "finish"]
ToolOutcome = Literal["done", "nothing", "wrong", "unknown", "repeated", "refused", "unavailable"]
"""What became of a tool call: wrong arguments, a document that is not there, a budget that has no room, a lost lane."""


class ToolHit(TypedDict):
    """A place that a tool call brought: characters [start, end) of the chunk's text."""

    chunk_id: str
    doc_id: str
    title: str
    start: int
    end: int


class ToolCall(TypedDict):
    """One tool call of the agent, with what it brought by id: text is read again when it is needed.

    `remark` is our sentence about it, in the asker's language. Of a wrong call no argument is kept, and of a note the
    place of its quote instead of the quote.
    """

    tool: str
    arguments: dict[str, Any]
    round: int
    outcome: ToolOutcome
    hits: list[ToolHit]
    remark: str


Told = Literal["open", "barren"]
"""What the agent was told already: that something is open, that its searches bring no new evidence."""


class Inquiry(TypedDict):
    """How the agent's search stands: searches since the last note, what it was told, and why it ended, if it did.

    `finished` is its own choice with something noted for all that is required, `gave_up` its choice without.
    """

    barren: int
    told: list[Told]
    ended: Literal["finished", "gave_up", "barren", "call_budget", "token_budget", "deadline"] | None


class Tokens(TypedDict):
    """Tokens sent and received, summed over calls."""

    input_tokens: int
    output_tokens: int


class ModelSpent(TypedDict):
    """What one model was used for; `estimated` says whether any of its tokens are our estimate, and `cost` is None
    where no price is set."""

    calls: int
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost: float | None


class Spent(TypedDict):
    """What this turn has used. `reported` is what providers said, None when none did; `estimated` is ours.

    `models` has the same by model; checkpoints of old lack it.
    """

    searches: int
    model_calls: int
    tool_calls: int
    barren_rounds: int
    reported: Tokens | None
    estimated: Tokens
    models: NotRequired[dict[str, ModelSpent]]


class Citation(TypedDict):
    """One numbered source of the answer; `start` and `end` index the chunk's text.

    `person` is there, and true, when the source is what a person replied: then that text is the chunk. `also_in` names
    other documents that were found to say the same, or a part of it.
    """

    number: int
    doc_id: str
    version: str
    chunk_id: str
    title: str
    quote: str
    start: int
    end: int
    person: NotRequired[bool]
    also_in: NotRequired[list[str]]


class PersonReply(TypedDict):
    """What a person replied to a question that was handed over; `doc_id` names the reply, `name` may be empty."""

    doc_id: str
    name: str
    text: str


class Timing(TypedDict):
    """How long one node took."""

    node: NodeName
    round: int
    ms: float


class Recorded(TypedDict):
    """What this turn ran on, so that a replay can say what differs."""

    index_generation: int
    reasoner: str
    embedder: str | None


MAX_TURNS: Final = 20
"""Finished turns that a thread carries along; older ones stay in its checkpoints."""


def append_turns(history: list[Turn], finished: list[Turn]) -> list[Turn]:
    """The reducer of `history`: the newest turns, oldest first."""
    return [*history, *finished][-MAX_TURNS:]


RRF_K: Final = 60
"""In reciprocal rank fusion a place counts weight / (60 + rank): Cormack, Clarke and Büttcher, SIGIR 2009."""

NARROWED_WEIGHT: Final = 0.5
"""What a narrowed list counts beside the whole one (docs/decisions/0017): more gains nothing, and a filter that the
question names by chance should weigh little."""


class RAGState(TypedDict):
    """One thread's state. `history` outlives a turn; every other field is reset when a turn begins.

    `handoff` says whether a person is asked before the turn ends as insufficient; threads of old lack it and `person`.
    `rejudged` are chunks of a recorded run that a replay judges anew, all at once and without a way back.
    """

    schema: int
    history: Annotated[list[Turn], append_turns]

    question: str
    language: Language
    mode: Mode
    filters: dict[str, Any] | None
    proposed_filter: dict[str, Any] | None
    dials: Dials
    handoff: NotRequired[bool]
    started_at: float
    recorded: Recorded

    standalone: str
    need_retrieval: bool
    route_reason: str

    sub_questions: list[SubQuestion]
    rewritten_queries: list[Query]
    tried: list[TriedQuery]
    docs: list[Doc]
    lanes: list[LaneReport]
    visible_chunks: int
    tool_calls: NotRequired[list[ToolCall]]
    inquiry: NotRequired[Inquiry]

    rejudged: NotRequired[list[str]]
    graded: list[GradedPair]
    ledger: list[LedgerEntry]
    relevance_score: float
    gaps: list[Gap]
    strategies: NotRequired[list[Strategy]]
    conflicts: list[Disagreement]
    repairs: NotRequired[Repairs]
    retry_count: int

    spent: Spent
    timings: list[Timing]
    stop_reason: StopReason | None
    person: NotRequired[PersonReply | None]
    answer: str
    citations: list[Citation]


class Update(TypedDict, total=False):
    """What one node changes: any of the fields of `RAGState`; `history` holds the turns to append."""

    history: list[Turn]
    started_at: float
    language: Language
    standalone: str
    need_retrieval: bool
    route_reason: str
    sub_questions: list[SubQuestion]
    proposed_filter: dict[str, Any] | None
    rewritten_queries: list[Query]
    tried: list[TriedQuery]
    docs: list[Doc]
    lanes: list[LaneReport]
    visible_chunks: int
    tool_calls: list[ToolCall]
    inquiry: Inquiry
    graded: list[GradedPair]
    ledger: list[LedgerEntry]
    relevance_score: float
    gaps: list[Gap]
    strategies: list[Strategy]
    conflicts: list[Disagreement]
    repairs: Repairs
    retry_count: int
    spent: Spent
    timings: list[Timing]
    stop_reason: StopReason | None
    person: PersonReply | None
    answer: str
    citations: list[Citation]
