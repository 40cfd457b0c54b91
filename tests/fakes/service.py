"""The real graph and a real saver over scripted collaborators: a whole service without a model or an index."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from context.reasoning import GradeRequest, Judgement, ProposedQuery, Reasoner, Rewrite, RewriteRequest, Route, band_of
from context.retrieval import Embedder, Principal
from context.run import Clock, Context
from context.tools import ToolChoice, ToolRequest
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from graph.build import build
from graph.checkpoints import open_saver
from graph.knowledge import limits
from graph.wiring import Services
from runs.engine import Engine
from server import Opener, create_app
from settings import Settings
from state import Dials
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner

TEXTS = {
    "leave": "Employees have 20 days of paid leave a year.",
    "notice": "The notice period is 3 months.",
}


def grading(score: float | Callable[[GradeRequest], float]) -> Callable[[GradeRequest], tuple[Judgement, ...]]:
    """A grader that gives every pair one score, and quotes the whole passage."""

    def grade(request: GradeRequest) -> tuple[Judgement, ...]:
        given = score(request) if callable(score) else score
        return tuple(
            Judgement(q["id"], p.chunk_id, p.text, "as the script says", band_of(given), given)
            for q in request.sub_questions
            for p in request.passages
        )

    return grade


def by_rules(request: ToolRequest) -> ToolChoice:
    """Search for the question, note what was found first for what is open, and finish."""
    if not request.steps:
        return ToolChoice("search", {"query": request.question})
    noted = {step.arguments.get("chunk") for step in request.steps if step.tool == "note"}
    places = [place.passage for step in request.steps for place in step.places if place.passage.text]
    fresh = [passage for passage in places if passage.chunk_id not in noted]
    if not request.open or not fresh:
        return ToolChoice("finish")
    found = {"chunk": fresh[0].chunk_id, "quote": fresh[0].text[:9]}
    return ToolChoice("note", {"sub_question": request.open[0]["id"], **found})


def scripted(*, score: float | Callable[[GradeRequest], float] = 0.95, **scripts: Any) -> ScriptedReasoner:
    """A reasoner for any number of asks: looks everything up, always has a new query, grades as told.

    `scripts` replace what it says by itself.
    """
    count = iter(range(1, 1_000))

    def rewrite(request: RewriteRequest) -> Rewrite:
        again = ProposedQuery(f"{request.question} {'again ' * next(count)}", 1)
        return Rewrite(((request.question, True),), (again,))

    own: dict[str, Any] = {
        "route": lambda request: Route(True, "a question about the documents", request.question),
        "rewrite": rewrite,
        "grade": grading(score),
        "choose_tool": by_rules,
        "answer": lambda request: f"{request.sources[0].passage.text[:-1]} [1].",
    }
    return ScriptedReasoner(**{**own, **scripts})


def dials(**changed: Any) -> Dials:
    """The deployment's dials, with the field's defaults."""
    return Settings.model_construct(**changed).dials()


@asynccontextmanager
async def engine_over(
    reasoner: Reasoner | None = None,
    retriever: MemoryIndex | None = None,
    *,
    path: Path | str = ":memory:",
    limits: Dials | None = None,
    clock: Clock | None = None,
    **more: Any,
) -> AsyncIterator[Engine]:
    """An engine on the real graph, with its checkpoints in SQLite at `path`."""
    thinking, index, now = reasoner or scripted(), retriever or MemoryIndex(TEXTS), clock or Ticking()
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        yield Engine(
            graph=build(saver),
            saver=saver,
            context_for=lambda principal: Context(thinking, index, now, principal, limits or dials()),
            **more,
        )


class Ticking:
    """A clock that moves a millisecond each time it is read."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


ALICE = Principal()
BOB = Principal(tenant="other")


def opening(reasoner: Reasoner | None = None, index: MemoryIndex | None = None, **options: Any) -> Opener:
    """An opener for `create_app`: the real graph and saver over these collaborators."""
    thinking, kept = reasoner or scripted(), index or MemoryIndex(TEXTS)
    wrap = options.pop("saver", lambda saver: saver)

    @asynccontextmanager
    async def opener(settings: Settings) -> AsyncIterator[Services]:
        async with AsyncSqliteSaver.from_conn_string(":memory:") as saver:
            wrapped, off = wrap(saver), options.get("vector_lane_off")
            with Converter(limits(settings)) as converter:
                yield Services(settings, build(wrapped), wrapped, cast(Index, kept), thinking, off, converter)

    return opener


@asynccontextmanager
async def client_of(app: FastAPI, **options: Any) -> AsyncIterator[AsyncClient]:
    """A client that calls the app without a socket, while its lifespan is on."""
    transport = ASGITransport(app, raise_app_exceptions=True)
    client = AsyncClient(transport=transport, base_url="http://127.0.0.1", **options)
    async with app.router.lifespan_context(app), client:
        yield client


@asynccontextmanager
async def serving(
    reasoner: Reasoner | None = None, index: MemoryIndex | None = None, **changed: Any
) -> AsyncIterator[AsyncClient]:
    """The whole app over scripted collaborators, with some settings changed."""
    app = create_app(Settings.model_construct(**changed), opener=opening(reasoner, index))
    async with client_of(app) as client:
        yield client


@asynccontextmanager
async def on_a_port(app: FastAPI) -> AsyncIterator[str]:
    """The app behind a real uvicorn on a free loopback port; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with on_listener(app, listener):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@asynccontextmanager
async def on_listener(app: FastAPI, listener: socket.socket) -> AsyncIterator[uvicorn.Server]:
    """The app behind a real uvicorn on this socket; yields the server, which knows its connections."""
    config = uvicorn.Config(app, lifespan="off", log_level="critical", ws="none", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    async with app.router.lifespan_context(app):
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield server
        finally:
            server.should_exit = True
            await running


def opening_index(folder: Path, reasoner: Callable[[Index], Reasoner], embedder: Embedder | None) -> Opener:
    """An opener on a real index and a real file of checkpoints in this folder; only thinking and vectors are given."""

    @asynccontextmanager
    async def opener(settings: Settings) -> AsyncIterator[Services]:
        index = await Index.open(folder / "index", embedder)
        try:
            async with open_saver(folder / "threads.sqlite") as saver:
                off = None if embedder else "There is no embedder."
                with Converter(limits(settings)) as converter:
                    yield Services(settings, build(saver), saver, index, reasoner(index), off, converter)
        finally:
            await index.close()

    return opener
