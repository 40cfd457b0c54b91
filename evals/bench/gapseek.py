"""Gapseek as the bench asks it: through the one door, with access, provenance and text."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from context.retrieval import Embedder, Principal, SearchRequest, SearchResult
from corpus.documents import Outcome
from corpus.index import Index
from errors import Unavailable
from evals.bench.contender import DEPTH, Found, K
from evals.bench.material import EVERYONE, STAFF, Piece
from state import Lane

T = TypeVar("T")

OWNER: Final = Principal(groups=EVERYONE)
ASKER: Final = Principal(groups=STAFF)
"""Sees 99 of 100 pieces, so that every lane works under an access filter."""
HYBRID: Final[tuple[Lane, ...]] = ("keyword", "vector")
_EQUAL: Final[dict[Lane, float]] = {"keyword": 1.0, "vector": 1.0}


class Gapseek:
    """A synchronous door for the bench: one event loop, one index."""

    name = "gapseek"
    note = "index.search and index.read: access, filter in both lanes, provenance, text"

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._runner = asyncio.Runner()
        self._index = self._run(Index.open(folder, embedder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def add(self, pieces: Sequence[Piece]) -> list[Outcome]:
        """Raises `Unavailable` when a piece is not one chunk: then the contenders would not search the same."""
        outcomes = self._run(self._index.add([piece.document() for piece in pieces], OWNER))
        for outcome in outcomes:
            if outcome.result == "failed" or outcome.chunks not in (0, 1):
                raise Unavailable(f"A piece did not become one chunk: {outcome.result}, {outcome.sentence}")
        return outcomes

    def count(self) -> int:
        return self._run(self._index.count(OWNER, None))

    def search(self, question: str, tenth: int | None = None, principal: Principal = OWNER) -> list[Found]:
        """The best ten as everybody who asks sees them."""
        return self._run(self._found(_request(question, tenth, principal, HYBRID)))

    def lane(self, question: str, lane: Lane, depth: int = DEPTH) -> SearchResult:
        """One lane alone, with its ranks and scores."""
        return self._run(self._index.search(replace(_request(question, None, OWNER, (lane,)), top_k=depth)))

    def close(self) -> None:
        with self._runner:
            self._runner.run(self._index.close())

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        # `Runner.run` would also take and give back the handler of signals each time, which a service does once.
        return self._runner.get_loop().run_until_complete(coroutine)

    async def _found(self, request: SearchRequest) -> list[Found]:
        hits = await self._index.search(request)
        for report in hits.lanes:
            if report["error"] is not None:
                raise Unavailable(report["error"])
        passages = await self._index.read([doc["chunk_id"] for doc in hits.docs], request.principal)
        return [(doc["doc_id"], passages[doc["chunk_id"]].text) for doc in hits.docs]


def _request(question: str, tenth: int | None, principal: Principal, lanes: tuple[Lane, ...]) -> SearchRequest:
    wanted = None if tenth is None else {"tenth": tenth}
    return SearchRequest((question,), principal, wanted, lanes, depth=DEPTH, top_k=K, weights=_EQUAL)
