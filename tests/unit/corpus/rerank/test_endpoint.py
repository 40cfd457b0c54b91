"""A rerank endpoint: what is sent, and what is made of any answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from corpus.rerank.endpoint import LARGEST_REPLY, LONGEST_PASSAGE, EndpointReranker
from errors import Unavailable
from tests.fakes.endpoint import FakeEndpoint

KEY = "sk-very-secret"


def made(base_url: str, timeout_s: float = 5.0) -> EndpointReranker:
    return EndpointReranker(base_url=base_url, model="bge", api_key=SecretStr(KEY), timeout_s=timeout_s)


@pytest.fixture
async def reranker(endpoint: FakeEndpoint) -> AsyncIterator[EndpointReranker]:
    reranker = made(endpoint.url)
    yield reranker
    await reranker.aclose()


def results(*pairs: tuple[Any, Any]) -> bytes:
    return json.dumps({"results": [{"index": index, "relevance_score": score} for index, score in pairs]}).encode()


async def test_the_request_has_the_common_shape(reranker: EndpointReranker, endpoint: FakeEndpoint) -> None:
    await reranker.rerank("谁付", ["甲", "x" * (LONGEST_PASSAGE + 1)])
    call = endpoint.calls[0]
    assert call.path == "/v1/rerank"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {"model": "bge", "query": "谁付", "documents": ["甲", "x" * LONGEST_PASSAGE], "top_n": 2}


async def test_a_server_on_this_machine_is_reached_without_the_proxy(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    reranker = made(endpoint.url)
    assert len(await reranker.rerank("谁付", ["甲"])) == 1
    await reranker.aclose()


@pytest.mark.parametrize("end", ["", "/", "/rerank"])
async def test_the_address_may_name_the_path_itself(endpoint: FakeEndpoint, end: str) -> None:
    reranker = made(endpoint.url + end)
    assert len(await reranker.rerank("谁付", ["甲"])) == 1
    await reranker.aclose()


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"results": null}',
        b'{"results": 7}',
        b'{"results": [7, 8]}',
        b"[" * 100_000,
        results((0, 1.0)),
        results((0, 1.0), (2, 0.5)),
        results((0, 1.0), (0, 0.5)),
        results((0, 1.0), (1, 0.5), (1, 0.4)),
        results((0, 1.0), (1, None)),
        results((0, 1.0), (1, "high")),
        results((0, 1.0), (1, float("nan"))),
        results((0, 1.0), (1, float("inf"))),
        b'{"results": []}' + b" " * LARGEST_REPLY,
    ],
)
async def test_a_bad_answer_is_one_sentence(reranker: EndpointReranker, endpoint: FakeEndpoint, raw: bytes) -> None:
    endpoint.rerank.raw = raw
    with pytest.raises(Unavailable, match="rerank endpoint gave an answer"):
        await reranker.rerank("谁付", ["甲", "乙"])


@pytest.mark.parametrize("status", [307, 401, 429, 500])
async def test_another_status_is_told_without_the_key(
    reranker: EndpointReranker, endpoint: FakeEndpoint, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.rerank.status = status
    with pytest.raises(Unavailable, match=str(status)) as raised:
        await reranker.rerank("谁付", ["甲"])
    assert KEY not in str(raised.value) + caplog.text
    assert len(endpoint.calls) == 1


async def test_nobody_there_and_nobody_in_time_are_told_alike(endpoint: FakeEndpoint) -> None:
    endpoint.rerank.delay_s = 0.5
    for reranker in (made("http://127.0.0.1:9/v1"), made(endpoint.url, timeout_s=0.05), made("nonsense")):
        with pytest.raises(Unavailable, match="does not answer"):
            await reranker.rerank("谁付", ["甲"])
        await reranker.aclose()
