import json

import pytest

from api.schemas.knowledge import Documents, Outcomes
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, serving

NEW = {"doc_id": "a/b c.md", "title": "T", "text": "x", "metadata": {"year": 2024, "draft": False, "none": None}}


async def test_documents_go_in_are_listed_and_go_out() -> None:
    async with serving() as client:
        added = await client.post("/documents", json={"documents": [NEW]})
        again = await client.post("/documents", json={"documents": [NEW]})
        listed = await client.get("/documents")
        deleted = await client.delete("/documents/a/b%20c.md")
        gone = await client.delete("/documents/a/b%20c.md")
    assert added.json() == {"documents": [{"doc_id": "a/b c.md", "result": "added", "chunks": 1, "sentence": None}]}
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
        {"documents": [{"doc_id": "x", "text": "y", "metadata": {"n": 10**30}}]},
    ],
)
async def test_what_is_no_document_is_refused_before_anything_is_indexed(body: object) -> None:
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert index.passages == {}
