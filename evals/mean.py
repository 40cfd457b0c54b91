"""The mean vector of the generic sentences, for `corpus/embeddings/e5_mean.json`: `python -m evals.mean > FILE`."""

from __future__ import annotations

import asyncio
import json
import sys

from context.retrieval import Embedder
from corpus.embeddings.common import generic_sentences
from corpus.embeddings.e5 import E5Embedder

_DIGITS = 5  # the vectors themselves differ by more from one processor to another


async def mean(embedder: Embedder) -> list[float]:
    """One number a dimension."""
    rows = await embedder.passages(generic_sentences())
    return [round(float(number), _DIGITS) for number in rows.mean(axis=0)]


async def run() -> str:
    """The file's text. Ends the command where the model has no wheel."""
    embedder = await asyncio.to_thread(E5Embedder.load)
    if embedder is None:
        sys.exit("evals.mean: the embedded model has no wheel for this platform.")
    try:
        return json.dumps(await mean(embedder))
    finally:
        await embedder.close()


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(run()))
