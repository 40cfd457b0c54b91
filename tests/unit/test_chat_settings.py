"""Settings of the two chat models, from the environment to the endpoints that are called."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from graph.chat import chat_endpoint
from reasoner.chat_endpoint import Price
from settings import Address, Endpoint, Settings


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
    assert (small.token_limit_name, small.concurrency) == ("max_completion_tokens", 3)
    assert small.extra_body == {"enable_thinking": False}


def test_without_a_small_model_the_large_one_decides(environment: pytest.MonkeyPatch) -> None:
    for name in ("MODEL", "TEMPERATURE", "TOKEN_LIMIT_NAME"):
        environment.delenv(f"GAPSEEK_SMALL_CHAT__{name}")
    settings = Settings()
    assert settings.small() == settings.chat


LOCAL = Endpoint(base_url="http://127.0.0.1:11434/v1", api_key=SecretStr("k"), model="large", input_price=1.0)


def test_a_small_model_alone_is_asked_where_the_large_one_is() -> None:
    small = Endpoint(model="small").over(LOCAL)
    assert (small.base_url, small.api_key, small.model) == (LOCAL.base_url, LOCAL.api_key, "small")
    assert small.input_price is None, "the price is another model's"


@pytest.mark.parametrize("unset", ["", None])
def test_an_empty_address_is_none(unset: str | None) -> None:
    assert Endpoint(base_url=unset, model="small").over(LOCAL).base_url == LOCAL.base_url


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("http://127.0.0.1:11434/other/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("https://127.0.0.1:11434/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_a_key_goes_to_its_own_address_only(address: str, sent: bool) -> None:
    large = LOCAL.model_copy(update={"extra_body": {"think": False}, "timeout_s": 9.0})
    large = Endpoint.model_validate(large.model_dump())
    small = Endpoint(base_url=address, model="small").over(large)
    assert (small.api_key is not None, bool(small.extra_body)) == (sent, sent)
    assert small.timeout_s == 9.0


def test_openais_own_address_is_none_or_named() -> None:
    openai = Endpoint(api_key=SecretStr("k"), model="large")
    assert Endpoint(base_url="https://api.openai.com/v1", model="small").over(openai).api_key is not None
    assert Endpoint(base_url="http://127.0.0.1:1/v1", model="small").over(openai).api_key is None


def test_embeddings_beside_an_own_address_need_one_too() -> None:
    with pytest.raises(ValidationError, match="GAPSEEK_EMBEDDINGS__BASE_URL"):
        Settings(chat=LOCAL, embeddings=Address(model="e"))
    assert Settings(chat=LOCAL, embeddings=Address(model="e", base_url="https://api.openai.com/v1"))
    assert Settings(chat=Endpoint(model="large"), embeddings=Address(model="e"))
