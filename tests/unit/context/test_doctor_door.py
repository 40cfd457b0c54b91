"""How a first call went, told from the exceptions of three clients."""

from __future__ import annotations

import httpx
import httpx2
import openai
import pytest

from context.doctor.door import Door, causes, is_broken, status_of

REQUEST = httpx2.Request("POST", "http://h/v1")
OLD_REQUEST = httpx.Request("POST", "http://h/v1")


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


LATE = caused(openai.APITimeoutError(request=REQUEST), httpx2.ReadTimeout(""))


@pytest.mark.parametrize(
    ("error", "status", "broken"),
    [
        (openai.APIConnectionError(request=REQUEST), None, True),
        (caused(openai.APIConnectionError(request=REQUEST), httpx2.ConnectTimeout("")), None, True),
        (LATE, None, False),
        (TimeoutError(), None, False),
        (httpx.ConnectError(""), None, True),
        (httpx.ReadTimeout(""), None, False),
        (ValueError(), None, False),
        (openai.NotFoundError("", response=httpx2.Response(404, request=REQUEST), body=None), 404, False),
        (httpx.HTTPStatusError("", request=OLD_REQUEST, response=httpx.Response(503)), 503, False),
    ],
)
def test_the_kinds_of_faults(error: BaseException, status: int | None, broken: bool) -> None:
    wrapped = caused(RuntimeError("ours"), error)
    assert (status_of(wrapped), is_broken(wrapped)) == (status, broken)


def test_a_circle_of_causes_ends() -> None:
    one, two = ValueError(), ValueError()
    one.__cause__, two.__cause__ = two, one
    assert list(causes(one)) == [one, two]


@pytest.mark.parametrize(("has_key", "sentence"), [(False, "none is set"), (True, "does not accept")])
def test_a_missing_key_is_no_wrong_key(has_key: bool, sentence: str) -> None:
    error = openai.AuthenticationError("", response=httpx2.Response(401, request=REQUEST), body=None)
    finding = Door("The chat endpoint", "GAPSEEK_CHAT", "http://h/v1", has_key, error).auth()
    assert (finding.status, finding.setting) == ("fail", "GAPSEEK_CHAT__API_KEY")
    assert sentence in finding.sentence
