"""What was found for a sub-question and what it is worth: grades, ledger, gaps, conflicts.

Plain JSON types only, as all of `RAGState`.
"""

from __future__ import annotations

from typing import Final, Literal, NotRequired, TypedDict

Band = Literal["direct", "inference", "partial", "irrelevant"]


GapKind = Literal["missing", "conflict"]


Change = Literal["deeper", "keyword_alone", "vector_alone", "inside", "closed"]
"""What a barren round changes for a gap: twice the depth, one lane alone, inside documents found, or the end of it."""


class Grade(TypedDict):
    """An anchored judgement, reason first; `score` lies in [0, 1] inside its band."""

    reason: str
    band: Band
    score: float


Outdated = Literal["version", "replaced", "newer", "expired", "future"]
"""Why evidence yields: of an older version of the document, named as superseded, in force from an earlier day than
the other, no longer in force, or not yet."""


class Superseded(TypedDict):
    """What evidence yields to; `since` is the day from which that other one holds, `day` the loser's own edge.

    Both are ISO dates, or a month or year of one as the metadata have it; None where they do not say.
    """

    chunk_id: str
    doc_id: str
    title: str
    why: Outdated
    since: str | None
    day: str | None


class Evidence(TypedDict):
    """A chunk graded at least 0.5 for a sub-question; `text[start:end] == quote` in that version of the chunk.

    `effective_from`, `effective_to` (as in `Superseded`) and `superseded_by` (names of documents) are its document's
    metadata, `contradicts` names chunks that the reasoner says it contradicts, and `superseded` what it weighs nothing
    beside. `also_in` names other documents that were found to say the same, or a part of it.
    """

    sub_question_id: str
    chunk_id: str
    doc_id: str
    version: str
    title: str
    quote: str
    start: int
    end: int
    grade: Grade
    effective_from: NotRequired[str]
    effective_to: NotRequired[str]
    superseded_by: NotRequired[list[str]]
    contradicts: NotRequired[list[str]]
    also_in: NotRequired[list[str]]
    superseded: NotRequired[Superseded]


class LedgerEntry(TypedDict):
    """The evidence for one sub-question, best grade first."""

    sub_question_id: str
    evidence: list[Evidence]


class GradedPair(TypedDict):
    """A chunk that was graded for a sub-question in this turn, so that it is not graded again."""

    sub_question_id: str
    chunk_id: str
    score: float


class Gap(TypedDict):
    """A required sub-question that is open or in conflict, in words a search can use, with what was tried."""

    sub_question_id: str
    kind: GapKind
    text: str
    tried: list[str]


class Side(Evidence):
    """Evidence with its quote cut down to the sentence that disagrees, and the value there as it is written."""

    value: NotRequired[str]


class Strategy(TypedDict):
    """How the search for a missing sub-question goes on after `barren` rounds in a row that brought it nothing.

    The next round has to rise above the grade `best`. Its queries are searched as `change` says, None for as ever;
    `documents` are those that `inside` keeps to.
    """

    sub_question_id: str
    best: float
    barren: int
    change: Change | None
    documents: list[str]


class Disagreement(TypedDict):
    """Two or more current sources that assert different values for one sub-question, best grade first.

    `round` is the one in which it was first seen: the next is the one round that it gets.
    """

    sub_question_id: str
    sides: list[Side]
    round: NotRequired[int]


class Repairs(TypedDict):
    """What was wrong with this turn's grades: pairs that got none and count as irrelevant; grades of what nobody asked
    for, or given twice, that were dropped; scores moved into their band; quotes that do not stand in their passage,
    which cost the grade one band."""

    missing: int
    dropped: int
    rescored: int
    unquoted: int


NO_REPAIRS: Final[Repairs] = {"missing": 0, "dropped": 0, "rescored": 0, "unquoted": 0}


def added(*counted: Repairs | None) -> Repairs:
    """The sum of all counts that there are."""
    there = [one for one in counted if one is not None]
    return {
        "missing": sum(one["missing"] for one in there),
        "dropped": sum(one["dropped"] for one in there),
        "rescored": sum(one["rescored"] for one in there),
        "unquoted": sum(one["unquoted"] for one in there),
    }
