"""What each mode is: the search that it asks for, and its ways through the graph. Pure; docs/modes.md draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypedDict

from policy.lanes import LANES
from state import Lane, Mode, RAGState, SubQuestion

Rerank = Literal["never", "where_configured", "always", "by_embedding"]
"""By what hits are re-ordered: by nothing; by the deployment's reranker, if it has one; by that, or else by embedding;
by embedding, whatever the deployment has."""


@dataclass(frozen=True)
class Way:
    """One row of the table.

    `first` is the node after the route: `rewrite` writes a checklist and queries; where it is left out the stand-alone
    question is the one sub-question and the one query. `back` is the node to which a gap leads from evaluate, None in
    one pass.
    `top_k` is how many hits are kept, None for as many as the ask's dial says.
    """

    lanes: tuple[Lane, ...] = LANES
    rerank: Rerank = "where_configured"
    rerank_depth: int | None = None
    top_k: int | None = None
    first: Literal["rewrite", "retrieve"] = "rewrite"
    back: Literal["rewrite"] | None = None

    @property
    def plans(self) -> bool:
        """Whether a checklist and queries are written."""
        return self.first == "rewrite"

    @property
    def rounds(self) -> bool:
        """Whether there may be another round."""
        return self.back is not None


WAYS: Final[dict[Mode, Way]] = {
    "bm25": Way(lanes=("keyword",), rerank="never", first="retrieve"),
    "naive": Way(lanes=("vector",), rerank="never", first="retrieve"),
    "bm25_rerank": Way(lanes=("keyword",), rerank="by_embedding", rerank_depth=20, top_k=5, first="retrieve"),
    "hybrid": Way(rerank="never", first="retrieve"),
    "hybrid_rerank": Way(rerank="always", first="retrieve"),
    "self_query": Way(),
    "loop": Way(back="rewrite"),
}
"""The modes of an ask that are built."""

SEARCHES: Final[dict[Mode, Way]] = {mode: way for mode, way in WAYS.items() if not way.plans}
"""Those that are one search, and so the modes of a bare search too."""


class Asked(TypedDict):
    """What a mode asks of the retriever, by the names of `SearchRequest`."""

    lanes: tuple[Lane, ...]
    weights: dict[Lane, float] | None
    rerank: bool
    reranker: Literal["configured", "embedding"]
    rerank_depth: int | None


def asked(way: Way, *, configured: bool) -> Asked:
    """The search of a mode, where a reranker is `configured` or not.

    A lane that is alone weighs 1: a deployment that gives it no weight beside the other still asks for it by the mode.
    """
    return {
        "lanes": way.lanes,
        "weights": {way.lanes[0]: 1.0} if len(way.lanes) == 1 else None,
        "rerank": way.rerank in ("always", "by_embedding") or (way.rerank == "where_configured" and configured),
        "reranker": "embedding" if way.rerank == "by_embedding" else "configured",
        "rerank_depth": way.rerank_depth,
    }


def whole(standalone: str) -> list[SubQuestion]:
    """The checklist of a mode that writes none: the stand-alone question."""
    return [{"id": "q1", "text": standalone, "required": True}]


def way_of(state: RAGState) -> Way:
    """The row of the mode that this turn is asked in."""
    return WAYS[state["mode"]]
