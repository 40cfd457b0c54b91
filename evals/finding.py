"""What the search of an ask found, against the gold of its question: of records that have gold."""

from __future__ import annotations

from typing import Final

from evals import metrics, verdicts
from evals.record import Record

K: Final = 5
DEPTH: Final = 10
"""The same places as in the tables of retrieval."""


def found(record: Record) -> list[str]:
    """Labels that the last round searched out, best first: the list that the answer was written from."""
    return list(record.rounds[-1].found) if record.rounds else []


def recall(record: Record) -> float:
    return metrics.recall(found(record), record.gold, K)


def all_gold(record: Record) -> float:
    return metrics.all_gold(found(record), record.gold, K)


def reciprocal_rank(record: Record) -> float:
    return metrics.reciprocal_rank(found(record), record.gold, DEPTH)


def ndcg(record: Record) -> float:
    return metrics.ndcg(found(record), record.gold, DEPTH)


def evidence_recall(record: Record) -> float:
    """The share of gold that any round took for evidence."""
    gold = set(record.gold)
    return len(verdicts.evidence(record) & gold) / len(gold)
