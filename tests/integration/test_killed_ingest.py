"""A process killed while it indexes loses nothing that it reported, and doubles nothing when it goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from context import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from tests.fakes.embedder import HashEmbedder

ME = Principal()
ROOT = Path(__file__).parents[2]
INGEST = """
import asyncio, sys
from pathlib import Path
from tests.integration.test_killed_ingest import DOCUMENTS, HashEmbedder, Index, ME

async def main():
    index = await Index.open(Path(sys.argv[1]), HashEmbedder())
    await index.add(DOCUMENTS, ME, lambda done, total, outcome: print(done, flush=True))

asyncio.run(main())
"""
DOCUMENTS = [
    NewDocument(f"{n}", f"第{n}条　电梯 {n} 号的维修费用。\n\n第{n + 500}条　食堂 {n} 号。") for n in range(1, 400)
]


@pytest.mark.parametrize("killed_after", [1, 60])
async def test_what_was_reported_is_there_and_the_rest_follows(tmp_path: Path, killed_after: int) -> None:
    done = kill_after(tmp_path, killed_after)
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    kept = await index.documents(ME)
    assert done <= len(kept) < len(DOCUMENTS)
    assert {document.chunks for document in kept} == {2}
    assert embedder.embedded == []

    outcomes = [outcome.result for outcome in await index.add(DOCUMENTS, ME)]
    assert outcomes.count("unchanged") == len(kept)
    assert outcomes.count("added") == len(DOCUMENTS) - len(kept)
    assert await index.count(ME, None) == 2 * len(DOCUMENTS)
    found = await index.search(SearchRequest(("电梯 7 号",), ME, lanes=("vector",), depth=1_000, top_k=1_000))
    assert len({d["chunk_id"] for d in found.docs}) == len(found.docs) == 2 * len(DOCUMENTS)
    await index.close()


def kill_after(folder: Path, documents: int) -> int:
    """How many documents the process had reported when it was killed, at least this many."""
    with subprocess.Popen([sys.executable, "-c", INGEST, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        reported = [process.stdout.readline() for _ in range(documents)]
        process.send_signal(signal.SIGKILL)
        return len(reported) + len(process.stdout.readlines())
