"""Case A14: strings go out, and what comes back is checked, over real HTTP on loopback."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

import errors
from corpus.embeddings.limits import fewer, most_texts
from corpus.embeddings.openai import OpenAIEmbedder
from tests.fakes.embeddings_endpoint import EmbeddingsScript
from tests.fakes.endpoint import FakeEndpoint

DIMENSION = 8


@dataclass
class OddScript(EmbeddingsScript):
    """Replies with these vectors whatever it was sent; without any, with no embeddings at all."""

    vectors: tuple[list[float], ...] | None = None

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.vectors is None:
            return {"message": "welcome"}
        data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(self.vectors)]
        return super().reply(body) | {"data": data}


@pytest.fixture
def strict(endpoint: FakeEndpoint) -> FakeEndpoint:
    """Refuses anything but strings, and base64."""
    endpoint.embeddings = EmbeddingsScript(reject_base64=True, reject_non_strings=True)
    return endpoint


@asynccontextmanager
async def embedder(url: str, batch: int | None = 64, key: str | None = None) -> AsyncIterator[OpenAIEmbedder]:
    api_key = SecretStr(key) if key else None
    embedder = OpenAIEmbedder(model="m", dimension=DIMENSION, base_url=url, api_key=api_key, batch=batch)
    yield embedder
    await embedder.close()


async def test_strings_and_floats_are_asked_for_and_rows_have_length_one(strict: FakeEndpoint) -> None:
    """A14 (a) and (c)."""
    async with embedder(strict.url) as embed:
        rows = await embed.passages(["电梯", "a"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert rows.shape == (2, DIMENSION)
    assert [call.body for call in strict.calls] == [{"input": ["电梯", "a"], "model": "m", "encoding_format": "float"}]


async def test_batches_are_of_the_size_set(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.max_inputs = 10
    async with embedder(endpoint.url, batch=10) as embed:
        rows = await embed.passages([str(n) for n in range(25)])
    assert [len(call.body["input"]) for call in endpoint.calls] == [10, 10, 5]
    np.testing.assert_allclose(rows[24], endpoint.embeddings.vector("24"), atol=1e-6)


async def test_a_limit_that_the_endpoint_states_is_taken_at_its_word_and_remembered(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.max_inputs = 12
    async with embedder(endpoint.url, batch=None) as embed:
        await embed.passages([str(n) for n in range(30)])
        await embed.passages([str(n) for n in range(100, 120)])
    assert [len(call.body["input"]) for call in endpoint.calls] == [30, 12, 12, 6, 12, 8]


async def test_a_limit_that_nobody_states_is_found_among_those_of_known_providers(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.max_inputs = 10
    endpoint.embeddings.limit_said = "invalid input"
    async with embedder(endpoint.url, batch=None) as embed:
        rows = await embed.passages([str(n) for n in range(70)])
        assert [len(call.body["input"]) for call in endpoint.calls] == [64, 32, 25, *[10] * 7]
        endpoint.calls.clear()
        await embed.passages([str(n) for n in range(100, 120)])
        assert [len(call.body["input"]) for call in endpoint.calls] == [10, 10]
    np.testing.assert_allclose(rows[69], endpoint.embeddings.vector("69"), atol=1e-6)


async def test_a_refused_text_is_named_and_the_others_are_paid_for_once(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "bad"
    texts = [f"good {n}" for n in range(20)] + ["bad " + "x" * 100] + [f"good {n}" for n in range(20, 40)]
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Unavailable, match=f"refused the text that begins “bad {'x' * 26}” for openai/m"):
            await embed.passages(texts)
        endpoint.calls.clear()
        endpoint.embeddings.refused_word = None
        rows = await embed.passages(texts)
    assert [call.body["input"] for call in endpoint.calls] == [[texts[20]]]
    np.testing.assert_allclose(rows[40], endpoint.embeddings.vector("good 39"), atol=1e-6)


async def test_one_refused_text_does_not_make_later_requests_smaller(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "bad"
    async with embedder(endpoint.url, batch=8) as embed:
        with pytest.raises(errors.Unavailable, match="refused"):
            await embed.passages(["bad", *map(str, range(30))])
        endpoint.calls.clear()
        await embed.passages([str(n) for n in range(100, 116)])
    assert [len(call.body["input"]) for call in endpoint.calls] == [8, 8]


async def test_an_endpoint_that_refuses_everything_is_not_asked_about_every_text(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = ""
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Unavailable, match=r"refused the texts that begin “0”, “1”, “2”"):
            await embed.passages([str(n) for n in range(64)])
    assert len(endpoint.calls) <= 3 * 7


async def test_the_same_text_is_sent_once(endpoint: FakeEndpoint) -> None:
    async with embedder(endpoint.url) as embed:
        rows = await embed.passages(["a", "b", "a"])
    assert [call.body["input"] for call in endpoint.calls] == [["a", "b"]]
    np.testing.assert_array_equal(rows[0], rows[2])


@pytest.mark.parametrize(
    ("sent", "said", "most"),
    [
        (64, "batch size is invalid, it should not be larger than 10.: input.contents", 10),
        (64, "batch size 64 > maximum allowed batch size 32", 32),
        (64, "input数组最大不得超过16条", 16),
        (64, "This model's maximum context length is 8192 tokens", 32),
        (64, "Error code: 400", 32),
        (32, "", 25),
        (25, "", 10),
        (10, "at most 0 inputs", 5),
        (2, "", 1),
    ],
)
def test_fewer_texts_are_tried_after_a_refusal(sent: int, said: str, most: int) -> None:
    assert fewer(sent, said) == most


@pytest.mark.parametrize(("context", "cut"), [(16_000, 8_000), (512, 512)])
async def test_a_text_over_the_models_context_is_cut(endpoint: FakeEndpoint, context: int, cut: int) -> None:
    embed = OpenAIEmbedder(model="m", dimension=DIMENSION, base_url=endpoint.url, context_tokens=context)
    await embed.passages(["梯" * 9_000])
    await embed.close()
    assert [len(text) for call in endpoint.calls for text in call.body["input"]] == [cut]


@pytest.mark.parametrize(
    ("address", "model", "most"),
    [
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "text-embedding-v4", 10),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "text-embedding-v2", 25),
        ("https://api.siliconflow.cn/v1", "BAAI/bge-m3", 32),
        ("https://open.bigmodel.cn/api/paas/v4", "embedding-3", 64),
        ("http://127.0.0.1:11434/v1", "text-embedding-v2", 64),
        ("https://notaliyuncs.com/v1", "m", 64),
        (None, "text-embedding-3-small", 64),
    ],
)
def test_known_providers_limits_are_kept(address: str | None, model: str, most: int) -> None:
    assert most_texts(address, model) == most


async def test_connect_learns_the_dimension(endpoint: FakeEndpoint) -> None:
    found = await OpenAIEmbedder.connect(model="m", base_url=endpoint.url, api_key=SecretStr("k"))
    await found.close()
    assert (found.dimension, found.name) == (DIMENSION, "openai/m")
    assert [call.headers["authorization"] for call in endpoint.calls] == ["Bearer k"]


async def test_connect_to_an_endpoint_that_gives_nothing_is_unavailable(endpoint: FakeEndpoint) -> None:
    """A14 (b)."""
    endpoint.embeddings.empty = True
    with pytest.raises(errors.Unavailable, match="gave 0 vectors"):
        await OpenAIEmbedder.connect(model="m", base_url=endpoint.url)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (EmbeddingsScript(empty=True), r"gave 0 vectors for 2 texts"),
        (EmbeddingsScript(status=401), r"status 401"),
        (OddScript(vectors=([1.0] * DIMENSION,)), r"gave 1 vectors for 2 texts"),
        (OddScript(vectors=([1.0] * DIMENSION, [])), r"gave 1 vectors for 2 texts"),
        (OddScript(vectors=([1.0], [1.0])), r"another dimension than 8"),
        (OddScript(vectors=([0.0] * DIMENSION, [1.0] * DIMENSION)), r"without a direction"),
        (OddScript(vectors=None), r"empty or malformed reply"),
    ],
)
async def test_a_bad_reply_is_named(endpoint: FakeEndpoint, script: EmbeddingsScript, sentence: str) -> None:
    endpoint.embeddings = script
    async with embedder(endpoint.url, key="secret-key") as embed:
        with pytest.raises(errors.Unavailable, match=sentence) as caught:
            await embed.queries(["a", "b"])
    assert "secret-key" not in caught.value.sentence


async def test_nobody_listening_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        async with embedder(f"http://127.0.0.1:{free.getsockname()[1]}/v1") as embed:
            with pytest.raises(errors.Unavailable, match="no answer"):
                await embed.queries(["a"])


@pytest.mark.parametrize("text", ["", " \n", "\x00"])
async def test_an_empty_text_is_never_sent(endpoint: FakeEndpoint, text: str) -> None:
    async with embedder(endpoint.url) as embed:
        with pytest.raises(ValueError, match="empty"):
            await embed.queries(["a", text])
    assert endpoint.calls == []
