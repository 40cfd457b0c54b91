"""Tenant B asks with tenant A's own words through every path, and sees nothing: no hit, no count, no title."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from httpx import AsyncClient

from api import dependencies
from context.retrieval import Principal
from corpus.index import Index
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index

MEMBER = frozenset({"ask", "ingest"})
PRINCIPALS = {
    "a": Principal("tenant-a"),
    "b": Principal("tenant-b"),
    "hr": Principal("tenant-a", frozenset({"hr"}), MEMBER),
    "staff": Principal("tenant-a", frozenset({"staff"}), MEMBER),
}
SECRET = "青鸟计划的预算是三千万元，由张三负责。"
TITLE = "青鸟计划纪要"
A, B, HR, STAFF = ({"x-principal": name} for name in PRINCIPALS)


def named(request: Request) -> Principal:
    return PRINCIPALS[request.headers["x-principal"]]


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """One service for all of them, each known by a header in place of a key."""
    opener = opening_index(tmp_path, lambda index: OfflineReasoner(index.statistics, None), HashEmbedder())
    app = create_app(Settings.model_construct(data=tmp_path), opener=opener)
    app.dependency_overrides[dependencies._principal] = named
    return app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with client_of(app) as client:
        await add(client, A, "青鸟/纪要.md", SECRET, title=TITLE, metadata={"project": "青鸟"})
        await add(client, B, "ours.md", "食堂十二点开门。")
        yield client


async def add(client: AsyncClient, who: dict[str, str], doc_id: str, text: str, **more: Any) -> dict[str, Any]:
    body = {"documents": [{"doc_id": doc_id, "text": text, **more}]}
    answer = (await client.post("/documents", json=body, headers=who)).json()
    return dict(answer["documents"][0])


def secret_free(answer: Any) -> bool:
    return not any(word in answer.text for word in ("三千万", "张三", "纪要"))


@pytest.mark.parametrize("mode", ["bm25", "naive", "hybrid"])
@pytest.mark.parametrize("filters", [None, {"project": "青鸟"}, {"doc_id": "青鸟/纪要.md"}])
async def test_no_search_finds_another_tenants_words(client: AsyncClient, mode: str, filters: Any) -> None:
    body = {"query": SECRET, "mode": mode, "filters": filters, "k": 100}
    theirs = await client.post("/search", json=body, headers=A)
    assert TITLE in theirs.text
    ours = await client.post("/search", json=body, headers=B)
    assert "纪要" not in ours.text
    assert {hit["doc_id"] for hit in ours.json()["hits"]} <= {"ours.md"}


async def test_no_answer_thread_or_replay_gives_anything_away(client: AsyncClient) -> None:
    question = {"question": "青鸟计划的预算是多少，由谁负责？"}
    theirs = (await client.post("/ask", json=question, headers=A)).json()
    assert theirs["citations"]
    ours = await client.post("/ask", json=question, headers=B)
    assert secret_free(ours)
    assert ours.json()["citations"] == []
    thread = f"/threads/{theirs['thread_id']}"
    replay = {"checkpoint_id": theirs["checkpoint_id"]}
    for answer in (
        await client.get(thread, headers=B),
        await client.get(f"{thread}/history", headers=B),
        await client.post(f"{thread}/replay", json=replay, headers=B),
        await client.post(f"{thread}/replay", json=replay | {"evidence": "recorded", "model": "offline"}, headers=B),
        await client.get(f"{thread}/export", headers=B),
        await client.get(f"{thread}/diff/{ours.json()['thread_id']}", headers=B),
        await client.get(f"/threads/{ours.json()['thread_id']}/diff/{theirs['thread_id']}", headers=B),
        await client.post("/ask", json=question | {"thread_id": theirs["thread_id"]}, headers=B),
        await client.delete(thread, headers=B),
    ):
        assert (answer.status_code, secret_free(answer)) == (404, True)
    assert (await client.get(thread, headers=A)).status_code == 200


async def test_a_replay_is_given_no_chunk_that_its_asker_cannot_read(client: AsyncClient) -> None:
    hits = (await client.post("/search", json={"query": SECRET}, headers=A)).json()["hits"]
    theirs = hits[0]["chunk_id"]
    said = (await client.post("/ask", json={"question": "食堂几点开门？"}, headers=B)).json()
    thread = f"/threads/{said['thread_id']}"
    steps = (await client.get(f"{thread}/history", headers=B)).json()["steps"]
    at = next(step["checkpoint_id"] for step in steps if step["node"] == "retrieve")
    for more in ({}, {"evidence": "recorded"}):
        answers = [
            await client.post(
                f"{thread}/replay", json={"checkpoint_id": at, "state": {"docs": [chunk]}, **more}, headers=B
            )
            for chunk in (theirs, "nothing#1")
        ]
        assert [answer.status_code for answer in answers] == [422, 422]
        assert answers[0].json()["detail"] == answers[1].json()["detail"]


async def test_what_is_no_longer_given_to_ones_group_is_in_no_export(client: AsyncClient) -> None:
    await add(client, HR, "salary.md", "薪酬表由人事部保管。", title="薪酬制度")
    said = (await client.post("/ask", json={"question": "薪酬表由谁保管？"}, headers=STAFF)).json()
    assert said["citations"]
    thread = f"/threads/{said['thread_id']}"
    narrowed = {"access": {"groups": ["hr"]}}
    before = await client.get(f"{thread}/export", headers=STAFF)
    assert (await client.patch("/documents/salary.md", json=narrowed, headers=HR)).status_code == 204
    exported = (await client.get(f"{thread}/export", headers=STAFF)).json()
    assert "薪酬制度" in before.text
    assert "薪酬制度" not in str([step["state"]["ledger"] for step in exported["steps"]])
    assert "薪酬制度" not in str([step["state"]["docs"] for step in exported["steps"]])
    cited = [one for step in exported["steps"] for one in step["state"]["citations"]]
    assert [(one["doc_id"], one["quote"], one["deleted"]) for one in cited] == [("salary.md", "", True)]


async def test_a_replay_with_another_tenants_chunk_ids_reads_nothing(client: AsyncClient, app: FastAPI) -> None:
    """Ids are no secrets: a chunk is read under the caller's principal only."""
    hits = (await client.post("/search", json={"query": SECRET}, headers=A)).json()["hits"]
    index: Index = app.state.index
    chunk_ids = [hit["chunk_id"] for hit in hits]
    assert len(await index.read(chunk_ids, PRINCIPALS["a"])) == len(chunk_ids) > 0
    assert await index.read(chunk_ids, PRINCIPALS["b"]) == {}
    assert await index.count(PRINCIPALS["b"], {"project": "青鸟"}) == 0
    cosines = await index.statistics.similarities([SECRET], chunk_ids, PRINCIPALS["b"])
    assert cosines is not None
    assert not cosines.any()
    assert index.statistics.document_frequency("青鸟", PRINCIPALS["b"]) == 0


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("GET", "?version=x", None),
        ("DELETE", "", None),
        ("PATCH", "", {"metadata": {"set": {"year": 1}}}),
        ("PATCH", "", {"metadata": {"unset": ["year"]}}),
        ("PATCH", "", {"access": {"groups": ["hr"]}}),
    ],
)
async def test_another_tenants_document_is_as_one_that_never_was(
    client: AsyncClient, method: str, path: str, body: Any
) -> None:
    theirs = await client.request(method, f"/documents/青鸟/纪要.md{path}", json=body, headers=B)
    none = await client.request(method, f"/documents/nothing.md{path}", json=body, headers=B)
    assert (theirs.status_code, theirs.text) == (404, none.text)
    assert (await client.get("/documents/青鸟/纪要.md", headers=A)).json()["layers"]["given"] == {"project": "青鸟"}


async def test_lists_and_counts_are_of_ones_own_tenant(client: AsyncClient) -> None:
    listed = await client.get("/documents", headers=B)
    assert ([d["doc_id"] for d in listed.json()["documents"]], listed.json()["total"]) == (["ours.md"], 1)
    assert (await client.get("/documents?prefix=青鸟", headers=B)).json()["total"] == 0
    health = (await client.get("/health", headers=B)).json()
    assert (health["documents"], health["chunks"]) == (1, 1)


async def test_the_same_id_in_two_tenants_is_two_documents(client: AsyncClient) -> None:
    assert (await add(client, B, "青鸟/纪要.md", "我们的青鸟。"))["result"] == "added"
    assert (await client.delete("/documents/青鸟/纪要.md", headers=B)).status_code == 204
    assert TITLE in (await client.get("/documents/青鸟/纪要.md", headers=A)).text


async def test_a_document_is_given_only_to_groups_of_ones_own(client: AsyncClient) -> None:
    mine = await add(client, HR, "salary.md", "薪酬表。", access={"groups": ["hr"]})
    others = await add(client, HR, "other.md", "薪酬表。", access={"groups": ["hr", "board"]})
    assert (mine["result"], others["result"]) == ("added", "failed")
    assert others["sentence"] == "A document is given only to groups of one's own."
    to_board = {"access": {"groups": ["board"]}}
    assert (await client.patch("/documents/salary.md", json=to_board, headers=HR)).status_code == 403
    assert (await client.get("/documents/salary.md", headers=HR)).json()["groups"] == ["hr"]
    assert (await client.patch("/documents/salary.md", json=to_board, headers=A)).status_code == 204
    assert (await client.get("/documents/salary.md", headers=HR)).status_code == 404
    as_given = {"access": {"as_given": True}}
    assert (await client.patch("/documents/salary.md", json=as_given, headers=A)).status_code == 204
    assert (await client.get("/documents/salary.md", headers=HR)).json()["access"] == {"given": ["hr"], "set": None}


async def test_a_thread_is_read_by_whoever_has_all_the_groups_of_its_asker(client: AsyncClient) -> None:
    """Its answer and quotes may come from documents of any of them."""
    await add(client, HR, "salary.md", "薪酬表由人事部保管。", access={"groups": ["hr"]})
    theirs = (await client.post("/ask", json={"question": "薪酬表由谁保管？"}, headers=HR)).json()
    assert theirs["citations"]
    thread = f"/threads/{theirs['thread_id']}"
    for address in (thread, f"{thread}/history", f"{thread}/export", f"{thread}/diff/{theirs['thread_id']}"):
        assert (await client.get(address, headers=HR)).status_code == 200
        assert (await client.get(address, headers=STAFF)).status_code == 404
    again = {"question": "为什么？", "thread_id": theirs["thread_id"]}
    assert (await client.post("/ask", json=again, headers=STAFF)).status_code == 404
    assert (await client.delete(thread, headers=STAFF)).status_code == 404
    listed = [(await client.get("/threads", headers=who)).json()["threads"] for who in (HR, STAFF)]
    assert [[one["thread_id"] for one in page] for page in listed] == [[theirs["thread_id"]], []]


async def test_what_one_may_not_see_one_may_not_change(client: AsyncClient) -> None:
    await add(client, HR, "salary.md", "薪酬表。", access={"groups": ["hr"]})
    for method, body in (("GET", None), ("DELETE", None), ("PATCH", {"metadata": {"set": {"year": 1}}})):
        answer = await client.request(method, "/documents/salary.md", json=body, headers=STAFF)
        assert answer.status_code == 404
    taken = await add(client, STAFF, "salary.md", "别的。")
    assert taken["result"] == "failed"
    assert "not yours to change" in taken["sentence"]
    assert (await client.get("/documents/salary.md", headers=HR)).json()["shown"]["chunks"][0]["text"] == "薪酬表。"


async def test_access_set_by_hand_is_not_widened_by_the_next_ingest(client: AsyncClient) -> None:
    await add(client, HR, "salary.md", "薪酬表。")
    narrowed = {"access": {"groups": ["hr"]}}
    assert (await client.patch("/documents/salary.md", json=narrowed, headers=HR)).status_code == 204
    assert (await add(client, HR, "salary.md", "薪酬表，第二版。"))["result"] == "updated"
    assert (await client.get("/documents/salary.md", headers=STAFF)).status_code == 404
    found = await client.post("/search", json={"query": "薪酬表"}, headers=STAFF)
    assert "salary.md" not in found.text
