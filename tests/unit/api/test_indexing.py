"""Sources are read beside everything else that the server does."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, cast

from api.indexing import Source, index_all
from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from tests.fakes.index import MemoryIndex


async def test_a_slow_file_takes_no_thread_that_searches_need() -> None:
    loop, begun, searched = asyncio.get_running_loop(), asyncio.Event(), Event()
    loop.set_default_executor(ThreadPoolExecutor(1))

    def slow() -> NewDocument:
        loop.call_soon_threadsafe(begun.set)
        return NewDocument("a.md", "found first" if searched.wait(5) else "waited in vain")

    index = MemoryIndex({})
    sources = [Source("a.md", slow)]
    work = asyncio.create_task(index_all(sources, cast(Index, cast(Any, index)), Principal()))
    await begun.wait()
    await asyncio.to_thread(searched.set)
    await work
    assert index.passages["a.md-1"].text == "found first"
