"""The FastAPI app: what it holds open while it runs, how it answers errors, and the routers of `api/`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from ipaddress import ip_address

from fastapi import FastAPI, Security
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.datastructures import State
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api import ask, documents, health, live, metrics, modes, page, problems, search, thread_list, threads, uploads
from api.about import about
from api.authentication import Authentication, Keys
from api.dependencies import EVERYWHERE, WITH_KEY
from api.dependencies import problems as documented
from api.headers import SecurityHeaders
from api.limits import Limits, Rate
from api.local import address_at
from api.logs import configure, log_run
from api.measures import Measures
from api.observed import Observed, Open
from api.security import Guard
from corpus.changes import Progress
from errors import BadRequest
from graph.sample import silent
from graph.wiring import Services, open_services
from runs.engine import Engine
from runs.live import Kept, LiveRuns
from runs.modes import checked_mode, refuse_unusable
from runs.retention import Keeping, tidy_hourly
from runs.tally import Tally, Watch, nobody
from settings import Settings

Opener = Callable[[Settings], AbstractAsyncContextManager[Services]]


def app() -> FastAPI:
    """The app on the settings of the environment, for `uvicorn --factory server:app`, whose port nobody tells us."""
    settings = Settings()
    configure(settings)
    return create_app(settings, announced=False)


def create_app(
    settings: Settings,
    *,
    sample: bool = True,
    progress: Progress = silent,
    announced: bool = True,
    key: str | None = None,
    opener: Opener | None = None,
) -> FastAPI:
    """The app on these settings. `opener` replaces what `graph/wiring.py` opens, for tests.

    With `announced` commands find the server by the host and port of the settings, so these must be the real ones, and
    `key` opens it to them.

    Raises `BadRequest` for an address that is not loopback, as long as there are no keys, and for a mode not built,
    and `Conflict` for a file of keys that cannot be read.
    """
    keys = Keys(settings.data, key)
    if not keys.required:
        check_loopback(settings.host)
    checked_mode(settings.mode)
    address = address_at(reached_at(settings.host), settings.port) if announced else None
    opens = opener or partial(open_services, address=address, key=key, sample=sample, progress=progress)

    measures, now_open = Measures(), Open()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opens(settings) as services:
            refuse_unusable(settings.mode, services.index)
            app.state.measures, app.state.open = measures, now_open
            _hold(app, services, partial(_seen, measures))
            async with tidied(app.state.engine, settings, app.state.live):
                try:
                    yield
                finally:
                    await app.state.live.drain(0)
        app.state = State()  # FastAPI remembers the routes of every app, and they the app: what it held must go

    served = FastAPIOffline(
        redoc_url=None,
        redirect_slashes=False,
        title="Gapseek",
        version=health.installed_version(),
        description="Questions to a private knowledge base, answered with citations or told what is missing.",
        lifespan=lifespan,
        responses=documented(*EVERYWHERE),
        dependencies=[Security(HTTPBearer(auto_error=False, description="A key that `gapseek keys create` made."))],
        swagger_ui_parameters={"validatorUrl": None},
    )
    for room in (ask, live, thread_list, threads, uploads, documents, search, modes, metrics):
        served.include_router(room.router, responses=documented(*WITH_KEY))
    for room in (health, page):
        served.include_router(room.router)
    problems.install(served)
    _guard(served, settings, keys)
    served.add_middleware(problems.Unexpected)
    served.add_middleware(SecurityHeaders)
    served.add_middleware(Observed, measures=measures, now_open=now_open)
    return served


def _hold(app: FastAPI, services: Services, watch: Watch) -> None:
    """Keep at hand what requests are answered with while the app runs."""
    settings, state = services.settings, app.state
    state.engine = engine_on(services, watch)
    state.live = LiveRuns(Kept(settings.max_open_requests_all, settings.keep_events_s, settings.keep_events_runs))
    state.about = about(settings)
    state.grace_s = settings.grace_s
    state.index = services.index
    state.converter = services.converter
    state.vector_lane_off = services.vector_lane_off
    state.short_of_room = services.short_of_room


def _seen(measures: Measures, tally: Tally) -> None:
    measures.run_over(tally)
    log_run(tally)


def _guard(served: FastAPI, settings: Settings, keys: Keys) -> None:
    """Put before every address who may ask, from where, and how much; what is added last is passed first."""
    rate = Rate()
    served.add_middleware(
        Limits,
        rate=rate,
        per_minute=settings.requests_per_minute,
        open_each=settings.max_open_requests,
        open_all=settings.max_open_requests_all,
    )
    served.add_middleware(Authentication, keys=keys, refuse=rate.refuse_guessing)
    served.add_middleware(
        Guard,
        allowed_hosts=(*settings.allowed_hosts, own_name(settings.host)),
        max_body_bytes=settings.max_body_bytes,
        max_upload_bytes=settings.max_upload_bytes,
    )
    served.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))


def drained(app: FastAPI) -> Callable[[], Awaitable[None]]:
    """What lets the runs of an app that is told to stop finish, as long as its settings say."""

    async def drain() -> None:
        await app.state.live.drain(app.state.grace_s)

    return drain


@asynccontextmanager
async def tidied(engine: Engine, settings: Settings, live: LiveRuns) -> AsyncIterator[None]:
    """Meanwhile threads that are no longer kept are deleted, every hour."""
    keeping = Keeping(settings.keep_threads_days, settings.keep_threads)
    if not keeping.limited:
        yield
        return
    tidying = asyncio.create_task(tidy_hourly(engine, keeping, live.forget_thread), name="retention")
    try:
        yield
    finally:
        tidying.cancel()
        await asyncio.wait({tidying})


def engine_on(services: Services, watch: Watch = nobody) -> Engine:
    """What runs are made with, from what the process holds open; `watch` is told of each that is over."""
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
        varied=services.varied,
        watch=watch,
        tracing=settings.tracing,
    )


def reached_at(host: str) -> str:
    """Where this machine itself finds a server that listens on the host: one that is every address is no address."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "[::]": "::1"}.get(host, host)  # noqa: S104


def own_name(host: str) -> str:
    """What commands on this machine call the server in their Host header."""
    name = reached_at(host)
    return f"[{name.strip('[]')}]" if ":" in name else name


def check_loopback(host: str) -> None:
    """Raises `BadRequest` unless the address can be reached from this machine only."""
    try:
        loopback = host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise BadRequest(
            "Without API keys the server listens on a loopback address only, such as 127.0.0.1; `gapseek keys create` "
            "makes one."
        )
