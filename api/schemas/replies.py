"""What the service says of a run. Documentation only: replies are built in `runs`, and a test holds them to this."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from evidence import Band, Outdated
from state import Mode, NodeName, Status, StopReason, Verdict


class Shown(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ShownGrade(Shown):
    reason: str
    band: Band
    score: float = Field(ge=0, le=1)


class ShownQuote(Shown):
    """A piece of a chunk; `start` and `end` index the chunk's text."""

    chunk_id: str
    doc_id: str
    version: str
    title: str
    quote: str = Field(description="Empty when the chunk was deleted since, or is no longer allowed.")
    start: int
    end: int
    deleted: bool = False
    also_in: list[str] = Field(
        default=[], description="Other documents found to say the same, or a part of it; absent when there are none."
    )


class ShownCitation(ShownQuote):
    number: int = Field(description="As `[n]` in the answer.")
    person: bool = Field(
        default=False, description="True for what a person replied; then `quote` is that, and no document is named."
    )


class ShownSuperseded(Shown):
    """The source that evidence yields to."""

    chunk_id: str
    doc_id: str
    title: str
    why: Outdated = Field(
        description="version: of an older version of the document; replaced: named as superseded; newer: the other "
        "is in force from a later day; expired: no longer in force; future: not yet."
    )
    since: str | None = Field(description="The day from which the other is in force.")
    day: str | None = Field(description="The last day of what is expired, the first of what is yet to come.")


class ShownEvidence(ShownQuote):
    grade: ShownGrade
    effective_from: str | None = None
    effective_to: str | None = None
    superseded_by: list[str] = []
    superseded: ShownSuperseded | None = Field(None, description="Set on what weighs nothing beside another source.")


class ShownSide(ShownEvidence):
    value: str | None = Field(description="What this side says, as it is written; null for a yes against a no.")


class ShownEntry(Shown):
    """One thing that the answer must establish, with what was found for it."""

    sub_question_id: str
    text: str
    required: bool
    status: str = Field(description="open, confirmed or conflict.")
    score: float
    evidence: list[ShownEvidence]


class ShownGap(Shown):
    sub_question_id: str
    text: str
    required: bool
    tried: list[str] = Field(description="Queries already spent on it.")


class ShownConflict(Shown):
    """One thing on which sources disagree; none of them is averaged or left out."""

    sub_question_id: str
    text: str
    required: bool
    sides: list[ShownSide]


class ShownTokens(Shown):
    input_tokens: int
    output_tokens: int


class ShownModel(Shown):
    model: str
    calls: int = Field(description="Those that the endpoint turned down included.")
    input_tokens: int
    output_tokens: int
    estimated: bool = Field(description="Whether any of the tokens are our estimate.")
    cost: float | None = Field(description="In the currency of the set prices; null without one.")


class ShownUsage(Shown):
    """Of the whole trajectory."""

    reported: ShownTokens | None = Field(description="What providers said; null when none did.")
    estimated: ShownTokens
    searches: int
    model_calls: int
    tool_calls: int
    models: list[ShownModel]


class ShownTiming(Shown):
    node: NodeName
    round: int
    ms: float


class ShownTimings(Shown):
    total_ms: float
    nodes: list[ShownTiming]
    vector_lane: bool = Field(description="Whether vectors took part; without, only keywords were searched.")


class ShownDraft(Shown):
    """What went out as the `draft` event, and what the answer makes of it."""

    text: str
    verdict: Verdict = Field(description="`changed` also when the answer says the same in other words.")


class Reply(Shown):
    """The reply of an ask; the `answer` event holds the same object."""

    answer: str
    status: Status
    stop_reason: StopReason | None
    mode: Mode
    relevance_score: float = Field(ge=0, le=1)
    retry_count: int
    citations: list[ShownCitation]
    ledger: list[ShownEntry]
    missing: list[ShownGap]
    conflicts: list[ShownConflict]
    warnings: list[str] = Field(description="What failed in the last search while something else answered.")
    usage: ShownUsage
    timings: ShownTimings
    thread_id: str
    run_id: str
    checkpoint_id: str
    draft: ShownDraft | None = Field(default=None, description="In a stream that asked for one; null when none came.")


class Origin(Shown):
    thread_id: str
    checkpoint_id: str


class ReplayReply(Reply):
    """The reply of a replay, with what makes it one."""

    replay_of: Origin
    ran: list[NodeName] = Field(description="Nodes that ran anew, in order.")
    edited: list[str] = Field(
        description="What was changed by wish: names of `state`, dials, model, prompts, evidence."
    )
    differs: list[str] = Field(
        description="What is not as it was when recorded: index_generation, model, prompts, embedder."
    )


class ShownTurn(Shown):
    question: str
    standalone: str
    answer: str


class Thread(Shown):
    """Where a thread stands."""

    thread_id: str
    running: str | None = Field(description="The run that holds it now.")
    question: str | None = Field(description="The latest question.")
    turns: list[ShownTurn]
    status: Status | None = Field(description="Of the latest turn; null while it runs, or when it is unfinished.")
    stop_reason: StopReason | None
    unfinished: bool = Field(description="The process died in the latest turn; the thread takes new questions.")
    reply: Reply | None = Field(description="Of the latest turn, when it has ended.")


class ListedThread(Shown):
    """A thread in the list."""

    thread_id: str
    question: str | None = Field(description="The latest question.")
    turns: int = Field(description="How many have ended.")
    running: str | None = Field(description="The run that holds it now.")
    status: Status | None = Field(description="Of the latest turn; null while it runs, or when it is unfinished.")
    stop_reason: StopReason | None
    unfinished: bool = Field(description="The process died in the latest turn; the thread takes new questions.")
    missing: list[str] = Field(description="While a person is awaited: what the documents do not establish.")
    updated_at: str = Field(description="When its last step was kept, ISO 8601.")


class Threads(Shown):
    """A page of threads, newest first."""

    threads: list[ListedThread]
    next: str | None = Field(description="The `after` of the next page; null on the last.")


class ShownWhy(Shown):
    """Why the next node was next."""

    code: str = Field(description="Stable: a stop_reason, or one of the codes of docs/debugging.md.")
    sentence: str = Field(description="The same in words, in the language of the question.")


class ShownCost(Shown):
    """What one step cost, or one run."""

    searches: int
    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    estimated: bool = Field(description="Whether any of the tokens are our estimate.")
    cost: float | None = Field(description="In the currency of the set prices; null without one.")


class Step(Shown):
    """One checkpoint: the state after `node` had run."""

    checkpoint_id: str
    node: str = Field(description="`start` for the step that took the question in.")
    round: int
    changed: dict[str, Any]
    next: list[str]
    duration_ms: float | None
    why: ShownWhy
    cost: ShownCost


class History(Shown):
    """Every step of all turns, oldest first. Reading it calls no model."""

    thread_id: str
    steps: list[Step]


class Problem(Shown):
    """An error (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    retryable: bool = False
