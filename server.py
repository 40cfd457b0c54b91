"""The FastAPI app: what it holds open while it runs, how it answers errors, and the routers of `api/`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from ipaddress import ip_address

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from api import ask, documents, health, modes, problems, search, thread_list, threads, uploads
from api.dependencies import problems as documented
from api.local import address_at
from api.security import Guard
from corpus.index import Progress
from errors import BadRequest
from graph.wiring import Services, open_services, silent
from runs.engine import Engine
from runs.modes import checked_mode, refuse_unusable
from settings import Settings

Opener = Callable[[Settings], AbstractAsyncContextManager[Services]]


def app() -> FastAPI:
    """The app on the settings of the environment, for `uvicorn --factory server:app`, whose port nobody tells us."""
    return create_app(Settings(), announced=False)


def create_app(
    settings: Settings,
    *,
    sample: bool = True,
    progress: Progress = silent,
    announced: bool = True,
    opener: Opener | None = None,
) -> FastAPI:
    """The app on these settings. `opener` replaces what `graph/wiring.py` opens, for tests.

    With `announced` commands find the server by the host and port of the settings, so these must be the real ones.

    Raises `BadRequest` for an address that is not loopback, as long as there are no keys, and for a mode not built.
    """
    check_loopback(settings.host)
    checked_mode(settings.mode)
    address = address_at(settings.host, settings.port) if announced else None
    opens = opener or partial(open_services, address=address, sample=sample, progress=progress)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opens(settings) as services:
            refuse_unusable(settings.mode, services.index)
            app.state.engine = engine_on(services)
            app.state.index = services.index
            app.state.converter = services.converter
            app.state.vector_lane_off = services.vector_lane_off
            app.state.short_of_room = services.short_of_room
            yield

    served = FastAPIOffline(
        redoc_url=None,
        redirect_slashes=False,
        title="Gapseek",
        version=health.installed_version(),
        description="Questions to a private knowledge base, answered with citations or told what is missing.",
        lifespan=lifespan,
        responses=documented(403, 421, 422, 500),
        swagger_ui_parameters={"validatorUrl": None},
    )
    for room in (ask, thread_list, threads, uploads, documents, search, modes, health):
        served.include_router(room.router)
    problems.install(served)
    served.add_middleware(
        Guard,
        allowed_hosts=settings.allowed_hosts,
        max_body_bytes=settings.max_body_bytes,
        max_upload_bytes=settings.max_upload_bytes,
    )
    served.add_middleware(problems.Unexpected)
    return served


def engine_on(services: Services) -> Engine:
    """What runs are made with, from what the process holds open."""
    settings = services.settings
    return Engine(
        graph=services.graph,
        saver=services.saver,
        context_for=services.context_for,
        mode=settings.mode,
        durability=settings.durability,
        handoff=settings.handoff,
        max_question_chars=settings.max_question_chars,
        search_timeout_s=settings.search_timeout_s,
    )


def check_loopback(host: str) -> None:
    """Raises `BadRequest` unless the address can be reached from this machine only."""
    try:
        loopback = host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise BadRequest("Without API keys the server listens on a loopback address only, such as 127.0.0.1.")
