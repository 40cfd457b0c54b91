"""Hits of several searches of one round to one list. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from state import RRF_K, Doc


def joined(results: Sequence[Sequence[Doc]], top_k: int) -> list[Doc]:
    """The best `top_k` by reciprocal rank, each with every place that it was found at; one result stays as it is.

    It joins finished rankings, and so does not depend on how the lanes were fused.
    """
    if len(results) == 1:
        return list(results[0])
    scores: dict[str, float] = {}
    docs: dict[str, Doc] = {}
    for doc in (doc for found in results for doc in found):
        name = doc["chunk_id"]
        scores[name] = scores.get(name, 0.0) + 1 / (RRF_K + doc["rank"])
        docs[name] = _both(docs[name], doc) if name in docs else doc
    order = sorted(docs, key=lambda name: (-scores[name], name))[:top_k]
    return [{**docs[name], "rank": rank, "score": scores[name]} for rank, name in enumerate(order, start=1)]


def _both(doc: Doc, again: Doc) -> Doc:
    return {
        **doc,
        "lanes": [*doc["lanes"], *again["lanes"]],
        "also_in": _united(doc.get("also_in", ()), again.get("also_in", ())),
    }


def _united(*names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for some in names for name in some))
