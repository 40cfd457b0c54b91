"""What is established: the ledger, its weakest link, and the gaps. Statuses are derived here, never stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from evidence import Disagreement, Evidence, Gap, LedgerEntry
from state import SubQuestion, TriedQuery

EVIDENCE_FLOOR: Final = 0.5
"""A hit graded lower is not evidence (DESIGN, section 1)."""


def best_grade(ledger: Sequence[LedgerEntry], sub_question_id: str) -> float:
    """The best grade that any evidence has for this sub-question, 0 without; what is superseded weighs nothing."""
    evidence = (e for entry in ledger if _is(entry, sub_question_id) for e in weighing(entry))
    return max((e["grade"]["score"] for e in evidence), default=0.0)


def weighing(entry: LedgerEntry) -> list[Evidence]:
    """The evidence of an entry that no other source supersedes."""
    return [evidence for evidence in entry["evidence"] if "superseded" not in evidence]


def link(ledger: Sequence[LedgerEntry], conflicts: Sequence[Disagreement], sub_question_id: str) -> float:
    """How well a sub-question is established: its best grade, or 0 while it is in conflict."""
    if any(conflict["sub_question_id"] == sub_question_id for conflict in conflicts):
        return 0.0
    return best_grade(ledger, sub_question_id)


def relevance_score(
    sub_questions: Sequence[SubQuestion], ledger: Sequence[LedgerEntry], conflicts: Sequence[Disagreement]
) -> float:
    """The weakest link over the required sub-questions, 0 when there are none yet."""
    return min((link(ledger, conflicts, q["id"]) for q in sub_questions if q["required"]), default=0.0)


def confirmed(
    sub_questions: Sequence[SubQuestion],
    ledger: Sequence[LedgerEntry],
    conflicts: Sequence[Disagreement],
    threshold: float,
) -> list[SubQuestion]:
    """The sub-questions, required or not, whose link reaches the threshold."""
    return [q for q in sub_questions if link(ledger, conflicts, q["id"]) >= threshold]


def unconfirmed(
    sub_questions: Sequence[SubQuestion],
    ledger: Sequence[LedgerEntry],
    conflicts: Sequence[Disagreement],
    threshold: float,
) -> list[SubQuestion]:
    """The sub-questions, required or not, that still need evidence."""
    return [q for q in sub_questions if link(ledger, conflicts, q["id"]) < threshold]


def record(
    sub_questions: Sequence[SubQuestion], ledger: Sequence[LedgerEntry], found: Iterable[Evidence]
) -> list[LedgerEntry]:
    """A new ledger with `found` added: one entry a sub-question in the checklist's order, best grade first.

    A chunk stands once for a sub-question, with its best grade; what is graded under 0.5 is left out.
    """
    known = {(e["sub_question_id"], e["chunk_id"]): e for entry in ledger for e in entry["evidence"]}
    for evidence in found:
        key = (evidence["sub_question_id"], evidence["chunk_id"])
        score = evidence["grade"]["score"]
        if score >= EVIDENCE_FLOOR and (key not in known or score > known[key]["grade"]["score"]):
            known[key] = evidence
    return [
        {
            "sub_question_id": q["id"],
            "evidence": sorted(
                (e for e in known.values() if e["sub_question_id"] == q["id"]),
                key=lambda e: (-e["grade"]["score"], e["chunk_id"]),
            ),
        }
        for q in sub_questions
    ]


def without(ledger: Sequence[LedgerEntry], chunk_ids: Collection[str]) -> list[LedgerEntry]:
    """A new ledger in which nothing rests on these chunks."""
    return [{**entry, "evidence": [e for e in entry["evidence"] if e["chunk_id"] not in chunk_ids]} for entry in ledger]


def gaps(
    sub_questions: Sequence[SubQuestion],
    ledger: Sequence[LedgerEntry],
    conflicts: Sequence[Disagreement],
    tried: Sequence[TriedQuery],
    threshold: float,
) -> list[Gap]:
    """One gap for every required sub-question under the threshold, with the queries already spent on it."""
    in_conflict = {conflict["sub_question_id"] for conflict in conflicts}
    return [
        {
            "sub_question_id": q["id"],
            "kind": "conflict" if q["id"] in in_conflict else "missing",
            "text": q["text"],
            "tried": [t["text"] for t in tried if t["gap"] in (q["id"], None)],
        }
        for q in unconfirmed(sub_questions, ledger, conflicts, threshold)
        if q["required"]
    ]


def is_barren(
    sub_questions: Sequence[SubQuestion], before: Sequence[LedgerEntry], after: Sequence[LedgerEntry]
) -> bool:
    """Whether a round raised no required sub-question's best grade, to at least 0.5, above its old value."""
    return not any(
        best_grade(after, q["id"]) >= EVIDENCE_FLOOR and best_grade(after, q["id"]) > best_grade(before, q["id"])
        for q in sub_questions
        if q["required"]
    )


def _is(entry: LedgerEntry, sub_question_id: str) -> bool:
    return entry["sub_question_id"] == sub_question_id
