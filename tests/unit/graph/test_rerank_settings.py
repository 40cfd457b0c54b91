"""From settings to a reranker and to the windows of the models."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest
from pydantic import ValidationError

from context.retrieval import Principal
from context.run import Windows
from corpus.embeddings.e5 import E5Embedder
from graph.wiring import open_services
from settings import Address, Endpoint, RerankEndpoint, Settings


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        ({}, None),
        ({"kind": "embedding"}, "embedding"),
        ({"kind": "http", "base_url": "http://127.0.0.1:9/v1", "model": "bge"}, "http:bge"),
    ],
)
async def test_the_kind_chooses_the_reranker(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, Any], name: str | None
) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    settings = Settings.model_construct(data=tmp_path, rerank=RerankEndpoint(**chosen))
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(open_services(settings, sample=False))
        assert services.index.reranker_name == name


@pytest.mark.parametrize(
    "chosen", [{"kind": "http", "model": "bge"}, {"kind": "http", "base_url": "http://x"}, {"kind": "cross_encoder"}]
)
def test_a_kind_without_what_it_needs_is_refused_by_name(chosen: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="GAPSEEK_RERANK__"):
        RerankEndpoint(**chosen)


def test_the_environment_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAPSEEK_RERANK__KIND", "embedding")
    monkeypatch.setenv("GAPSEEK_RERANK__DEPTH", "30")
    monkeypatch.setenv("GAPSEEK_FUSION", "blend")
    settings = Settings()
    assert (settings.rerank.kind, settings.rerank.depth, settings.fusion) == ("embedding", 30, "blend")


async def test_windows_are_the_models_and_none_without_a_model(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    chat = Endpoint(base_url="http://127.0.0.1:9/v1", model="large", context_tokens=8_000)
    small = chat.model_copy(update={"model": "small", "context_tokens": 5_000})
    for name, settings, expected in (
        ("without", Settings.model_construct(data=tmp_path / "without"), Windows()),
        ("with", Settings.model_construct(data=tmp_path / "with", chat=chat, small_chat=small), Windows(5_000, 8_000)),
    ):
        (tmp_path / name).mkdir()
        async with open_services(settings, sample=False) as services:
            assert services.context_for(Principal()).windows == expected


def test_a_small_context_is_for_embeddings_only() -> None:
    none = Endpoint()
    small = {"model": "m", "context_tokens": 512}
    deployed = Settings.model_validate({"chat": none, "small_chat": none, "embeddings": small})
    assert deployed.embeddings.context_tokens == 512
    for name in ("chat", "small_chat"):
        with pytest.raises(ValidationError, match="greater than or equal to 4096"):
            Settings.model_validate({"chat": none, "small_chat": none, "embeddings": Address(), name: small})
