"""Whatever is written about a deployment, none of its secrets stands in it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from graph.doctor.secrets import Scrub
from settings import Address, Endpoint, RerankEndpoint, Settings

NONE: dict[str, Any] = {"small_chat": Endpoint(), "embeddings": Address(), "rerank": RerankEndpoint()}


@given(st.text("abc*", min_size=5), st.text("abcxyz*"), st.text("abcxyz*"))
def test_a_key_is_taken_out_wherever_it_stands(key: str, before: str, after: str) -> None:
    scrub = Scrub(Settings(chat=Endpoint(api_key=SecretStr(key)), **NONE))
    if "*" not in key:
        assert key not in scrub(before + key + after)


def test_passwords_of_addresses_go_in_every_form() -> None:
    url = "https://keeper:open%20sesame@h/v1"
    scrub = Scrub(Settings(chat=Endpoint(base_url=url, model="m"), **NONE))
    header = b64encode(b"keeper:open sesame").decode()
    assert scrub(f"{url} | open sesame | {header}") == "https://***@h/v1 | *** | ***"


def test_a_key_that_is_no_secret_stays() -> None:
    """Local servers are given one letter, which stands in every word."""
    scrub = Scrub(Settings(chat=Endpoint(api_key=SecretStr("e")), **NONE))
    assert scrub("the endpoint") == "the endpoint"


def test_an_address_that_cannot_be_read_has_none() -> None:
    assert Scrub(Settings(chat=Endpoint(base_url="http://[bad"), **NONE))("x") == "x"
