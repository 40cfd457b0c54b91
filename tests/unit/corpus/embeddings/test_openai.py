"""Case A14: strings go out, and what comes back is checked, over real HTTP on loopback."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

import errors
from corpus.embeddings.limits import fewer, most_texts
from corpus.embeddings.openai import OpenAIEmbedder
from corpus.embeddings.refused import TextsRefused
from tests.fakes.embeddings_endpoint import EmbeddingsScript
from tests.fakes.endpoint import FakeEndpoint

DIMENSION = 8


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
        with pytest.raises(
            errors.Unavailable, match=f"gave no vector for the text that begins “bad {'x' * 26}” for openai/m"
        ):
            await embed.passages(texts)
        endpoint.calls.clear()
        endpoint.embeddings.refused_word = None
        rows = await embed.passages(texts)
    assert [call.body["input"] for call in endpoint.calls] == [[texts[20]]]
    np.testing.assert_allclose(rows[40], endpoint.embeddings.vector("good 39"), atol=1e-6)


async def test_one_refused_text_does_not_make_later_requests_smaller(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "bad"
    async with embedder(endpoint.url, batch=8) as embed:
        with pytest.raises(TextsRefused):
            await embed.passages(["bad", *map(str, range(30))])
        endpoint.calls.clear()
        await embed.passages([str(n) for n in range(100, 116)])
    assert [len(call.body["input"]) for call in endpoint.calls] == [8, 8]


async def test_an_endpoint_that_refuses_everything_is_not_asked_about_every_text(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = ""
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Misconfigured, match="check GAPSEEK_EMBEDDINGS__MODEL and GAPSEEK_EMBEDDINGS__BASE"):
            await embed.passages([str(n) for n in range(64)])
    assert [len(call.body["input"]) for call in endpoint.calls] == [64, 32, 25, 10, 5, 2, 1, 1, 1]


async def test_a_refused_first_text_does_not_keep_requests_small(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "bad"
    async with embedder(endpoint.url, batch=4) as embed:
        with pytest.raises(TextsRefused) as caught:
            await embed.passages(["bad 1", "bad 2", *map(str, range(9))])
    assert caught.value.texts == ("bad 1", "bad 2")
    assert [len(call.body["input"]) for call in endpoint.calls] == [4, 2, 1, 1, 1, 4, 4]


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
    with pytest.raises(errors.Misconfigured, match="gave no vector for anything"):
        await OpenAIEmbedder.connect(model="m", base_url=endpoint.url)


NAN = [float("nan"), *[1.0] * (DIMENSION - 1)]
ODD = {
    "null": None,
    "empty": [],
    "NaN": NAN,
    "zeros": [0.0] * DIMENSION,
    "another dimension": [1.0] * (DIMENSION * 2),
    "nested": [[1.0] * DIMENSION],
    "words": ["a"] * DIMENSION,
    "no base64": "%%%",
    "half a number": "AAAA",
}


@pytest.mark.parametrize("odd", ODD)
async def test_a_text_without_a_usable_vector_is_named_and_no_other_is_lost(endpoint: FakeEndpoint, odd: str) -> None:
    endpoint.embeddings.odd = {"bad": ODD[odd]}
    texts = [*map(str, range(10)), "bad", *map(str, range(10, 20))]
    async with embedder(endpoint.url) as embed:
        with pytest.raises(TextsRefused, match="no vector for the text that begins “bad” for openai/m") as caught:
            await embed.passages(texts)
        assert not caught.value.retryable
        assert [len(call.body["input"]) for call in endpoint.calls] == [21, 1]
        rows = await embed.passages([text for text in texts if text != "bad"])
    assert len(endpoint.calls) == 2, "the others are paid for"
    np.testing.assert_allclose(rows[19], endpoint.embeddings.vector("19"), atol=1e-6)


async def test_a_text_that_makes_the_endpoint_fail_is_found_without_retries(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.not_a_number = "bad"
    async with embedder(endpoint.url, batch=4) as embed:
        with pytest.raises(TextsRefused, match="“bad”"):
            await embed.passages(["0", "bad", "1", "2"])
    assert [call.body["input"] for call in endpoint.calls] == [
        ["0", "bad", "1", "2"],
        ["0", "bad"],
        ["0"],
        ["bad"],
        ["1", "2"],
    ]


ARRANGED: dict[str, tuple[Callable[[list[Any]], list[Any]], list[int]]] = {
    "out of order": (lambda rows: rows[::-1], [8]),
    "one is missing": (lambda rows: [row for row in rows if row["index"] != 3 or len(rows) == 1], [8, 1]),
    "the last are missing": (lambda rows: rows[:3], [8, 5, 2]),
    "one row is null": (lambda rows: [None, *rows[:0:-1]] if len(rows) > 1 else rows, [8, 1]),
    "without an index": (lambda rows: [{"embedding": row["embedding"]} for row in rows], [8]),
    "every index is 0": (lambda rows: [{**row, "index": 0} for row in rows], [8]),
    "counted from 1": (lambda rows: [{**row, "index": row["index"] + 1} for row in rows], [8]),
    "nobody knows whose": (
        lambda rows: [{"embedding": row["embedding"]} for row in (rows[1:] if len(rows) > 2 else rows)],
        [8, 4, 2, 2, 2, 2],
    ),
}


@pytest.mark.parametrize("name", ARRANGED)
async def test_every_text_gets_its_own_vector(endpoint: FakeEndpoint, name: str) -> None:
    endpoint.embeddings.arranged, sizes = ARRANGED[name]
    texts = [f"text {n}" for n in range(8)]
    async with embedder(endpoint.url) as embed:
        rows = await embed.passages(texts)
    np.testing.assert_allclose(rows, [endpoint.embeddings.vector(text) for text in texts], atol=1e-6)
    assert [len(call.body["input"]) for call in endpoint.calls] == sizes


@pytest.mark.parametrize(
    ("encoding", "refused", "asked"),
    [
        (None, (), ["float"]),
        ("base64", (), ["float"]),
        (None, ("float",), ["float", None, None]),
        ("base64", ("float",), ["float", None, None]),
        (None, ("float", None), ["float", None, "base64", "base64"]),
    ],
)
async def test_numbers_are_read_in_both_forms(
    endpoint: FakeEndpoint, encoding: str | None, refused: tuple[str | None, ...], asked: list[str | None]
) -> None:
    endpoint.embeddings = EmbeddingsScript(encoding=encoding, refused_encodings=refused)
    async with embedder(endpoint.url) as embed:
        rows = await embed.passages(["电梯"])
        if refused:
            await embed.passages(["门"])
    np.testing.assert_allclose(rows[0], endpoint.embeddings.vector("电梯"), atol=1e-6)
    assert [call.body.get("encoding_format") for call in endpoint.calls] == asked


SETTINGS = {
    301: "GAPSEEK_EMBEDDINGS__BASE_URL",
    401: "GAPSEEK_EMBEDDINGS__API_KEY",
    402: "no credit",
    403: "GAPSEEK_EMBEDDINGS__API_KEY and GAPSEEK_EMBEDDINGS__MODEL",
    404: "GAPSEEK_EMBEDDINGS__MODEL and GAPSEEK_EMBEDDINGS__BASE_URL",
    405: "GAPSEEK_EMBEDDINGS__BASE_URL",
}


@pytest.mark.parametrize("status", SETTINGS)
async def test_what_a_setting_must_mend_fails_at_once(endpoint: FakeEndpoint, status: int) -> None:
    endpoint.embeddings.failures = [(status, {"location": "/elsewhere"})]
    async with embedder(endpoint.url, key="secret-key") as embed:
        with pytest.raises(errors.Misconfigured, match=SETTINGS[status]) as caught:
            await embed.queries(["a", "b"])
    assert (len(endpoint.calls), caught.value.retryable) == (1, False)
    assert "secret-key" not in caught.value.sentence


@pytest.mark.parametrize(("code", "sentence"), [(401, SETTINGS[401]), ("404", SETTINGS[404]), ("1211", "anything")])
async def test_an_error_that_comes_with_200_is_an_error(endpoint: FakeEndpoint, code: int | str, sentence: str) -> None:
    endpoint.embeddings.instead = {"error": {"message": "secret words", "code": code}}
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Misconfigured, match=sentence) as caught:
            await embed.queries(["a", "b", "c"])
    assert "secret words" not in caught.value.sentence


async def test_an_endpoint_that_is_busy_is_asked_again_when_it_says(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.failures = [(429, {"retry-after-ms": "1"}), (503, {"retry-after": "0"})]
    async with embedder(endpoint.url) as embed:
        await embed.queries(["a"])
        assert len(endpoint.calls) == 3, "one layer of two retries"
        endpoint.embeddings.failures = [(429, {"retry-after-ms": "1"})] * 9
        with pytest.raises(errors.Unavailable, match="allows no more requests for now") as caught:
            await embed.queries(["b"])
    assert (len(endpoint.calls), caught.value.retryable) == (6, True)


async def test_a_wait_of_minutes_is_not_begun(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.failures = [(429, {"retry-after": "600"})]
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Unavailable, match="no more requests"):
            await embed.queries(["a"])
    assert len(endpoint.calls) == 1


@pytest.mark.parametrize("instead", [{"message": "welcome"}, "<html>", "[]"])
async def test_what_is_no_list_of_vectors_is_named(endpoint: FakeEndpoint, instead: dict[str, str] | str) -> None:
    endpoint.embeddings.instead = instead
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Unavailable, match="cannot be read: check GAPSEEK_EMBEDDINGS__BASE_URL"):
            await embed.queries(["a"])


@pytest.mark.parametrize("count", [1, 3])
async def test_vectors_of_another_model_name_the_command(endpoint: FakeEndpoint, count: int) -> None:
    endpoint.embeddings.dimension = DIMENSION * 2
    async with embedder(endpoint.url) as embed:
        with pytest.raises(errors.Misconfigured, match=r"16 numbers now.*built with 8.*`gapseek reindex`"):
            await embed.queries([str(n) for n in range(count)])
        assert "gapseek reindex" in str(embed.failing)
    assert len(endpoint.calls) == 1


async def test_an_endpoint_that_hangs_is_given_up(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.delay_s = 5
    embed = OpenAIEmbedder(model="m", dimension=DIMENSION, base_url=endpoint.url, timeout_s=0.05, retries=0)
    with pytest.raises(errors.Unavailable, match="did not answer in time"):
        await embed.queries(["a"])
    await embed.close()


async def test_credentials_of_an_address_are_sent_and_not_logged(
    endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        async with embedder(endpoint.url.replace("//", "//ann:secret-pass@")) as embed:
            await embed.queries(["a"])
    assert endpoint.calls[0].headers["authorization"].startswith("Basic ")
    assert "secret-pass" not in caplog.text


async def test_nobody_listening_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        embed = OpenAIEmbedder(model="m", dimension=DIMENSION, base_url=address, retries=0)
        with pytest.raises(errors.Unavailable, match=r"cannot be reached.*GAPSEEK_EMBEDDINGS__BASE_URL"):
            await embed.queries(["a"])
        await embed.close()


@pytest.mark.parametrize("text", ["", " \n", "\x00"])
async def test_an_empty_text_is_never_sent(endpoint: FakeEndpoint, text: str) -> None:
    async with embedder(endpoint.url) as embed:
        with pytest.raises(ValueError, match="empty"):
            await embed.queries(["a", text])
    assert endpoint.calls == []
