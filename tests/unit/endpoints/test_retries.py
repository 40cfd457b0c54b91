"""How long to wait before a call is made again."""

from __future__ import annotations

import time
from email.utils import formatdate

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endpoints.retries import FIRST_S, LONGEST_S, wait_before_retry

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")


def failure(status: int, message: str = "", **headers: str) -> openai.APIStatusError:
    response = httpx2.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()}, request=REQUEST)
    return openai.APIStatusError(message, response=response, body=None)


@given(tried=st.integers(0, 50), chance=st.floats(0, 1, exclude_max=True))
def test_waits_grow_with_jitter_and_have_an_end(tried: int, chance: float) -> None:
    wait = wait_before_retry(failure(503), tried, lambda: chance)
    assert wait is not None
    assert 0 <= wait <= min(LONGEST_S, FIRST_S * 2**tried)


@pytest.mark.parametrize(
    ("headers", "least"), [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "250"}, 0.25), ({"retry_after": "-3"}, 0.0)]
)
def test_the_endpoints_own_wait_is_kept(headers: dict[str, str], least: float) -> None:
    assert wait_before_retry(failure(429, **headers), 0, lambda: 0.0) == least


def test_a_date_is_a_wait_too() -> None:
    asked = wait_before_retry(failure(429, retry_after=formatdate(time.time() + 60, usegmt=True)), 0, lambda: 0.0)
    assert asked is not None
    assert 50 < asked <= 60
    assert wait_before_retry(failure(429, retry_after="soon"), 0, lambda: 0.0) == 0.0


@pytest.mark.parametrize(
    "exc",
    [
        failure(400),
        failure(401),
        failure(404),
        failure(500, "response_format is not supported"),
        failure(503, x_should_retry="false"),
        failure(402),
        ValueError(),
        TimeoutError(),
    ],
)
def test_what_cannot_pass_is_not_tried_again(exc: Exception) -> None:
    assert wait_before_retry(exc, 0) is None


def test_a_connection_is_tried_again() -> None:
    assert wait_before_retry(openai.APIConnectionError(request=REQUEST), 0, lambda: 0.5) == 0.25
