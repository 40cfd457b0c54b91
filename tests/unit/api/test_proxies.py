"""Whose word counts for where a request came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient

from api.keys import KeyFile, Wanted
from api.limits import WRONG_KEYS
from server import create_app
from settings import Settings
from tests.fakes.service import opening, serving

PROXY = "10.1.2.3"


async def guess(folder: Path, trusted: tuple[str, ...], came_from: list[str], peer: str = PROXY) -> list[int]:
    """The status of each wrong key, sent through `peer` by who it says: 429 from the 31st of one address on."""
    KeyFile.of(folder).create(Wanted("x"))
    app = create_app(Settings.model_construct(data=folder, trusted_proxies=trusted), opener=opening())
    transport = ASGITransport(app, client=(peer, 1))
    wrong = {"Authorization": "Bearer wrong"}
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        return [
            (await client.get("/health", headers=wrong | {"X-Forwarded-For": address})).status_code
            for address in came_from
        ]


async def test_behind_a_trusted_proxy_callers_are_counted_apart(tmp_path: Path) -> None:
    said = await guess(tmp_path, (PROXY,), ["8.8.8.1"] * (WRONG_KEYS + 1) + ["8.8.8.2"])
    assert said == [401] * WRONG_KEYS + [429, 401]


async def test_a_proxy_is_trusted_by_its_network_and_only_the_last_hop_before_it_counts(tmp_path: Path) -> None:
    made_up = [f"1.1.1.{n}, 8.8.8.1" for n in range(WRONG_KEYS + 1)]
    assert await guess(tmp_path, ("10.0.0.0/8",), made_up) == [401] * WRONG_KEYS + [429]


@pytest.mark.parametrize("peer", [PROXY, "127.0.0.1"])
async def test_nobody_else_chooses_the_address_that_it_is_counted_under(tmp_path: Path, peer: str) -> None:
    made_up = [f"1.1.1.{n}" for n in range(WRONG_KEYS + 1)]
    assert await guess(tmp_path, (), made_up, peer) == [401] * WRONG_KEYS + [429]


@pytest.mark.parametrize("trusted", [(), ("127.0.0.1",)])
@pytest.mark.parametrize(
    ("header", "passed_on_for"),
    [
        ("X-Forwarded-For", "8.8.8.8"),
        ("X-Forwarded-For", "127.0.0.1, 8.8.8.8"),
        ("X-Forwarded-For", "8.8.8.8, 127.0.0.1"),
        ("X-Forwarded-For", "fd00::1"),
        ("X-Forwarded-For", "127.0.0.1,"),
        ("X-Real-IP", "unknown"),
        ("Forwarded", "for=8.8.8.8;proto=https"),
        ("Forwarded", 'for=127.0.0.1, for="[2001:db8::1]:4711"'),
        ("Forwarded", "proto=https"),
    ],
)
async def test_without_keys_nothing_that_a_proxy_passed_on_for_another_machine_is_answered(
    header: str, passed_on_for: str, trusted: tuple[str, ...]
) -> None:
    async with serving(trusted_proxies=trusted) as client:
        answer = await client.get("/health", headers={header: passed_on_for})
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1"},
        {"X-Forwarded-For": "[::1]:4711, 127.0.0.1:80"},
        {"Forwarded": 'for=127.0.0.1;proto=http, For="[::1]:4711"'},
    ],
)
async def test_without_keys_a_proxy_may_pass_on_what_this_machine_asks(headers: dict[str, str]) -> None:
    async with serving() as client:
        assert (await client.get("/health", headers=headers)).status_code == 200
