"""The whole service behind a real uvicorn: the sample, the offline reasoner, a small embedder, and keys if wanted."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from api.keys import KeyFile, Wanted
from api.local import listen, serving
from graph.sample import ingest_sample
from graph.wiring import Services
from reasoner.offline import OfflineReasoner
from server import Opener, create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import opening_index

MANY = 1_000_000


class Said(logging.Handler):
    """Keeps what the service, or a library under it, logs as an error or with a stack."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or record.exc_info:
            self.errors.append(f"{record.name}: {record.getMessage()}")


@dataclass(frozen=True)
class Whole:
    """A running service: where it is, a header for each named key, and what its log complained of."""

    address: str
    port: int
    headers: Mapping[str, Mapping[str, str]]
    folder: Path
    said: Said = field(default_factory=Said)


def with_sample(folder: Path) -> Opener:
    """An opener on a real index in this folder with the sample in it."""
    empty = opening_index(folder, lambda index: OfflineReasoner(index.statistics, None), HashEmbedder())

    @asynccontextmanager
    async def opener(settings: Settings) -> AsyncIterator[Services]:
        async with empty(settings) as services:
            await ingest_sample(services.index)
            yield services

    return opener


def app_in(folder: Path, **changed: Any) -> FastAPI:
    """The app on this folder, which nobody's number of requests holds up."""
    most = {"requests_per_minute": MANY, "max_open_requests": MANY, "max_open_requests_all": MANY}
    return create_app(Settings.model_construct(data=folder, **{**most, **changed}), opener=with_sample(folder))


@contextmanager
def whole(folder: Path, keys: Mapping[str, Sequence[str]] | None = None, **changed: Any) -> Iterator[Whole]:
    """Serve for as long as the block lasts; `keys` are the roles of each by its name."""
    made = {name: KeyFile.of(folder).create(Wanted(name, roles=roles))[1] for name, roles in (keys or {}).items()}
    headers = {name: {"Authorization": f"Bearer {text}"} for name, text in made.items()}
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    with serving(app_in(folder, **changed), listener):
        running = Whole(f"http://127.0.0.1:{port}", port, headers, folder)
        logging.getLogger().addHandler(running.said)
        try:
            yield running
        finally:
            logging.getLogger().removeHandler(running.said)
