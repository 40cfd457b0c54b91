import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from api.schemas.documents import DocumentDetail
from api.schemas.knowledge import Documents, Outcomes
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, client_of, opening_index, scripted, serving

NEW: dict[str, Any] = {
    "doc_id": "a/b c.md",
    "title": "T",
    "text": "x",
    "metadata": {"year": 2024, "draft": False, "none": None},
}


async def test_documents_go_in_are_listed_and_go_out() -> None:
    async with serving() as client:
        added = await client.post("/documents", json={"documents": [NEW]})
        again = await client.post("/documents", json={"documents": [NEW]})
        listed = await client.get("/documents")
        deleted = await client.delete("/documents/a/b%20c.md")
        gone = await client.delete("/documents/a/b%20c.md")
    outcome = {"doc_id": "a/b c.md", "result": "added", "chunks": 1, "sentence": None, "found": None}
    outcome |= {"code": None, "notes": []}
    assert added.json() == {"documents": [outcome]}
    assert again.json()["documents"][0]["result"] == "updated"
    Outcomes.model_validate_json(added.content)
    Documents.model_validate_json(listed.content)
    found = {one["doc_id"]: one["metadata"] for one in listed.json()["documents"]}
    assert found["a/b c.md"] == NEW["metadata"]
    assert (deleted.status_code, gone.status_code) == (204, 404)


async def test_one_failure_is_no_success_and_every_outcome_is_named() -> None:
    index = MemoryIndex(TEXTS)
    index.refused = {"bad"}
    async with serving(index=index) as client:
        documents = [{"doc_id": "good", "text": "x"}, {"doc_id": "bad", "text": "y"}]
        answer = await client.post("/documents", json={"documents": documents})
    said = answer.json()
    assert (answer.status_code, said["code"]) == (422, "documents_failed")
    assert [(one["doc_id"], one["result"]) for one in said["documents"]] == [("good", "added"), ("bad", "failed")]
    assert said["documents"][1]["sentence"] == "This document cannot be indexed."


async def test_odd_characters_are_taken() -> None:
    body = '{"documents": [{"doc_id": "odd", "text": "a\\ud800b\\u0000c", "metadata": {"k\\udfff": "v\\ud800"}}]}'
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert index.passages["odd-1"].text == "a\ufffdb\x00c"
    assert index.passages["odd-1"].metadata == {"k\ufffd": "v\ufffd"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"documents": []},
        {"documents": [{"doc_id": "x"}]},
        {"documents": [{"doc_id": "x", "text": 1}]},
        {"documents": [{"doc_id": "x", "text": "y", "tenant": "other"}]},
        {"documents": [{"doc_id": "x", "text": "y", "access": {"tenant": "other"}}]},
        {"documents": [{"doc_id": "x", "text": "y", "access": {}}]},
        {"documents": [{"doc_id": "x", "text": "y", "metadata": {"n": 10**30}}]},
    ],
)
async def test_what_is_no_document_is_refused_before_anything_is_indexed(body: object) -> None:
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert index.passages == {}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """The app over a real index without vectors, which holds one document in two versions."""
    opener = opening_index(tmp_path, lambda index: scripted(), None)
    async with client_of(create_app(Settings.model_construct(data=tmp_path), opener=opener)) as client:
        for text in ("旧的规定。", "第一条　新的规定。\n\n第二条　另一规定。"):
            await client.post("/documents", json={"documents": [NEW | {"text": text}]})
        yield client


async def test_a_document_is_shown_as_its_schema_says(client: AsyncClient) -> None:
    shown = await client.get("/documents/a/b%20c.md?offset=1&limit=1")
    detail = DocumentDetail.model_validate_json(shown.content)
    assert (detail.doc_id, detail.chunks, detail.layers.given) == ("a/b c.md", 2, NEW["metadata"])
    assert [chunk.text for chunk in detail.shown.chunks] == ["第二条　另一规定。"]
    old = (await client.get(f"/documents/a/b%20c.md?version={detail.versions[1].version}")).json()
    assert [chunk["text"] for chunk in old["shown"]["chunks"]] == ["旧的规定。"]


@pytest.mark.parametrize("doc_id", ["../x", "/etc/x", "a\x00b", "a\x1bb", "a\tb"])
async def test_a_doc_id_that_is_no_name_below_the_knowledge_base_is_refused(client: AsyncClient, doc_id: str) -> None:
    answer = await client.post("/documents", json={"documents": [NEW | {"doc_id": doc_id}]})
    said = answer.json()
    assert (answer.status_code, said["code"]) == (422, "documents_failed")
    assert said["documents"][0]["sentence"].startswith("A doc_id is")
    assert (await client.get("/documents")).json()["total"] == 1


async def test_a_document_of_before_keeps_a_doc_id_that_is_refused_now(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("corpus.writer.checked", lambda document: document)
        await client.post("/documents", json={"documents": [NEW | {"doc_id": "../旧"}]})
    shown = await client.get("/documents/..%2F%E6%97%A7")
    assert (shown.status_code, shown.json()["doc_id"]) == (200, "../旧")
    assert (await client.patch("/documents/..%2F%E6%97%A7", json={"metadata": {"set": {"year": 2}}})).status_code == 204
    assert (await client.delete("/documents/..%2F%E6%97%A7")).status_code == 204


async def test_the_list_comes_in_pages(client: AsyncClient) -> None:
    await client.post("/documents", json={"documents": [NEW | {"doc_id": name} for name in ("b", "c")]})
    first = (await client.get("/documents?limit=2")).json()
    second = (await client.get(f"/documents?limit=2&after={first['next']}")).json()
    assert [d["doc_id"] for d in first["documents"] + second["documents"]] == ["a/b c.md", "b", "c"]
    assert (first["total"], second["next"]) == (3, None)
    Documents.model_validate(first)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/documents?limit=0", 422),
        ("/documents?limit=1001", 422),
        ("/documents/a/b c.md?offset=-1", 422),
        ("/documents/a/b c.md?limit=501", 422),
        ("/documents/a/b c.md?version=nothing", 404),
        ("/documents/nothing", 404),
    ],
)
async def test_what_cannot_be_shown_is_refused(client: AsyncClient, path: str, status: int) -> None:
    assert (await client.get(path)).status_code == status


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"metadata": {}},
        {"metadata": {"year": 2024}},
        {"metadata": {"set": {"title": "x"}}},
        {"metadata": {"set": {"$x": 1}}},
        {"metadata": {"set": {"a": 1}, "unset": ["a"]}},
        {"metadata": {"unset": ["never set"]}},
        {"access": {"groups": ["hr"], "as_given": True}},
        {"access": {"groups": "hr"}},
        {"access": {"groups": None}},
        {"access": None},
    ],
)
async def test_a_correction_that_cannot_be_meant_is_refused_and_changes_nothing(
    client: AsyncClient, body: object
) -> None:
    before = (await client.get("/documents/a/b%20c.md")).json()
    answer = await client.patch("/documents/a/b%20c.md", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_request")
    assert (await client.get("/documents/a/b%20c.md")).json() == before
