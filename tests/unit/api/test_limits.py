"""Rate and concurrency: who asks too much is told when to come again, and nobody else notices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, AsyncHTTPTransport, Response

from api.keys import KeyFile, Wanted
from api.limits import WRONG_KEYS
from context.reasoning import Route, RouteRequest
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, on_a_port, opening, scripted

ASK = {"question": "How many days of paid leave?"}


async def test_a_caller_over_its_rate_is_told_when_to_come_again_and_another_is_answered(tmp_path: Path) -> None:
    keys = KeyFile.of(tmp_path)
    busy, quiet = ({"Authorization": f"Bearer {keys.create(Wanted(name))[1]}"} for name in ("busy", "quiet"))
    app = create_app(Settings.model_construct(data=tmp_path, requests_per_minute=3), opener=opening())
    async with client_of(app) as client:
        said = [(await client.get("/health", headers=busy)).status_code for _ in range(4)]
        assert said == [200, 200, 200, 429]
        refused = await client.get("/health", headers=busy)
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.json()["retryable"] is True
        assert (await client.get("/health", headers=quiet)).status_code == 200
        assert (await client.get("/ready")).status_code == 200


async def test_guessing_keys_is_slowed_down_and_a_right_key_still_opens(tmp_path: Path) -> None:
    _, text = KeyFile.of(tmp_path).create(Wanted("x"))
    async with client_of(create_app(Settings.model_construct(data=tmp_path), opener=opening())) as client:
        wrong = {"Authorization": "Bearer wrong"}
        said = [(await client.get("/health", headers=wrong)).status_code for _ in range(WRONG_KEYS + 1)]
        assert said == [401] * WRONG_KEYS + [429]
        assert (await client.get("/health", headers={"Authorization": f"Bearer {text}"})).status_code == 200


@pytest.mark.parametrize(("limit", "sentence"), [("max_open_requests", "caller"), ("max_open_requests_all", "busy")])
async def test_no_more_run_at_a_time_than_may_and_one_that_ended_makes_room(
    tmp_path: Path, limit: str, sentence: str
) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def route(request: RouteRequest) -> Route:
        asked.set()
        await go_on.wait()
        return Route(False, "small talk", request.question)

    changed: dict[str, Any] = {"data": tmp_path, limit: 1}
    app = create_app(Settings.model_construct(**changed), opener=opening(scripted(route=route)))
    async with client_of(app) as client:
        first = asyncio.create_task(client.post("/ask", json=ASK))
        await asked.wait()
        refused = await client.get("/health")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert sentence in refused.json()["detail"]
        go_on.set()
        await first
        assert (await client.get("/health")).status_code == 200


@asynccontextmanager
async def streaming(client: AsyncClient) -> AsyncIterator[Response]:
    """A stream that has begun, and goes on until the block ends."""
    async with client.stream("POST", "/ask", json=ASK | {"stream": True}) as stream:
        pieces = stream.aiter_raw()  # held, since one that is forgotten closes its stream
        if stream.status_code == 200:
            await anext(pieces)
        yield stream
        del pieces


def held_open(tmp_path: Path) -> FastAPI:
    """An app whose streams end only when their client leaves; two of a caller may be open."""

    async def route(request: RouteRequest) -> Route:
        await asyncio.Event().wait()
        raise AssertionError

    settings = Settings.model_construct(data=tmp_path, max_open_requests=2)
    return create_app(settings, opener=opening(scripted(route=route)))


@pytest.mark.parametrize("by", ["key", "address"])
async def test_open_streams_count_for_their_key_or_address_until_they_are_left(tmp_path: Path, by: str) -> None:
    keys = [KeyFile.of(tmp_path).create(Wanted(name))[1] for name in ("one", "other")] if by == "key" else ["", ""]
    addresses = ["127.0.0.1", "127.0.0.2"] if by == "address" else ["127.0.0.1", "127.0.0.1"]
    async with on_a_port(held_open(tmp_path)) as address, AsyncExitStack() as stack:
        one, other = [
            await stack.enter_async_context(
                AsyncClient(
                    base_url=address,
                    headers={"Authorization": f"Bearer {key}"} if key else {},
                    transport=AsyncHTTPTransport(local_address=local),
                )
            )
            for key, local in zip(keys, addresses, strict=True)
        ]
        async with streaming(one) as first:
            async with streaming(one) as second, streaming(one) as third, streaming(other) as fourth:
                said = [stream.status_code for stream in (first, second, third, fourth)]
            assert said == [200, 200, 429, 200]
            for _ in range(200):  # until the server has noticed that they were left
                async with streaming(one) as again:
                    if again.status_code == 200:
                        return
                await asyncio.sleep(0.01)
    pytest.fail("streams that were left still count")


async def test_without_keys_another_machine_is_refused(tmp_path: Path) -> None:
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening())
    async with app.router.lifespan_context(app):
        for address, status in (("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403)):
            transport = ASGITransport(app, client=(address, 1))
            async with AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                assert (await client.get("/health")).status_code == status, address
