"""`POST /documents` with files, and with events: limits, names, and what a client that leaves leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx import Response
from starlette.datastructures import UploadFile

from api import multipart, uploads
from api.schemas.knowledge import Outcomes
from corpus.documents import NewDocument
from errors import BadRequest
from tests.fakes import files
from tests.fakes.index import MemoryIndex
from tests.fakes.service import serving

EVENTS = {"accept": "text/event-stream"}


def part(name: str, data: bytes | str) -> tuple[str, tuple[str, bytes]]:
    return ("files", (name, data if isinstance(data, bytes) else data.encode()))


def events(answer: Response) -> list[tuple[str, dict[str, Any]]]:
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for frame in answer.text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.split("\n"))
        found.append((lines["event"], json.loads(lines["data"])))
    return found


async def test_files_of_several_kinds_become_documents() -> None:
    index = MemoryIndex({})
    parts = [
        part("手册/说明 📚.md", "# 标题\n\n正文。"),
        part("table.csv", "a,b\n1,2"),
        part("w.docx", files.docx("Word.")),
    ]
    async with serving(index=index) as client:
        answer = await client.post(
            "/documents", files=parts, data={"metadata": '{"year": 2024}', "access": '{"groups": ["hr"]}'}
        )
    assert answer.status_code == 200, answer.text
    Outcomes.model_validate_json(answer.content)
    assert [one["doc_id"] for one in answer.json()["documents"]] == ["手册/说明 📚.md", "table.csv", "w.docx"]
    assert index.passages["w.docx-1"].text == "Word."
    assert index.passages["手册/说明 📚.md-1"].metadata == {"year": 2024, "file": "说明 📚.md", "folder": ["手册"]}


async def test_names_that_a_form_cannot_carry_come_as_doc_ids() -> None:
    async with serving(index=MemoryIndex({})) as client:
        answer = await client.post("/documents", files=[part("x", "text")], data={"doc_ids": '["a\\"b/c.md"]'})
        wrong = await client.post("/documents", files=[part("x.md", "text")], data={"doc_ids": '["a.md", "b.md"]'})
    assert answer.json()["documents"][0]["doc_id"] == 'a"b/c.md'
    assert wrong.status_code == 422


BAD_NAMES = ["../up.md", "a/../../up.md", "..\\up.md", "..", "plain", "a.exe"]


@pytest.mark.parametrize("name", BAD_NAMES)
async def test_a_name_that_leads_upwards_or_of_an_unknown_kind_is_a_failed_document(name: str) -> None:
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", files=[part(name, "text"), part("good.md", "text")])
    said = answer.json()
    assert (answer.status_code, said["code"]) == (422, "documents_failed")
    assert [one["result"] for one in said["documents"]] == ["failed", "added"]
    assert list(index.passages) == ["good.md-1"]


@pytest.mark.parametrize(
    ("name", "doc_id"),
    [
        ("/a/./b.md", "a/b.md"),
        ("Cafe\u0301.md", "Caf\xe9.md"),
        ("章" * 80 + ".md", "章" * 80 + ".md"),
    ],
)
def test_a_file_name_becomes_a_doc_id(name: str, doc_id: str) -> None:
    assert multipart.doc_id_of(name) == doc_id


@pytest.mark.parametrize("name", ["", ".", "/", "..", "a/.."])
def test_a_name_without_a_file_is_refused(name: str) -> None:
    with pytest.raises(BadRequest):
        multipart.doc_id_of(name)


@pytest.mark.parametrize("again", ["a/\xe9.md", "./a/\xe9.md", "/a//\xe9.md", "a\\\xe9.md", "a/e\u0301.md"])
async def test_the_same_name_twice_is_indexed_once(again: str) -> None:
    async with serving(index=MemoryIndex({})) as client:
        answer = await client.post("/documents", files=[part("a/\xe9.md", "one"), part(again, "two")])
    assert [one["result"] for one in answer.json()["documents"]] == ["added", "failed"]


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": "{"},
        {"metadata": "[1]"},
        {"access": '{"tenant": "x"}'},
        {"tenant": '"x"'},
        {"metadata": '{"n": NaN}'},
    ],
)
async def test_fields_that_cannot_be_used_are_refused_before_anything_is_indexed(fields: dict[str, str]) -> None:
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", files=[part("a.md", "text")], data=fields)
    assert (answer.status_code, index.passages) == (422, {})


@pytest.mark.parametrize(
    ("kind", "body", "sentence"),
    [
        ("text/plain", b"x", "must be application/json or multipart"),
        ("multipart/form-data", b"x", "no multipart form"),
        ("multipart/form-data; boundary=b", b"no boundary at all", "no multipart form|at least one file"),
        ("multipart/form-data; boundary=b", b"--b--\r\n", "at least one file"),
        ("application/json", b"", "JSON body is needed"),
        ("application/json", b"{", "no valid JSON"),
        ("application/json", b"[" * 100_000, "no valid JSON"),
        ("application/json", b'{"documents": [], "more": "' + b"x" * 100_000 + b'"}', "'more' is not a field"),
    ],
)
async def test_a_body_of_another_kind_is_one_sentence(kind: str, body: bytes, sentence: str) -> None:
    async with serving(index=MemoryIndex({})) as client:
        answer = await client.post("/documents", content=body, headers={"content-type": kind})
    assert answer.status_code == 422
    assert any(one in answer.json()["detail"] for one in sentence.split("|"))


@pytest.mark.parametrize(("size", "beside"), [(10, False), (100_000, True)])
async def test_a_large_body_of_json_is_read_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, size: int, beside: bool
) -> None:
    readers: list[threading.Thread] = []
    parsed = uploads._parsed

    def watched(body: bytes) -> list[NewDocument]:
        readers.append(threading.current_thread())
        return parsed(body)

    monkeypatch.setattr(uploads, "_parsed", watched)
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", json={"documents": [{"doc_id": "a", "text": "x" * size}]})
    assert answer.status_code == 200
    assert [reader is not threading.current_thread() for reader in readers] == [beside]
    assert len(index.passages["a-1"].text) == size


async def test_more_files_than_a_form_may_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multipart, "MOST_DOCUMENTS", 3)
    async with serving(index=MemoryIndex({})) as client:
        answer = await client.post("/documents", files=[part(f"{n}.md", "x") for n in range(4)])
    assert answer.status_code == 422


async def test_a_large_file_is_on_disk_for_its_owner_only_and_gone_after(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[UploadFile, int]] = []
    whole = multipart._source

    def watched(name: str, upload: UploadFile, *more: Any) -> Any:
        seen.append((upload, _mode(upload)))
        return whole(name, upload, *more)

    monkeypatch.setattr(multipart, "_source", watched)
    async with serving(index=MemoryIndex({})) as client:
        await client.post("/documents", files=[part("a.md", "x" * 200_000)])
        await client.post("/documents", files=[part("a.md", "x" * 200_000)], headers=EVENTS)
    assert [mode for _, mode in seen] == [0o600, 0o600]
    assert all(upload.file.closed for upload, _ in seen)


def _mode(upload: UploadFile) -> int:
    return os.fstat(upload.file.fileno()).st_mode & 0o777


async def test_limits_hold_for_uploads_announced_or_not_and_for_each_file() -> None:
    index = MemoryIndex({})

    async def unannounced() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
        for _ in range(10):
            yield b"x" * 1_000

    async with serving(index=index, max_body_bytes=1_000, max_upload_bytes=5_000, max_file_bytes=2_000) as client:
        announced = await client.post("/documents", files=[part("a.md", "x" * 6_000)])
        header = {"content-type": "multipart/form-data; boundary=b"}
        chunked = await client.post("/documents", content=unannounced(), headers=header)
        elsewhere = await client.post("/search", content=b"x" * 2_000, headers=header)
        as_json = await client.post("/documents", json={"documents": [{"doc_id": "d", "text": "x" * 2_000}]})
        one_file = await client.post("/documents", files=[part("a.md", "x" * 2_500), part("b.md", "x" * 1_500)])
    assert [one.status_code for one in (announced, chunked, elsewhere, as_json)] == [413] * 4
    assert [one["result"] for one in one_file.json()["documents"]] == ["failed", "added"]
    assert list(index.passages) == ["b.md-1"]


async def test_events_tell_of_every_document_and_at_last_of_all() -> None:
    index = MemoryIndex({})
    index.refused = {"bad.md"}
    async with serving(index=index) as client:
        parts = [part("a.md", "x"), part("bad.md", "y"), part("c.pdf", b"no pdf")]
        told = events(await client.post("/documents", files=parts, headers=EVENTS))
        as_json = events(
            await client.post("/documents", json={"documents": [{"doc_id": "a.md", "text": "z"}]}, headers=EVENTS)
        )
    documents = [data for name, data in told if name == "document"]
    assert [(one["doc_id"], one["result"], one["done"], one["total"]) for one in documents] == [
        ("a.md", "added", 1, 3),
        ("bad.md", "failed", 2, 3),
        ("c.pdf", "failed", 3, 3),
    ]
    assert documents[2]["sentence"] == "The file is of another kind than its name says."
    assert ("chunks", {"doc_id": "a.md", "done": 1, "total": 1}) in told
    assert told[-1] == ("done", {"added": 1, "updated": 0, "unchanged": 0, "failed": 2})
    assert as_json[-1] == ("done", {"added": 0, "updated": 1, "unchanged": 0, "failed": 0})


class Broken(MemoryIndex):
    async def add(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("a secret of the service")


async def test_a_failure_within_is_an_error_event_and_then_done() -> None:
    async with serving(index=Broken({})) as client:
        told = events(await client.post("/documents", files=[part("a.md", "x")], headers=EVENTS))
    assert [name for name, _ in told] == ["error", "done"]
    assert told[0][1]["status"] == 500
    assert "secret" not in json.dumps(told)


async def test_many_documents_are_indexed_in_groups_that_count_on() -> None:
    async with serving(index=MemoryIndex({})) as client:
        parts = [part(f"{n}.md", "x") for n in range(70)]
        told = events(await client.post("/documents", files=parts, headers=EVENTS))
    assert [data["done"] for name, data in told if name == "document"] == list(range(1, 71))


async def test_a_slow_file_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    free, reading = threading.Event(), threading.Event()

    def slow(*args: Any) -> NewDocument:
        reading.set()
        assert free.wait(30)
        return NewDocument("a.md", "text")

    monkeypatch.setattr(multipart, "read", slow)
    async with serving(index=MemoryIndex({})) as client:
        upload = asyncio.create_task(client.post("/documents", files=[part("a.md", "x")]))
        await asyncio.to_thread(reading.wait)
        assert (await client.get("/ready")).status_code == 200
        free.set()
        assert (await upload).status_code == 200


async def test_the_reference_says_that_the_answer_may_come_as_events() -> None:
    async with serving(index=MemoryIndex({})) as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    for path in ("/documents", "/ask", "/threads/{thread_id}/replay"):
        assert set(paths[path]["post"]["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}


@pytest.mark.parametrize("charset", ["undefined", "idna", "hex", "nothing-at-all", "x" * 5_000])
async def test_a_charset_that_decodes_nothing_is_no_fault_of_the_server(charset: str) -> None:
    name = b"\xff..\xc3\xa9".decode("latin-1")
    body = f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n1\r\n--x--\r\n'.encode("latin-1")
    async with serving() as client:
        headers = {"content-type": f"multipart/form-data; charset={charset}; boundary=x"}
        assert (await client.post("/documents", content=body, headers=headers)).status_code == 422


@pytest.mark.parametrize("body", [{"documents": [{"doc_id": "a", "text": "t"}] * 1_001}, {"documents": [{}] * 1_001}])
async def test_a_batch_has_an_end(body: dict[str, Any]) -> None:
    index = MemoryIndex({})
    async with serving(index=index) as client:
        answer = await client.post("/documents", json=body)
    assert (answer.status_code, "at most 1000" in answer.json()["detail"], index.passages) == (422, True, {})
