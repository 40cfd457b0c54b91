"""The built-in knowledge base."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import corpus
from context.retrieval import Principal
from corpus.changes import Progress
from corpus.documents import Outcome
from corpus.index import Index
from corpus.ingest.folder import read_folder

if TYPE_CHECKING:
    pass

SAMPLE: Final = Path(corpus.__file__).parent / "samples" / "elevator"
"""The built-in knowledge base, where the package is installed."""


def silent(done: int, total: int, outcome: Outcome) -> None:
    """The progress that nobody wants to see."""


async def ingest_sample(index: Index, progress: Progress = silent) -> None:
    """Put the built-in knowledge base into an index that never held anything: one that was emptied stays empty."""
    if index.generation:
        return
    documents = await asyncio.to_thread(lambda: list(read_folder(SAMPLE)))
    await index.add(documents, Principal(), progress)
