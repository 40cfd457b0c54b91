"""What a reranker makes of a fused list. One that fails leaves the fused order, and the result says so."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import errors
from context.retrieval import Passage, Principal, Reranker, SearchRequest, SearchResult
from corpus.documents import indexed_text
from state import Doc, LaneReport

_log = logging.getLogger(__name__)

DEPTH: Final = 20
TIMEOUT_S: Final = 5.0


@dataclass(frozen=True)
class Rerank:
    """The deployment's choice; "embedding" is the index's own. `depth` hits are re-ordered, within `timeout_s`."""

    reranker: Reranker | Literal["embedding"] | None = None
    depth: int = DEPTH
    timeout_s: float = TIMEOUT_S


Read = Callable[[Sequence[str], Principal], Mapping[str, Passage]]
"""Passages by chunk_id, those that the principal may see."""

NO_RERANK: Final = Rerank()


class Reranking:
    """Re-orders the best hits of a search for its first query; the others follow in fused order."""

    def __init__(self, chosen: Rerank, by_embedding: Reranker | None, read: Read) -> None:
        self._chosen = chosen
        self._by_embedding = by_embedding
        self._read = read

    @property
    def name(self) -> str | None:
        """The configured reranker's, None when there is none."""
        chosen = self._chosen.reranker
        return chosen if chosen is None or chosen == "embedding" else chosen.name

    def widened(self, request: SearchRequest) -> SearchRequest:
        """The request with as many hits as the reranker is to see."""
        return replace(request, top_k=max(request.top_k, self._depth(request))) if request.rerank else request

    async def reordered(self, found: SearchResult, request: SearchRequest) -> SearchResult:
        """The result of a widened request, re-ordered and cut to `request.top_k`."""
        if not request.rerank or not found.docs:
            return found
        query = found.lanes[0]["query"]
        first, rest = found.docs[: self._depth(request)], found.docs[self._depth(request) :]
        error = None
        try:
            first = _by_score(first, await self._scores(request, query, first), query)
        except errors.GapseekError as failure:
            error = failure.sentence
        except TimeoutError:
            error = "The reranker did not answer in time."
        except Exception:
            _log.exception("The reranker failed")
            error = "The reranker failed."
        report: LaneReport = {
            "query": query,
            "lane": "rerank",
            "hits": 0 if error else len(first),
            "cached": False,
            "error": error,
        }
        return replace(found, docs=_numbered([*first, *rest][: request.top_k]), lanes=(*found.lanes, report))

    def _depth(self, request: SearchRequest) -> int:
        return request.rerank_depth or self._chosen.depth

    def _patience(self, request: SearchRequest) -> float:
        """Seconds to wait for an answer: the deployment's, unless the request has less."""
        chosen = self._chosen.timeout_s
        return chosen if request.timeout_s is None else min(chosen, request.timeout_s)

    def _reranker(self, request: SearchRequest) -> Reranker:
        chosen = self._chosen.reranker if request.reranker == "configured" else None
        reranker = self._by_embedding if chosen is None or chosen == "embedding" else chosen
        if reranker is None:
            raise errors.Unavailable("Hits are not re-ordered: there is no reranker and no embedder.")
        return reranker

    async def _scores(self, request: SearchRequest, query: str, docs: Sequence[Doc]) -> list[float]:
        """One score a hit; a hit that was deleted meanwhile comes last."""
        reranker = self._reranker(request)
        passages = await asyncio.to_thread(self._read, [doc["chunk_id"] for doc in docs], request.principal)
        texts = {one: indexed_text(passage.title, passage.heading, passage.text) for one, passage in passages.items()}
        async with asyncio.timeout(self._patience(request)):
            scores = await reranker.rerank(query, list(texts.values()))
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise errors.Unavailable("The reranker gave an answer that cannot be used.")
        of_chunk = dict(zip(texts, scores, strict=True))
        return [float(of_chunk.get(doc["chunk_id"], -math.inf)) for doc in docs]


def _by_score(docs: Sequence[Doc], scores: Sequence[float], query: str) -> tuple[Doc, ...]:
    """Best score first, equal ones in fused order; each hit says where the reranker put it."""
    order = sorted(range(len(docs)), key=lambda place: -scores[place])
    return tuple(
        {
            **docs[place],
            "lanes": [*docs[place]["lanes"], {"query": query, "lane": "rerank", "rank": rank, "score": scores[place]}],
        }
        for rank, place in enumerate(order, 1)
        if math.isfinite(scores[place])
    )


def _numbered(docs: Sequence[Doc]) -> tuple[Doc, ...]:
    return tuple({**doc, "rank": rank} for rank, doc in enumerate(docs, 1))
