"""API keys: what is kept of them, what opens the door, and what a change does to a server that runs."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from api.keys import NAME, KeyFile, Wanted, hashed
from errors import BadRequest, Conflict, NotFound
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, opening

ASK = {"question": "How many days of paid leave?"}


class Calendar:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    return KeyFile.of(tmp_path)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    async with client_of(app_on(tmp_path)) as client:
        yield client


def app_on(folder: Path, **changed: Any) -> FastAPI:
    return create_app(Settings.model_construct(data=folder, **changed), opener=opening())


def test_only_the_hash_of_a_key_is_kept_and_only_its_owner_can_read_the_file(file: KeyFile) -> None:
    key, text = file.create(Wanted("intranet", groups=("staff",), roles=("ask", "review")))
    kept = file.path.read_text("utf-8")
    assert text not in kept
    assert text.rpartition("_")[2] not in kept
    assert json.loads(kept)["keys"][0]["hash"] == hashed(text) == key.hash
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted("x", tenant="../other"),
        Wanted("x", tenant=""),
        Wanted("", tenant="a"),
        Wanted("x", groups=("",)),
        Wanted("x", groups=("a\nb",)),
        Wanted("x", roles=("root",)),
        Wanted("x", roles=()),
        Wanted("x", days=0),
    ],
)
def test_a_key_that_would_open_nothing_is_refused_and_nothing_is_written(file: KeyFile, wanted: Wanted) -> None:
    with pytest.raises(BadRequest):
        file.create(wanted)
    assert not file.path.exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"keys": [{"id": "a"}]}', '{"keys": 7}'])
def test_a_damaged_file_of_keys_lets_nobody_in(file: KeyFile, content: str) -> None:
    file.path.write_text(content, "utf-8")
    with pytest.raises(Conflict):
        file.keys()
    with pytest.raises(Conflict):
        file.create(Wanted("x"))
    assert file.path.read_text("utf-8") == content


def test_an_unknown_key_cannot_be_revoked(file: KeyFile) -> None:
    with pytest.raises(NotFound):
        file.revoke("00000000")


def test_a_key_ends_with_its_days(tmp_path: Path) -> None:
    calendar = Calendar()
    key, _ = KeyFile.of(tmp_path, calendar).create(Wanted("x", days=2))
    assert key.valid(calendar.at + timedelta(days=1, hours=23))
    assert not key.valid(calendar.at + timedelta(days=2))


async def test_without_keys_this_machine_is_answered(client: AsyncClient) -> None:
    assert (await client.post("/ask", json=ASK)).status_code == 200


async def test_from_the_first_key_on_a_running_server_answers_only_keys(client: AsyncClient, file: KeyFile) -> None:
    _, text = file.create(Wanted("intranet"))
    refused = await client.post("/ask", json=ASK)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.headers["content-type"] == "application/problem+json"
    assert (await client.post("/ask", json=ASK, headers=bearer(text))).status_code == 200


async def test_a_revoked_key_opens_nothing_and_neither_does_no_key_then(client: AsyncClient, file: KeyFile) -> None:
    key, text = file.create(Wanted("intranet"))
    assert (await client.get("/health", headers=bearer(text))).status_code == 200
    file.revoke(key.id)
    assert (await client.get("/health", headers=bearer(text))).status_code == 401
    assert (await client.get("/health")).status_code == 401


async def test_a_file_that_vanishes_opens_nothing(client: AsyncClient, file: KeyFile) -> None:
    _, text = file.create(Wanted("intranet"))
    assert (await client.get("/health", headers=bearer(text))).status_code == 200
    file.path.unlink()
    assert (await client.get("/health")).status_code == 401
    assert (await client.get("/health", headers=bearer(text))).status_code == 401


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic Zm9vOmJhcg==", "Bearer gsk_00000000_wrong", "bearer \u00e9", "Token x"]
)
async def test_a_wrong_header_is_401(client: AsyncClient, file: KeyFile, header: str) -> None:
    file.create(Wanted("intranet"))
    answer = await client.get("/health", headers={b"authorization": header.encode("latin-1")})
    assert answer.status_code == 401
    assert "gsk_" not in answer.text


async def test_two_keys_are_none(client: AsyncClient, file: KeyFile) -> None:
    _, text = file.create(Wanted("intranet"))
    twice = [("Authorization", f"Bearer {text}"), ("Authorization", "Bearer other")]
    assert (await client.get("/health", headers=twice)).status_code == 401


async def test_that_the_service_is_up_and_what_its_api_is_needs_no_key(client: AsyncClient, file: KeyFile) -> None:
    file.create(Wanted("intranet"))
    for path in ("/ready", "/docs", "/openapi.json"):
        assert (await client.get(path)).status_code == 200, path


ROLES_NEEDED = [
    ("POST", "/ask", "ask"),
    ("POST", "/search", "ask"),
    ("GET", "/threads", "ask"),
    ("GET", "/threads/00000000000000000000000000000000", "ask"),
    ("GET", "/threads/00000000000000000000000000000000/history", "ask"),
    ("POST", "/threads/00000000000000000000000000000000/replay", "ask"),
    ("DELETE", "/threads/00000000000000000000000000000000", "ask"),
    ("POST", "/threads/00000000000000000000000000000000/reply", "review"),
    ("POST", "/documents", "ingest"),
    ("PATCH", "/documents/x", "ingest"),
    ("DELETE", "/documents/x", "ingest"),
]
BODIES = {
    "/ask": ASK,
    "/search": {"query": "leave"},
    "replay": {"checkpoint_id": "00000000-0000-0000-0000-000000000000"},
    "reply": {"text": "20"},
    "/documents": {"documents": [{"doc_id": "x", "text": "y"}]},
    "/documents/x": {"metadata": {"year": 2024}},
}


@pytest.mark.parametrize(("method", "path", "role"), ROLES_NEEDED)
async def test_a_key_without_the_role_is_403_and_one_with_it_is_not(
    client: AsyncClient, file: KeyFile, method: str, path: str, role: str
) -> None:
    _, others = file.create(Wanted("others", roles=[one for one in ("ask", "ingest", "review") if one != role]))
    _, its = file.create(Wanted("its", roles=[role, "ask"] if role == "review" else [role]))
    body = next((body for end, body in BODIES.items() if path.endswith(end)), None)
    if role == "ask" and method == "GET":
        others = file.create(Wanted("ingester", roles=["ingest"]))[1]
    refused = await client.request(method, path, json=body, headers=bearer(others))
    allowed = await client.request(method, path, json=body, headers=bearer(its))
    assert refused.status_code in ((403, 404) if role == "review" else (403,)), refused.text
    assert allowed.status_code not in (401, 403), allowed.text


async def test_commands_of_this_machine_have_a_key_of_their_own(tmp_path: Path, file: KeyFile) -> None:
    file.create(Wanted("intranet"))
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening(), key="made-up")
    async with client_of(app) as client:
        assert (await client.get("/health", headers=bearer("made-up"))).status_code == 200
        assert (await client.get("/health", headers=bearer("made-up-2"))).status_code == 401


def test_an_open_address_is_refused_without_keys_and_taken_with_one(tmp_path: Path, file: KeyFile) -> None:
    with pytest.raises(BadRequest, match="keys create"):
        app_on(tmp_path, host="192.0.2.7")
    file.create(Wanted("intranet"))
    assert app_on(tmp_path, host="192.0.2.7")


def test_a_server_does_not_start_over_a_damaged_file_of_keys(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("{", "utf-8")
    with pytest.raises(Conflict):
        app_on(tmp_path)
