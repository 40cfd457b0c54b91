"""Bytes that no HTTP client sends, to a real uvicorn: a 4xx or a closed connection, and it lives on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import httpx
import pytest

from api import arriving
from tests.fakes.whole import Whole, whole

MOST: Final = 100_000
BODY: Final = b'{"query":"a"}'
HOST: Final = b"Host: 127.0.0.1\r\n"
JSON: Final = b"Content-Type: application/json\r\n"
CHUNKED: Final = b"Transfer-Encoding: chunked\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    with (
        pytest.MonkeyPatch.context() as patch,
        whole(tmp_path_factory.mktemp("raw"), max_body_bytes=MOST, max_upload_bytes=MOST) as running,
    ):
        patch.setattr(arriving, "WAIT_S", 0.5)
        yield running


@pytest.fixture(autouse=True)
def lives_on(service: Whole) -> Iterator[None]:
    """After each of them the service answers, and its log has no error."""
    yield
    assert httpx.get(f"{service.address}/health").json()["documents"] > 0
    assert service.said.errors == []


def answered(service: Whole, sent: bytes, *, half_close: bool = False) -> tuple[int | None, bytes]:
    """The status that these bytes get, and the whole answer; None where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        got = b""
        with suppress(OSError):  # a server that has read enough closes, whatever is still to come
            connection.sendall(sent)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while piece := connection.recv(65_536):
                got += piece
    return (int(got.split(b" ", 2)[1]) if got else None), got


def post(path: bytes, headers: bytes, body: bytes) -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + b"Connection: close\r\n" + headers + b"\r\n" + body


def length(number: int | bytes) -> bytes:
    return b"Content-Length: " + (number if isinstance(number, bytes) else str(number).encode()) + b"\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\n" + HOST + b"\r\n",
        "GET /电梯 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
        b"GET /threads/a b HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n : a\r\n\r\n",
        b"G" * 200_000,
        b"BREW /health HTTP/1.1\r\n" + HOST + b"\r\n",
        post(b"/search", JSON + length(-1), BODY),
        post(b"/search", JSON + length(b"0x0d"), BODY),
        post(b"/search", JSON + length(b"9" * 5_000), BODY),
        post(b"/search", JSON + length(3) + length(13), BODY),
        post(b"/search", JSON + CHUNKED, b"zz\r\n" + BODY),
        post(b"/search", JSON + CHUNKED, b"-5\r\nhello\r\n0\r\n\r\n"),
        post(b"/search", JSON + CHUNKED, b"fffffffffffffffffffff\r\n"),
        post(b"/search", JSON + b"Transfer-Encoding: gzip, chunked\r\n", BODY),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=lambda sent: ascii(sent[:40]),
)
def test_what_is_no_http_is_refused(service: Whole, sent: bytes) -> None:
    status, got = answered(service, sent, half_close=True)
    assert status is None or 400 <= status < 500, got
    assert b"Traceback" not in got


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 50_000 + b"\r\n",
    ],
    ids=lambda sent: ascii(sent[:40]),
)
def test_a_head_without_measure_is_refused_or_read_and_done_with(service: Whole, sent: bytes) -> None:
    """uvicorn refuses 64 kB of a head that is not whole: what comes in one piece is whole, and may be answered."""
    status, got = answered(service, sent, half_close=True)
    assert status is None or status < 500, got


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /health HTTP/1.0\r\n\r\n", 421),
        (b"GET /health HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n", 421),
        (b"GET http://evil.example/x HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET //evil.example/ HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /threads/%00 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /documents/%ff%fe HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /documents/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /documents/../../etc/passwd HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /web/..%2fserver.py HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"GET /static-offline-docs/..%2f..%2fx HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 404),
        (b"TRACE /health HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 405),
        (post(b"/search", JSON + length(MOST + 1), BODY), 413),
        (post(b"/search", JSON + length(b"9" * 19), BODY), 413),
        (
            post(b"/search", JSON + CHUNKED, b"10000\r\n" + b" " * 65_536 + b"\r\n10000\r\n" + b" " * 65_536 + b"\r\n"),
            413,
        ),
        (post(b"/search", JSON + CHUNKED, b"d\r\n" + BODY + b"\r\n"), 408),
        (post(b"/search", JSON + length(100), BODY), 408),
        (post(b"/documents", b"Content-Type: multipart/form-data; boundary=x\r\n" + length(100), b"--x\r\n"), 408),
        (post(b"/search", JSON + b"Content-Encoding: gzip\r\n" + length(13), BODY), 415),
        (post(b"/search", JSON + b"Expect: 100-continue\r\n" + length(13), BODY), 100),
        (post(b"/search", JSON + length(13), BODY), 200),
    ],
    ids=lambda value: ascii(value[:60]) if isinstance(value, bytes) else str(value),
)
def test_what_is_http_gets_an_answer(service: Whole, sent: bytes, status: int) -> None:
    assert answered(service, sent)[0] == status


def test_a_body_that_breaks_off_is_no_request(service: Whole) -> None:
    before = httpx.get(f"{service.address}/health").json()["index_generation"]
    half = json.dumps({"documents": [{"doc_id": "half.md", "text": "Half of it."}]}).encode()
    assert answered(service, post(b"/documents", JSON + length(len(half) + 9), half), half_close=True)[0] is None
    assert httpx.get(f"{service.address}/health").json()["index_generation"] == before


def test_requests_in_one_piece_are_answered_one_by_one(service: Whole) -> None:
    one = b"GET /ready HTTP/1.1\r\n" + HOST + b"\r\n"
    _, got = answered(service, one * 5 + one.replace(HOST, HOST + b"Connection: close\r\n"))
    assert got.count(b'{"ready":true') == 6


def test_no_header_of_an_answer_comes_from_the_request(service: Whole) -> None:
    for path in (b"/threads/%0d%0aSet-Cookie:%20a=b/export", b"/documents/%0d%0aSet-Cookie:%20a=b"):
        _, got = answered(service, b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        assert b"set-cookie" not in got.lower().split(b"\r\n\r\n")[0]
