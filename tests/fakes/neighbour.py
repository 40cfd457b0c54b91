"""A tenant who has done everything that one can do, all of it with a mark in it, beside others in the same service."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from httpx import AsyncClient, Response

from api.keys import KeyFile, Wanted
from context.reasoning import Reasoned, Route, RouteRequest
from corpus.index import Index
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index

MARK = "qzmark"
WORDS = f"{MARK}计划的预算是三千万元"
ANSWERED, UNANSWERED, PENDING = f"{MARK}计划的预算是三千万元吗？", f"{MARK}的食谱有哪些？", f"{MARK}要等多久？"
ALL_ROLES = ("ask", "ingest", "review", "admin")
_ID = re.compile(r"(?<![0-9a-f.])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})")


def ids_in(text: str) -> set[str]:
    """Everything in a text that looks like an id of this service."""
    return set(_ID.findall(text))


def wire(answer: Response) -> str:
    """A response as it came: its headers, and its body or events."""
    return f"{answer.headers.multi_items()}\n{answer.text}"


class Dawdler(OfflineReasoner):
    """Goes on with the question `PENDING` when it is let."""

    def __init__(self, index: Index) -> None:
        super().__init__(index.statistics, None)
        self.reached, self.let = asyncio.Event(), asyncio.Event()

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        if request.question == PENDING:
            self.reached.set()
            await self.let.wait()
        return await super().route(request)


class Caller:
    """Whoever has this key. `heard` is everything that was answered."""

    def __init__(self, client: AsyncClient, key: str) -> None:
        self.key = key
        self.heard = ""
        self._client = client

    async def say(self, method: str, url: str, **more: Any) -> Response:
        headers = {"Authorization": f"Bearer {self.key}", **more.pop("headers", {})}
        answer = await self._client.request(method, url, headers=headers, **more)
        self.heard += wire(answer)
        return answer

    async def get(self, url: str) -> Any:
        answer = await self.say("GET", url)
        return answer.json()

    async def post(self, url: str, **body: Any) -> Any:
        answer = await self.say("POST", url, json=body)
        assert answer.status_code < 400, answer.text
        return answer.json()


@dataclass(frozen=True)
class Named:
    """Ids that somebody may have, or guess."""

    thread: str = "0" * 32
    run: str = "0" * 32
    checkpoint: str = "1f000000-0000-6000-8000-000000000000"
    chunk: str = "nothing.md#0000000000000000"
    document: str = "nothing.md"
    version: str = "0" * 16
    group: str = "nobody"
    words: str = "什么都没有的话"


@dataclass
class House:
    """The service, and keys to it: `folder` holds its data, `running` is what was left at work."""

    app: FastAPI
    client: AsyncClient
    folder: Path
    dawdler: Dawdler
    running: list[asyncio.Task[Any]] = field(default_factory=list)

    def caller(self, tenant: str, *roles: str, groups: tuple[str, ...] = ()) -> Caller:
        wanted = Wanted(f"{tenant}-name", tenant=tenant, groups=groups, roles=roles or ALL_ROLES)
        return Caller(self.client, KeyFile.of(self.folder).create(wanted)[1])


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    """A real index, file of threads and file of keys in this folder, behind the whole app."""
    made: list[Dawdler] = []

    def reasoner(index: Index) -> Dawdler:
        made.append(Dawdler(index))
        return made[-1]

    settings = Settings.model_construct(data=folder, requests_per_minute=1_000_000)
    KeyFile.of(folder).create(Wanted("operator", roles=("admin",)))
    app = create_app(settings, opener=opening_index(folder, reasoner, HashEmbedder()))
    async with client_of(app) as client:
        there = House(app, client, folder, made[0])
        try:
            yield there
        finally:
            there.dawdler.let.set()
            await asyncio.gather(*there.running)


async def everything(there: House, who: Caller) -> list[Named]:
    """Do all that a tenant can; what of it still has an id, thread by thread."""
    documents = await _documents(who)
    answered = await who.post("/ask", question=ANSWERED)
    assert answered["citations"]
    waiting = await who.post("/ask", question=UNANSWERED, filters={"doc_id": documents["doc_id"]}, handoff=True)
    assert waiting["status"] == "awaiting_human"
    replied = await who.post("/ask", question=UNANSWERED, filters={"doc_id": documents["doc_id"]}, handoff=True)
    await who.post(f"/threads/{replied['thread_id']}/reply", text=f"{MARK} says so.", name=MARK)
    replayed = await _replayed(who, answered)
    deleted = await who.post("/ask", question=ANSWERED)
    await who.say("DELETE", f"/threads/{deleted['thread_id']}")
    running = await _left_running(there, who)
    for address in ("/documents", "/threads", "/health", "/metrics", f"/documents/{documents['doc_id']}"):
        await who.say("GET", address)
    chunk = answered["citations"][0]["chunk_id"]
    more = {"chunk": chunk, "document": documents["doc_id"], "version": documents["version"]}
    return [
        Named(one["thread_id"], one["run_id"], one.get("checkpoint_id", answered["checkpoint_id"]), **more, **_SAID)
        for one in (answered, waiting, replied, replayed, deleted, running)
    ]


_SAID: dict[str, str] = {"group": f"{MARK}-group", "words": WORDS}


async def _documents(who: Caller) -> dict[str, Any]:
    doc_id = f"{MARK}/plan.md"
    metadata = {f"{MARK}_key": MARK, "tags": [MARK]}
    secret = {"doc_id": f"{MARK}-secret.md", "text": f"{MARK} for some.", "access": {"groups": [f"{MARK}-group"]}}
    gone = {"doc_id": f"{MARK}-gone.md", "text": f"{MARK} that was."}
    plan = {"doc_id": doc_id, "title": f"{MARK}纪要", "text": f"{WORDS}。", "metadata": metadata}
    await who.post("/documents", documents=[plan, secret, gone])
    await who.say("POST", "/documents", files={"files": (f"{MARK}.md", f"{MARK} in a file.".encode())})
    await who.say("POST", "/documents", files={"files": (f"{MARK}.pdf", f"{MARK} is no PDF".encode())})
    await who.say("DELETE", f"/documents/{MARK}-gone.md")
    await who.say("PATCH", f"/documents/{doc_id}", json={"metadata": {"set": {f"{MARK}_set": MARK}}})
    await who.post("/search", query=WORDS)
    shown = await who.get(f"/documents/{doc_id}")
    return {"doc_id": doc_id, "version": shown["version"]}


async def _replayed(who: Caller, said: dict[str, Any]) -> dict[str, Any]:
    thread = f"/threads/{said['thread_id']}"
    steps = (await who.get(f"{thread}/history"))["steps"]
    at = next(step["checkpoint_id"] for step in steps if step["node"] == "retrieve")
    again: dict[str, Any] = await who.post(f"{thread}/replay", checkpoint_id=at)
    await who.get(f"{thread}/diff/{again['thread_id']}")
    await who.get(f"{thread}/export")
    return again


async def _left_running(there: House, who: Caller) -> dict[str, Any]:
    """An ask that has begun and goes on; somebody reads its events."""
    asking = asyncio.create_task(who.say("POST", "/ask", json={"question": PENDING}))
    there.running.append(asking)
    await there.dawdler.reached.wait()
    listed = (await who.get("/threads"))["threads"]
    (running,) = (one for one in listed if one["running"])
    return {"thread_id": running["thread_id"], "run_id": running["running"]}
