"""What serves without an endpoint: the embedded model and its index."""

from __future__ import annotations

import asyncio
from pathlib import Path

import errors
from context.doctor.findings import Finding
from corpus.doctor.vectors import PREFIX, compared
from corpus.embeddings.e5 import E5Embedder
from corpus.rerank.cross_encoder import CrossEncoderReranker
from corpus.store.fingerprints import recorded_embedder


async def look_at_embedded(store: Path) -> Finding:
    """Load it, embed a text, and compare it with what the index holds."""
    embedder = await asyncio.to_thread(E5Embedder.load)
    if embedder is None:
        sentence = "The embedded model has no wheel for this platform: searches go by words alone."
        return Finding("warn", sentence, f"{PREFIX}__MODEL", f"a model, with {PREFIX}__BASE_URL beside it")
    try:
        vector = await embedder.queries(["电梯"])
        held = await asyncio.to_thread(recorded_embedder, store)
    except errors.GapseekError as error:
        return Finding("fail", error.sentence)
    finally:
        await embedder.close()
    found = compared(held, embedder.name, vector.shape[1])
    if found.status != "ok":
        return found
    return Finding("ok", f"The embedded model multilingual-e5-small serves. {found.sentence}")


async def look_at_cross_encoder(model: str) -> Finding:
    """Load it, as a start would."""
    try:
        await asyncio.to_thread(CrossEncoderReranker.load, model)
    except errors.GapseekError as error:
        return Finding("fail", error.sentence, "GAPSEEK_RERANK__MODEL", "a model that is on this machine")
    return Finding("ok", "The cross-encoder is loaded.")
