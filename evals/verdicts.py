"""What one record says for or against the machine."""

from __future__ import annotations

from typing import Final

from evals.overlap import contains, point_recall
from evals.record import Record
from policy.ledger import EVIDENCE_FLOOR

ANSWERS: Final = ("answered", "partial")


def abstained(record: Record) -> bool:
    """Whether the fixed sentence was said instead of an answer."""
    return record.status == "insufficient"


def right(record: Record) -> bool:
    """Where there is no answer, none was given; where there is one, it was, and something that answers was cited.

    Without gold it is what the answer says that counts: every point, or else one of the references in its own words.
    Small talk is right when nothing was looked up.
    """
    if not record.needs_lookup:
        return record.status in ANSWERS and not record.looked_up
    if not record.answerable:
        return abstained(record)
    return record.status in ANSWERS and (bool(cited(record) & set(record.gold)) if record.gold else said(record))


def said(record: Record) -> bool:
    """Whether the answer makes every point, or, where none are named, contains a reference."""
    if record.points:
        return point_recall(record.answer, record.points) == 1.0
    return any(contains(record.answer, reference) for reference in record.references)


def answered_directly(record: Record) -> bool:
    """Should have looked up but answered directly: an answer without a source."""
    return record.needs_lookup and not record.looked_up


def looked_up_in_vain(record: Record) -> bool:
    """Looked something up for small talk."""
    return not record.needs_lookup and record.looked_up


def cited(record: Record) -> set[str]:
    return {source.label for source in record.cited}


def citation_precision(record: Record) -> float | None:
    """The share of what is cited that is gold; None where nothing is cited."""
    labels = cited(record)
    return len(labels & set(record.gold)) / len(labels) if labels else None


def citation_recall(record: Record) -> float:
    """The share of gold that is cited; there must be gold."""
    return len(cited(record) & set(record.gold)) / len(set(record.gold))


def evidence(record: Record) -> set[str]:
    """Labels of what was graded as evidence in any round."""
    return {label for step in record.rounds for _, label, score in step.graded if score >= EVIDENCE_FLOOR}


def stopped_without_gold(record: Record) -> bool:
    """Stopped as sufficient although nothing of what answers was among the evidence."""
    return record.stop_reason == "sufficient" and not evidence(record) & set(record.gold)


def went_on_with_gold(record: Record) -> bool:
    """Searched again although all that answers had been graded before the last round."""
    before = {label for step in list(record.rounds)[:-1] for _, label, _ in step.graded}
    return bool(record.gold) and set(record.gold) <= before


def refused_with_gold(record: Record) -> bool:
    """Said that nothing answers although something that does had been graded."""
    graded = {label for step in record.rounds for _, label, _ in step.graded}
    return abstained(record) and bool(graded & set(record.gold))


def misled(record: Record) -> bool:
    """Cites what must not be cited: another city's article, another version, a source that is wrong."""
    return bool(cited(record) & set(record.not_to_cite))
