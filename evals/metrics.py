"""Ranking metrics over labels, best first, with binary relevance. A label that comes twice counts where it is first."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def recall(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """|gold among the first k| / min(|gold|, k): 1 when no more of it could stand there."""
    wanted = set(gold)
    return len(wanted & set(_first(found, k))) / min(len(wanted), k)


def all_gold(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 when every gold label is among the first k, else 0."""
    return float(set(gold) <= set(_first(found, k)))


def reciprocal_rank(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 / rank of the first gold label, 0 when none is among the first k."""
    return next((1 / rank for rank, label in enumerate(_first(found, k), start=1) if label in gold), 0.0)


def ndcg(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """DCG with gain 1 and discount log2(rank + 1), over that of the best order (Järvelin and Kekäläinen, 2002)."""
    gain = sum(1 / math.log2(rank + 1) for rank, label in enumerate(_first(found, k), start=1) if label in gold)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(set(gold)), k) + 1))


def _first(found: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(found))[:k]
