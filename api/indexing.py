"""Documents and files into the index, group by group, telling of each as it is done."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any, Final
from uuid import uuid4

from context.retrieval import Principal
from corpus.documents import NewDocument, Outcome, failed
from corpus.index import Index
from errors import BadRequest
from runs.events import Event, EventType
from runs.failure import failure

_GROUP: Final = 32
_GROUP_CHARACTERS: Final = 2_000_000
"""A group of documents is in memory and indexed at once: so many at most, and none more after so much text."""

Tell = Callable[[EventType, dict[str, Any]], None]


@dataclass(frozen=True)
class Source:
    """A document that is to be; `read` may block, and raises `errors.BadRequest` when it cannot be used."""

    doc_id: str
    read: Callable[[], NewDocument]


def silent(kind: EventType, data: dict[str, Any]) -> None:
    """Tell nobody."""


async def index_all(
    sources: Sequence[Source], index: Index, principal: Principal, tell: Tell = silent
) -> list[Outcome]:
    """What became of each. When this is cancelled, what had been indexed stays."""
    outcomes: list[Outcome] = []
    with _reader() as reader:
        while len(outcomes) < len(sources):
            group = await _next_group(sources[len(outcomes) :], reader)
            outcomes += await _index(group, index, principal, tell, len(outcomes), len(sources))
    return outcomes


@contextmanager
def _reader() -> Iterator[ThreadPoolExecutor]:
    """A thread in which files wait for a converter: in those that all else shares they would hold up every search.

    What still reads when the block ends is not waited for; its thread ends with it.
    """
    reader = ThreadPoolExecutor(1, "gapseek-reader")
    try:
        yield reader
    finally:
        reader.shutdown(wait=False, cancel_futures=True)


async def _index(
    group: Sequence[NewDocument | Outcome], index: Index, principal: Principal, tell: Tell, before: int, total: int
) -> list[Outcome]:
    def finished(number: int, of: int, outcome: Outcome) -> None:
        tell("document", {**asdict(outcome), "done": before + number, "total": total})

    def embedded(doc_id: str, chunks: int, of: int) -> None:
        tell("chunks", {"doc_id": doc_id, "done": chunks, "total": of})

    return await index.add(group, principal, finished, embedded)


async def _next_group(sources: Sequence[Source], reader: ThreadPoolExecutor) -> list[NewDocument | Outcome]:
    group: list[NewDocument | Outcome] = []
    characters = 0
    for source in sources[:_GROUP]:
        group.append(await asyncio.get_running_loop().run_in_executor(reader, copy_context().run, _read, source))
        characters += len(getattr(group[-1], "text", ""))
        if characters > _GROUP_CHARACTERS:
            break
    return group


def _read(source: Source) -> NewDocument | Outcome:
    try:
        return source.read()
    except BadRequest as error:
        return failed(source.doc_id, error)


async def told(sources: Sequence[Source], index: Index, principal: Principal) -> AsyncGenerator[Event, None]:
    """The events of `index_all`, numbered, and a last `done`; an exception becomes an `error` before it."""
    numbers = count(1)
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    results: Counter[str] = Counter({"added": 0, "updated": 0, "unchanged": 0, "failed": 0})

    def tell(kind: EventType, data: dict[str, Any]) -> None:
        if kind == "document":
            results[data["result"]] += 1
        queue.put_nowait(Event(kind, data, next(numbers)))

    work = asyncio.create_task(index_all(sources, index, principal, tell))
    work.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        async for event in _until_none(queue):
            yield event
        if problem := _problem(work):
            yield Event("error", problem, next(numbers))
        yield Event("done", dict(results), next(numbers))
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _until_none(queue: asyncio.Queue[Event | None]) -> AsyncGenerator[Event, None]:
    while (event := await queue.get()) is not None:
        yield event


def _problem(work: asyncio.Task[list[Outcome]]) -> dict[str, Any] | None:
    error = work.exception()
    if not isinstance(error, Exception):
        return None
    failed = failure(error, f"upload {uuid4().hex}")
    return {"status": failed.status, "code": failed.code, "detail": failed.sentence, "retryable": failed.retryable}
