"""What embedding costs, apart from everything else: documents as they are, through the product's own embedder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from evals.bench.timing import Times
from graph.wiring import open_services
from settings import Endpoint, Settings


async def measure(documents: Sequence[NewDocument], questions: Sequence[str], data: Path) -> dict[str, Any]:
    """Chunks a second with and without the embedder, and a question's embedding."""
    none = Endpoint()
    without = await Index.open(data / "words", None)
    try:
        chunks, words = await _add(without, documents)
    finally:
        await without.close()
    found: dict[str, Any] = {
        "documents": len(documents),
        "chunks": chunks,
        "without_embedder": round(chunks / words, 1),
    }
    settings = Settings(chat=none, small_chat=none, embeddings=none, data=data / "both")
    async with open_services(settings, sample=False) as services:
        if services.vector_lane_off:
            return found | {"embedder": None}
        chunks, both = await _add(services.index, documents)
        times = Times(tuple([await _embedded(services.index, question) for question in questions]))
        found |= {"embedder": services.index.embedder_name, "with_embedder": round(chunks / both, 1)}
        return found | {"question": times.milliseconds()}


async def _add(index: Index, documents: Sequence[NewDocument]) -> tuple[int, float]:
    begun = time.perf_counter()
    outcomes = await index.add(documents, Principal())
    return sum(outcome.chunks for outcome in outcomes), time.perf_counter() - begun


async def _embedded(index: Index, question: str) -> float:
    begun = time.perf_counter()
    await index.statistics.similarities([question], [], Principal())
    return time.perf_counter() - begun
