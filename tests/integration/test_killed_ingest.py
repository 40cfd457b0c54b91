"""A process killed while it indexes loses nothing that it reported, and doubles nothing when it goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from context.retrieval import Principal, SearchRequest, Vectors
from corpus.documents import NewDocument
from corpus.index import Index
from tests.fakes.embedder import HashEmbedder

ME = Principal()
ROOT = Path(__file__).parents[2]
INGEST = """
import asyncio, sys
from pathlib import Path
from tests.integration.test_killed_ingest import DOCUMENTS, Index, ME, Mortal

async def main():
    index = await Index.open(Path(sys.argv[1]), Mortal(int(sys.argv[2])))
    await index.add(DOCUMENTS, ME, lambda done, total, outcome: print(done, flush=True))

asyncio.run(main())
"""
DOCUMENTS = [
    NewDocument(f"{n}", f"第{n}条　电梯 {n} 号的维修费用。\n\n第{n + 500}条　食堂 {n} 号。") for n in range(1, 201)
]


class Mortal(HashEmbedder):
    """Its process is killed when it is asked for vectors for the n-th time."""

    def __init__(self, call: int) -> None:
        super().__init__()
        self.left = call

    async def passages(self, texts: Sequence[str]) -> Vectors:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().passages(texts)


@pytest.mark.parametrize("call", [1, 2, 6])
async def test_what_was_reported_is_there_and_the_rest_follows(tmp_path: Path, call: int) -> None:
    done = await asyncio.to_thread(killed_at, tmp_path, call)
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    kept = list(index.catalogue.visible(ME))
    assert done == len(kept) == 64 * ((call - 1) // 2)
    assert {document.chunks for document in kept} <= {2}
    assert embedder.embedded == []

    outcomes = [outcome.result for outcome in await index.add(DOCUMENTS, ME)]
    assert outcomes.count("unchanged") == len(kept)
    assert outcomes.count("added") == len(DOCUMENTS) - len(kept)
    assert len(embedder.embedded) == 2 * len(DOCUMENTS) - 64 * (call - 1)
    assert await index.count(ME, None) == 2 * len(DOCUMENTS)
    found = await index.search(SearchRequest(("电梯 7 号",), ME, lanes=("vector",), depth=1_000, top_k=1_000))
    assert len({d["chunk_id"] for d in found.docs}) == len(found.docs) == 2 * len(DOCUMENTS)
    await index.close()


def killed_at(folder: Path, call: int) -> int:
    """How many documents the process had reported when it was killed."""
    command = [sys.executable, "-c", INGEST, str(folder), str(call)]
    died = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert died.returncode == -signal.SIGKILL
    return len(died.stdout.splitlines())
