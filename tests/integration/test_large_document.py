"""Case A29: one text of more than 6,000 chunks, its process killed half-way, and made again."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from context.retrieval import Principal, SearchRequest, Vectors
from corpus.documents import NewDocument, Outcome
from corpus.index import Index

ROOT = Path(__file__).parents[2]
ME = Principal()
ARTICLES = 6_100
TEXT = "\n\n".join(f"第{n}条　本条规定第 {n} 项费用的承担。" for n in range(1, ARTICLES + 1))
OLD, NEW = NewDocument("规定.md", "第1条　旧的规定。"), NewDocument("规定.md", TEXT)


class Paid:
    """An embedder that keeps a bill on disk, and dies once it has been paid for so many texts."""

    def __init__(self, bill: Path, dies_after: int | None = None) -> None:
        self.name, self.dimension = "paid", 8
        self.common: Vectors | None = None
        self.bill = bill
        self.left = dies_after

    async def queries(self, texts: Sequence[str]) -> Vectors:
        return _rows(texts)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        with self.bill.open("a", encoding="utf-8") as written:
            written.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)
        if self.left is not None:
            self.left -= len(texts)
            if self.left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return _rows(texts)


def _rows(texts: Sequence[str]) -> Vectors:
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") for text in texts]
    rows = np.array([np.random.default_rng(seed).standard_normal(8) for seed in seeds], np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def ingest_and_die(folder: str) -> None:
    async def main() -> None:
        index = await Index.open(Path(folder) / "index", Paid(Path(folder) / "bill", dies_after=ARTICLES // 2))
        await index.add([OLD], ME)
        await index.add([NEW], ME)

    asyncio.run(main())


async def test_killed_half_way_it_finishes_without_paying_again_and_without_doubles(tmp_path: Path) -> None:
    code = "import sys; from tests.integration.test_large_document import ingest_and_die; ingest_and_die(sys.argv[1])"
    died = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT)
    assert died.returncode == -signal.SIGKILL
    paid_before = bill(tmp_path)
    assert ARTICLES // 2 <= len(paid_before) < ARTICLES

    index = await Index.open(tmp_path / "index", Paid(tmp_path / "bill"))
    hits = (await index.search(SearchRequest(("旧的规定",), ME))).docs
    assert [hit["doc_id"] for hit in hits] == ["规定.md"]
    assert await index.count(ME, None) == 1
    assert await index.add([NEW], ME) == [Outcome("规定.md", "updated", ARTICLES, found="kind 规定 (rules)")]

    paid = bill(tmp_path)
    assert len(paid) - len(set(paid)) <= 64
    assert len(set(paid)) == ARTICLES + 1
    assert await index.count(ME, None) == ARTICLES
    last = (await index.search(SearchRequest((f"第{ARTICLES}条",), ME, lanes=("keyword",), top_k=1))).docs
    assert f"第{ARTICLES}条" in (await index.read([last[0]["chunk_id"]], ME))[last[0]["chunk_id"]].text
    current = "FROM chunks JOIN documents ON version_id = current"
    assert rows(tmp_path, f"SELECT COUNT(DISTINCT chunk_id) {current}") == [(ARTICLES,)]
    assert rows(tmp_path, "SELECT COUNT(*), COUNT(DISTINCT key) FROM vectors") == [(ARTICLES + 1, ARTICLES + 1)]
    assert rows(tmp_path, "SELECT COUNT(*) FROM unclaimed") == [(0,)]
    await index.close()


def bill(folder: Path) -> list[str]:
    return (folder / "bill").read_text("utf-8").splitlines()


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "index" / "documents.sqlite3")) as connection:
        return connection.execute(sql).fetchall()
