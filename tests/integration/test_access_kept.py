"""What an upload that says nothing of access leaves as it is, and what is said of documents that nobody finds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request
from httpx import AsyncClient
from httpx_sse import aconnect_sse
from typer.testing import CliRunner, Result

import server
from api import dependencies
from cli.main import app as command
from context.retrieval import Principal
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, opening_index, scripted

HR = {"groups": ["hr"]}
UNSEEN = "until an API key maps to such a group, nobody finds it"


def asking(request: Request) -> Principal:
    """Everybody administers, as in this release; one request of a test is made by a member of the group hr."""
    return Principal(groups=frozenset({"hr"})) if "x-hr" in request.headers else Principal()


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    app = create_app(Settings.model_construct(), opener=opening_index(tmp_path, lambda index: scripted(), None))
    app.dependency_overrides[dependencies._principal] = asking
    async with client_of(app) as client:
        yield client


async def put(client: AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    answer = await client.post("/documents", json={"documents": [{"doc_id": "a.md", "text": text, **more}]})
    return dict(answer.json()["documents"][0])


async def groups(client: AsyncClient) -> Any:
    """As a member of the group hr sees them."""
    return (await client.get("/documents/a.md", headers={"x-hr": "yes"})).json()["groups"]


async def test_a_document_that_nobody_finds_is_said_to_be_one(client: AsyncClient) -> None:
    assert (await put(client, "薪酬表。"))["notes"] == []
    (note,) = (await put(client, "薪酬表。", access=HR))["notes"]
    assert note.startswith("Only hr may see it")
    assert UNSEEN in note


async def test_a_new_version_without_access_keeps_the_access_of_the_old_one(client: AsyncClient) -> None:
    await put(client, "薪酬表。", access=HR)
    again = await put(client, "薪酬表，第二版。")
    assert again["result"] == "updated"
    assert again["notes"][0].startswith("It keeps its access (hr)")
    assert UNSEEN in again["notes"][1]
    assert await groups(client) == ["hr"]
    for nothing in ({}, {"access": None}):
        assert (await put(client, "薪酬表，第二版。", **nothing))["result"] == "unchanged"
    assert await groups(client) == ["hr"]


async def test_access_that_is_stated_holds_also_when_it_opens(client: AsyncClient) -> None:
    await put(client, "薪酬表。", access=HR)
    opened = await put(client, "薪酬表。", access={"groups": []})
    assert (opened["result"], opened["notes"]) == ("updated", [])
    assert await groups(client) == []


async def test_files_and_events_keep_and_tell_it_too(client: AsyncClient) -> None:
    file = [("files", ("a.md", b"---\naccess: {groups: [hr]}\n---\none"))]
    assert UNSEEN in (await client.post("/documents", files=file)).json()["documents"][0]["notes"][0]
    told = []
    async with aconnect_sse(client, "POST", "/documents", files=[("files", ("a.md", b"two"))]) as source:
        told = [event.json() async for event in source.aiter_sse() if event.event == "document"]
    assert told[0]["notes"][0].startswith("It keeps its access (hr)")
    assert await groups(client) == ["hr"]
    stated = [("files", ("a.md", b"---\naccess: {groups: []}\n---\nthree"))]
    assert (await client.post("/documents", files=stated)).json()["documents"][0]["notes"] == []
    assert await groups(client) == []


def test_the_command_line_keeps_and_tells_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    opener = opening_index(tmp_path / "data", lambda index: scripted(), None)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opener))
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.md").write_text("薪酬表。", "utf-8")

    def run(*words: str) -> Result:
        return CliRunner().invoke(command, list(words))

    first = run("ingest", "papers", "--groups", "hr")
    assert (first.exit_code, first.stdout) == (0, "1 added, 0 updated, 0 unchanged, 0 failed\n")
    assert first.stderr.startswith("gapseek: a.md: Only hr may see it")
    (tmp_path / "papers" / "a.md").write_text("薪酬表，第二版。", "utf-8")
    second = run("ingest", "papers")
    assert (second.exit_code, second.stdout) == (0, "0 added, 1 updated, 0 unchanged, 0 failed\n")
    assert "gapseek: a.md: It keeps its access (hr)" in second.stderr
    assert run("documents", "list").exit_code == 1
    assert run("documents", "set", "a.md", "--everybody").exit_code == 0
    assert "a.md" in run("documents", "list").stdout
