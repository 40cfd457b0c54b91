"""Fixtures for all tests."""

from __future__ import annotations

import importlib
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from api.logs import OURS, JsonLines, TextLines
from corpus.embeddings.e5.onnx_engine import OnnxEngine
from tests.fakes.endpoint import FakeEndpoint, serve

# No test is timed: a first example may load a dictionary, and the machine may be busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session", autouse=True)
def one_model() -> Iterator[None]:
    """The embedded model keeps nothing of a test: a process reads it once. Each time takes half a second and 40 MB."""
    read = cache(OnnxEngine.load)

    def load(file: Path) -> OnnxEngine:
        importlib.import_module("onnxruntime")  # a test may have taken it away
        return read(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEngine, "load", load)
        yield


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Logging is of the whole process, and a command that serves sets it up: taken back after each test."""
    loggers = [logging.getLogger(name) for name in (*OURS, "uvicorn", "uvicorn.error", "uvicorn.access")]
    kept = [(one, one.handlers, one.level, one.propagate, one.disabled) for one in loggers]
    root, level = logging.getLogger(), logging.getLogger().level
    hooks = warnings.showwarning, threading.excepthook, sys.unraisablehook
    yield
    warnings.showwarning, threading.excepthook, sys.unraisablehook = hooks
    root.handlers = [one for one in root.handlers if not isinstance(one.formatter, (JsonLines, TextLines))]
    root.setLevel(level)
    for one, handlers, of_one, propagate, disabled in kept:
        one.handlers, one.propagate, one.disabled = handlers, propagate, disabled
        one.setLevel(of_one)


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
