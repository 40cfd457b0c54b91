"""Case A15: an endpoint that takes ten texts a request loses no file, and a file that fails is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

import errors
from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.embeddings.openai import OpenAIEmbedder
from corpus.index import Index
from graph.upkeep import rebuild
from graph.wiring import Services, open_services
from server import create_app
from settings import Endpoint, Settings
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.service import client_of

ME = Principal()
LONG = "\n\n".join(f"## 第{n}条\n\n电梯 {n} 号的维修费用由责任人承担，编号 {n * 7919}。" for n in range(137))
SHORT = {f"small-{n}.md": f"第 {n} 号楼的门禁由物业维护。" for n in range(5)}
FILES = {"large.md": LONG, **SHORT}


def settings(folder: Path, endpoint: FakeEndpoint, batch: int | None) -> Settings:
    embeddings = Endpoint(base_url=endpoint.url, model="m")
    return Settings.model_construct(data=folder, embeddings=embeddings, embeddings_batch=batch)


@asynccontextmanager
async def opened(folder: Path, endpoint: FakeEndpoint, batch: int | None) -> AsyncIterator[Services]:
    async with open_services(settings(folder, endpoint, batch), sample=False) as services:
        yield services


def sizes(endpoint: FakeEndpoint) -> list[int]:
    return [len(call.body["input"]) for call in endpoint.calls]


@pytest.mark.parametrize("batch", [None, 10, 3])
async def test_six_files_are_wholly_indexed(tmp_path: Path, endpoint: FakeEndpoint, batch: int | None) -> None:
    endpoint.embeddings.max_inputs = 10
    async with opened(tmp_path, endpoint, batch) as services:
        outcomes = await services.index.add([NewDocument(name, text) for name, text in FILES.items()], ME)
        count = await services.index.count(ME, None)
    assert {outcome.doc_id: outcome.result for outcome in outcomes} == dict.fromkeys(FILES, "added")
    assert count == sum(outcome.chunks for outcome in outcomes) >= 137 + 5
    accepted = [call.body["input"] for call in endpoint.calls if len(call.body["input"]) <= 10]
    assert len({text for texts in accepted for text in texts}) == count + 1  # and the one that asks for the dimension
    if batch:
        assert max(sizes(endpoint)) <= batch


async def post(client: AsyncClient, files: dict[str, str]) -> Any:
    documents = [{"doc_id": name, "text": text} for name, text in files.items()]
    return await client.post("/documents", json={"documents": documents})


async def test_the_file_that_fails_is_named_and_the_others_are_indexed(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "编号 79190。"
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        first = await post(client, FILES)
        endpoint.embeddings.refused_word = None
        endpoint.calls.clear()
        second = await post(client, FILES)
    assert first.status_code == 422
    said = {document["doc_id"]: document for document in first.json()["documents"]}
    assert {name for name, document in said.items() if document["result"] == "failed"} == {"large.md"}
    assert "gave no vector for the text that begins" in said["large.md"]["sentence"]
    assert second.status_code == 200
    assert [document["result"] for document in second.json()["documents"]] == ["added", *["unchanged"] * 5]
    assert said["large.md"]["code"] == "text_refused"
    assert sum(sizes(endpoint)) < 137  # what was embedded before the refusal is not embedded again


async def test_an_endpoint_that_is_down_is_the_services_failure_and_not_the_documents(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        endpoint.embeddings.status = 500
        down = await post(client, {"a.md": "一", "b.md": "二"})
        both = await client.post(
            "/documents", json={"documents": [{"doc_id": "a.md", "text": "一"}, {"doc_id": "c.md", "text": " "}]}
        )
        endpoint.embeddings.status = 200
        up = await post(client, {"a.md": "一", "b.md": "二"})
    assert (down.status_code, down.json()["code"], down.headers["retry-after"]) == (503, "unavailable", "1")
    assert [(one["doc_id"], one["code"]) for one in down.json()["documents"]] == [
        ("a.md", "unavailable"),
        ("b.md", "unavailable"),
    ]
    assert both.status_code == 503
    assert [one["code"] for one in both.json()["documents"]] == ["unavailable", "bad_request"]
    assert up.status_code == 200


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_a_setting_must_mend_is_told_at_once_and_is_not_worth_another_try(
    tmp_path: Path, endpoint: FakeEndpoint, status: int
) -> None:
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        await post(client, {"kept.md": "一"})
        endpoint.calls.clear()
        endpoint.embeddings.failures = [(status, {})] * 99
        problem = await post(client, {"kept.md": "一", **FILES})
        search = await client.post("/search", json={"query": "电梯", "mode": "hybrid"})
    said = problem.json()
    assert (problem.status_code, said["code"], said["retryable"]) == (503, "misconfigured", False)
    assert "retry-after" not in problem.headers
    assert "check GAPSEEK_EMBEDDINGS__" in said["detail"]
    results = [document["result"] for document in said["documents"]]
    assert results == ["unchanged", *["failed"] * 6]
    assert len(endpoint.calls) == 2, "one for all files, one for the question"
    assert search.status_code == 200
    assert "GAPSEEK_EMBEDDINGS__" in search.text


@pytest.mark.parametrize("odd", [None, [], [1.0] * 9, [float("nan")] * 8])
async def test_one_bad_text_costs_its_file_alone_and_is_paid_for_alone(
    tmp_path: Path, endpoint: FakeEndpoint, odd: list[float] | None
) -> None:
    endpoint.embeddings.odd = {"编号 79190。": odd}
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        first = await post(client, FILES)
        asked = [text for call in endpoint.calls for text in call.body["input"]]
        endpoint.embeddings.odd = {}
        endpoint.calls.clear()
        second = await post(client, FILES)
        found = await client.post("/search", json={"query": "编号 79190", "mode": "naive"})
    said = {document["doc_id"]: document for document in first.json()["documents"]}
    assert (first.status_code, said["large.md"]["code"]) == (422, "text_refused")
    assert {name for name, document in said.items() if document["result"] == "failed"} == {"large.md"}
    bad = [text for text in asked if "编号 79190。" in text]
    assert len(asked) - len(bad) == len(set(asked) - set(bad)), "no other text is sent twice"
    assert endpoint.calls[0].body["input"] == bad[:1]
    assert second.status_code == found.status_code == 200


async def test_a_restart_with_a_model_of_another_dimension_names_the_command(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    async with opened(tmp_path, endpoint, None) as services:
        await services.index.add([NewDocument("a", "电梯")], ME)
    endpoint.embeddings.dimension = 16
    with pytest.raises(errors.Conflict, match="`gapseek reindex`"):
        async with opened(tmp_path, endpoint, None):
            pass
    endpoint.embeddings.failures = [(503, {"x-should-retry": "false"})]
    async with opened(tmp_path, endpoint, None) as services:
        found = await services.index.search(SearchRequest(("电梯",), ME))
    (lost,) = [str(lane["error"]) for lane in found.lanes if lane.get("error")]
    assert "16 numbers now" in lost
    assert "`gapseek reindex`" in lost


async def test_a_text_that_is_refused_stops_no_rebuild(
    tmp_path: Path, endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor a start: the others have their vectors, and it is found by its words."""
    caplog.set_level("CRITICAL")
    async with opened(tmp_path, endpoint, 10) as services:
        await services.index.add([NewDocument(name, text) for name, text in FILES.items()], ME)
        count = await services.index.count(ME, None)
    endpoint.embeddings.refused_word = "编号 79190。"
    endpoint.embeddings.dimension = 16
    done = await rebuild(settings(tmp_path, endpoint, 10), lambda part, n, total: None)
    assert done.embedded == count - 1
    assert "no vector for the text that begins" in str(done.refused)
    async with opened(tmp_path, endpoint, 10) as services:
        (sentence,) = services.index.degraded
        by_words = await services.index.search(SearchRequest(("编号 79190",), ME, lanes=("keyword",)))
        by_vector = await services.index.search(SearchRequest(("门禁由物业维护",), ME, lanes=("vector",)))
    assert sentence.endswith("What it holds is found by its words alone.")
    assert by_words.docs[0]["doc_id"] == "large.md"
    assert by_vector.docs[0]["doc_id"].startswith("small")


async def test_a_text_that_is_refused_keeps_no_other_back_when_the_endpoint_returns(
    tmp_path: Path, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("CRITICAL")
    embedder = await OpenAIEmbedder.connect(model="m", base_url=endpoint.url)
    await (await Index.open(tmp_path / "index", embedder)).close()
    index = await Index.open(tmp_path / "index", None)
    await index.add([NewDocument("bad", "坏的文本"), NewDocument("good", "电梯维修")], ME)
    await index.close()
    monkeypatch.setattr("corpus.catching_up.DELAY_S", 0)
    endpoint.embeddings.failures = [(503, {"x-should-retry": "false"})]
    endpoint.embeddings.refused_word = "坏的"
    index = await Index.open(tmp_path / "index", embedder)
    assert index._catching_up
    assert index._catching_up._task
    await index._catching_up._task
    found = await index.search(SearchRequest(("电梯维修",), ME, lanes=("vector",)))
    assert [doc["doc_id"] for doc in found.docs][:1] == ["good"]
    assert ["坏的文本" in sentence for sentence in index.degraded] == [True]
    await index.close()
    await embedder.close()
