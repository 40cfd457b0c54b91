"""Settings of the two chat models, from the environment to the endpoints that are called."""

from __future__ import annotations

import pytest

from graph.wiring import chat_endpoint
from reasoner.chat_endpoint import Price
from settings import Settings


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in {
        "CHAT__MODEL": "large",
        "CHAT__EXTRA_BODY": '{"enable_thinking": false}',
        "CHAT__INPUT_PRICE": "2.5",
        "CHAT__CONCURRENCY": "3",
        "SMALL_CHAT__MODEL": "small",
        "SMALL_CHAT__TEMPERATURE": "none",
        "SMALL_CHAT__TOKEN_LIMIT_NAME": "max_completion_tokens",
    }.items():
        monkeypatch.setenv(f"GAPSEEK_{name}", value)
    return monkeypatch


def test_each_model_has_its_own(environment: pytest.MonkeyPatch) -> None:
    settings = Settings()
    large = chat_endpoint(settings.chat, "GAPSEEK_CHAT")
    small = chat_endpoint(settings.small(), "GAPSEEK_SMALL_CHAT")
    assert (large.model, large.extra_body, large.price) == ("large", {"enable_thinking": False}, Price(2.5, 0.0))
    assert (large.temperature, large.concurrency, large.token_limit_name) == (0.0, 3, "max_tokens")
    assert (small.model, small.temperature, small.price) == ("small", None, None)
    assert (small.token_limit_name, small.extra_body) == ("max_completion_tokens", {})


def test_without_a_small_model_the_large_one_decides(environment: pytest.MonkeyPatch) -> None:
    environment.delenv("GAPSEEK_SMALL_CHAT__MODEL")
    settings = Settings()
    assert settings.small() == settings.chat
