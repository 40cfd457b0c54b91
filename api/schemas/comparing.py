"""Two runs beside each other, and one run as a file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from api.schemas.replies import Shown, ShownCost, ShownEvidence, Step


class Place(Shown):
    thread_id: str
    run_id: str
    checkpoint_id: str


class Places(Shown):
    before: Place
    after: Place


class Both(Shown):
    """The same of both runs; null where one has none."""

    before: Any
    after: Any


class Texts(Shown):
    """Of two lists of texts: what only the first has, what only the second has, and what both have."""

    lost: list[str]
    gained: list[str]
    kept: list[str]


class DiffEvidence(ShownEvidence):
    sub_question: str = Field(description="In words, since the same id may mean another one in the other run.")


class Regraded(Shown):
    sub_question: str
    chunk_id: str
    doc_id: str
    title: str
    before: float
    after: float


class EvidenceDiff(Shown):
    lost: list[DiffEvidence]
    gained: list[DiffEvidence]
    regraded: list[Regraded]
    kept: int


class Piece(Shown):
    kind: Literal["same", "before", "after"]
    text: str


class AnswerDiff(Shown):
    before: str
    after: str
    words: list[Piece] = Field(description="Both answers in order, in pieces.")


class RanOn(Shown):
    """What a run was recorded to run on."""

    index_generation: int | None
    model: str
    prompts: str | None = Field(description="Their fingerprint; null for a reasoner without any.")
    embedder: str | None


class RanOnBoth(Shown):
    before: RanOn
    after: RanOn


class CostBoth(Shown):
    before: ShownCost
    after: ShownCost


class Diff(Shown):
    """Two runs: what differs from the first (`before`) to the second (`after`)."""

    threads: Places
    questions: Both
    mode: Both
    filters: Both
    status: Both
    stop_reason: Both
    relevance_score: Both
    rounds: Both
    sub_questions: Texts
    queries: Texts
    evidence: EvidenceDiff
    answer: AnswerDiff
    dials: dict[str, Both] = Field(description="Those that are not the same.")
    ran_on: RanOnBoth
    differs: list[str] = Field(description="What is not the same of index_generation, model, prompts, embedder.")
    cost: CostBoth = Field(description="Of the whole turn. A replay carries on the counts of the run it came from.")


class About(Shown):
    """What the server says of itself."""

    versions: dict[str, str]
    settings: dict[str, Any] = Field(description="Numbers, switches and models' names; no key, address or path.")
    fingerprint: str = Field(description="Changes with any setting that is no secret.")


class ExportStep(Step):
    state: dict[str, Any]


class Export(Shown):
    """One thread."""

    form: int
    exported_at: str
    about: About
    thread_id: str
    steps: list[ExportStep]
