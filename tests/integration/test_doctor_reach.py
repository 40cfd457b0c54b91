"""The ways in which an endpoint is not reached, on real sockets, and what is set by halves."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from settings import Address, Endpoint, RerankEndpoint
from tests.conftest import PROXIES
from tests.fakes.examined import examined, found_in, settings_for

URL = "GAPSEEK_CHAT__BASE_URL"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def answering(what: bytes | None) -> Iterator[int]:
    """A port where each connection gets these bytes and is closed; None for a port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if what is None:
            listener.close()
            yield port
            return
        thread = threading.Thread(target=_serve, args=(listener, what))
        thread.start()
        try:
            yield port
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _serve(listener: socket.socket, what: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(what)


async def chat_found(folder: Path, url: str, **more: Any) -> dict[str, tuple[str, str | None]]:
    chat = Endpoint(base_url=url, model="any", retries=0, timeout_s=5.0, **more)
    report = await examined(settings_for(folder, chat=chat), "chat")
    assert not report.answers
    return {step: what for step, what in found_in(report).items() if what[0] != "skipped"}


@pytest.mark.parametrize(
    "url",
    ["localhost:11434/v1", "ftp://somewhere/v1", "http://[bad/v1", "https://", "http://a b/v1", "http://h:99999/v1"],
)
async def test_what_is_no_address_is_told_before_anything_is_sent(tmp_path: Path, url: str) -> None:
    assert await chat_found(tmp_path, url) == {"address": ("fail", URL)}


async def test_an_operation_is_no_part_of_the_address(tmp_path: Path) -> None:
    assert await chat_found(tmp_path, "http://127.0.0.1:9/v1/chat/completions") == {"address": ("fail", URL)}


async def test_a_port_without_a_server(tmp_path: Path) -> None:
    with answering(None) as port:
        assert await chat_found(tmp_path, f"http://127.0.0.1:{port}/v1") == {"reach": ("fail", URL)}


async def test_a_name_that_nobody_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **more: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    chat = Endpoint(base_url="http://no-such-host.invalid/v1", model="any", retries=0)
    report = await examined(settings_for(tmp_path, chat=chat), "chat")
    (found,) = report.of("fail")
    assert found.finding.sentence == "The name of the host is not known."


@pytest.mark.parametrize(
    ("scheme", "what", "sentence"),
    [
        ("https", b"HTTP/1.1 400 Bad Request\r\n\r\n", "TLS does not come about"),
        ("http", b"", "broke the connection off"),
        ("http", b"\x15\x03\x01\x00\x02\x02\x16", "broke the connection off"),
    ],
)
async def test_another_protocol_than_was_meant(tmp_path: Path, scheme: str, what: bytes, sentence: str) -> None:
    with answering(what) as port:
        chat = Endpoint(base_url=f"{scheme}://127.0.0.1:{port}/v1", model="any", retries=0)
        report = await examined(settings_for(tmp_path, chat=chat), "chat")
    (found,) = report.of("fail")
    assert (found.step, found.finding.setting) == ("reach", URL)
    assert sentence in found.finding.sentence


async def test_a_page_for_people_is_no_endpoint(tmp_path: Path) -> None:
    page = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>"
    with answering(page) as port:
        assert await chat_found(tmp_path, f"http://127.0.0.1:{port}") == {"reply": ("fail", URL)}


async def test_a_proxy_that_is_down_is_named_by_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(None) as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        found = await chat_found(tmp_path, "http://somewhere.invalid/v1")
    assert found == {"reach": ("fail", "HTTP_PROXY")}


async def test_a_proxy_that_wants_a_password_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n") as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        found = await chat_found(tmp_path, "http://somewhere.invalid/v1")
    assert found == {"reach": ("fail", "HTTP_PROXY")}


async def test_embeddings_and_rerankers_are_told_the_same_way(tmp_path: Path) -> None:
    with answering(None) as port:
        url = f"http://127.0.0.1:{port}/v1"
        report = await examined(
            settings_for(
                tmp_path,
                embeddings=Address(base_url=url, model="any"),
                rerank=RerankEndpoint(kind="http", base_url=url, model="any"),
            ),
            "embeddings",
            "reranker",
        )
    told = [(one.target, one.step, one.finding.setting) for one in report.of("fail")]
    assert told == [
        ("embeddings", "reach", "GAPSEEK_EMBEDDINGS__BASE_URL"),
        ("reranker", "reach", "GAPSEEK_RERANK__BASE_URL"),
    ]


async def test_what_is_set_by_halves_is_told(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path,
        chat=Endpoint(api_key=SecretStr("sk-of-chat")),
        small_chat=Endpoint(model="small"),
        embeddings=Address(base_url="http://127.0.0.1:1/v1"),
    )
    report = await examined(settings)
    assert [(one.target, one.finding.setting) for one in report.of("warn")] == [
        ("chat", "GAPSEEK_CHAT__MODEL"),
        ("small_chat", "GAPSEEK_CHAT__MODEL"),
        ("embeddings", "GAPSEEK_EMBEDDINGS__MODEL"),
    ]
    assert report.answers


async def test_a_bad_address_of_one_target_stops_no_other(tmp_path: Path) -> None:
    bad = "http://[bad/v1"
    settings = settings_for(
        tmp_path,
        chat=Endpoint(base_url=bad, model="any"),
        embeddings=Address(base_url=bad, model="any"),
        rerank=RerankEndpoint(kind="http", base_url=bad, model="any"),
    )
    report = await examined(settings)
    assert [one.target for one in report.of("fail")] == ["chat", "embeddings", "reranker"]


async def test_a_certificate_that_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untrusted(*args: object, **more: object) -> None:
        raise ssl.SSLCertVerificationError(1, "self-signed certificate")

    with answering(b"") as port:
        monkeypatch.setattr(ssl.SSLContext, "wrap_bio", untrusted)
        found = await chat_found(tmp_path, f"https://127.0.0.1:{port}/v1")
    assert found == {"reach": ("fail", "SSL_CERT_FILE")}
