"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.fakes.endpoint import FakeEndpoint, serve

# No test is timed: a first example may load a dictionary, and the machine may be busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session")
def endpoint_server() -> Iterator[FakeEndpoint]:
    """One fake OpenAI-compatible server for the whole run."""
    with serve() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(endpoint_server: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    """The fake endpoint with an empty script; the test fails if it was called outside its script."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    endpoint_server.reset()
    yield endpoint_server
    assert not endpoint_server.failures, endpoint_server.failures
