"""Case A14: strings go out, and what comes back is checked, over real HTTP on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import SecretStr

import errors
from corpus.embeddings.openai import OpenAIEmbedder


@asynccontextmanager
async def embedder(endpoint: Endpoint, batch: int = 64, key: str | None = None) -> AsyncIterator[OpenAIEmbedder]:
    api_key = SecretStr(key) if key else None
    embedder = OpenAIEmbedder(model="m", dimension=2, base_url=endpoint.url, api_key=api_key, batch=batch)
    yield embedder
    await embedder.close()


async def test_strings_and_floats_are_asked_for_and_rows_have_length_one(endpoint: Endpoint) -> None:
    async with embedder(endpoint) as embed:
        rows = await embed.passages(["电梯", "a"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert rows.shape == (2, 2)
    assert endpoint.bodies == [{"input": ["电梯", "a"], "model": "m", "encoding_format": "float"}]


async def test_batches_are_of_the_size_set(endpoint: Endpoint) -> None:
    async with embedder(endpoint, batch=10) as embed:
        assert len(await embed.passages([str(n) for n in range(25)])) == 25
    assert [len(body["input"]) for body in endpoint.bodies] == [10, 10, 5]


async def test_connect_learns_the_dimension(endpoint: Endpoint) -> None:
    found = await OpenAIEmbedder.connect(model="m", base_url=endpoint.url, api_key=SecretStr("k"))
    await found.close()
    assert (found.dimension, found.name) == (2, "openai/m")
    assert endpoint.keys == ["Bearer k"]


async def test_connect_to_an_endpoint_that_gives_nothing_is_unavailable(endpoint: Endpoint) -> None:
    endpoint.fault = "empty"
    with pytest.raises(errors.Unavailable, match="gave 0 vectors"):
        await OpenAIEmbedder.connect(model="m", base_url=endpoint.url)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("empty", r"gave 0 vectors for 2 texts"),
        ("few", r"gave 1 vectors for 2 texts"),
        ("wide", r"another dimension than 2"),
        ("zero", r"without a direction"),
        ("text", r"empty or malformed reply"),
        ("status", r"status 401"),
    ],
)
async def test_a_bad_reply_is_named(endpoint: Endpoint, fault: str, sentence: str) -> None:
    endpoint.fault = fault
    async with embedder(endpoint, key="secret-key") as embed:
        with pytest.raises(errors.Unavailable, match=sentence) as caught:
            await embed.queries(["a", "b"])
    assert "secret-key" not in caught.value.sentence


async def test_nobody_listening_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        async with embedder(Endpoint(url)) as embed:
            with pytest.raises(errors.Unavailable, match="no answer"):
                await embed.queries(["a"])


@pytest.mark.parametrize("text", ["", " \n", "\x00"])
async def test_an_empty_text_is_never_sent(endpoint: Endpoint, text: str) -> None:
    async with embedder(endpoint) as embed:
        with pytest.raises(ValueError, match="empty"):
            await embed.queries(["a", text])
    assert endpoint.bodies == []
