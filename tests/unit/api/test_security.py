from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api.keys import KeyFile, Wanted
from api.security import SMALL, without_port
from tests.fakes.service import serving

ASK = {"question": "How many days of paid leave?"}


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost", "localhost"),
        ("localhost:8765", "localhost"),
        ("[::1]", "[::1]"),
        ("[::1]:8765", "[::1]"),
        ("::1", "::1"),
        ("a:b", "a:b"),
        ("", ""),
    ],
)
def test_a_port_is_cut_off_and_an_ipv6_address_stays_whole(host: str, name: str) -> None:
    assert without_port(host) == name


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.", ""])
async def test_a_foreign_host_is_refused(host: str) -> None:
    async with serving() as client:
        answer = await client.post("/ask", json=ASK, headers={"host": host})
    assert (answer.status_code, answer.json()["code"]) == (421, "unknown_host")


async def test_a_second_host_hides_behind_no_first() -> None:
    async with serving() as client:
        answer = await client.get("/health", headers=[("host", "localhost"), ("host", "evil.example")])
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]:8765"])
async def test_this_machines_own_names_are_served(host: str) -> None:
    async with serving() as client:
        assert (await client.get("/health", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost:3000",
        "http://127.0.0.1:8765.evil.example",
        "file://",
        "http://",
        "http://[",
    ],
)
async def test_another_page_may_not_ask_even_from_this_machine(origin: str) -> None:
    async with serving() as client:
        headers = {"host": "127.0.0.1:8765", "origin": origin}
        answer = await client.post("/ask", json=ASK, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_the_servers_own_page_may_ask() -> None:
    async with serving() as client:
        headers = {"host": "127.0.0.1:8765", "origin": "http://127.0.0.1:8765"}
        assert (await client.post("/ask", json=ASK, headers=headers)).status_code == 200


async def test_a_body_over_the_limit_is_refused_whether_or_not_it_says_its_length() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100

    async with serving(max_body_bytes=1_000) as client:
        announced = await client.post("/ask", json={"question": "x" * 2_000})
        chunked = await client.post("/ask", content=chunks(), headers={"content-type": "application/json"})
    for answer in (announced, chunked):
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("host", "name"),
    [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("192.168.1.2", "192.168.1.2"), ("fd00::1", "[fd00::1]")],  # noqa: S104
)
async def test_commands_reach_a_server_whose_hosts_name_only_the_public_one(
    tmp_path: Path, host: str, name: str
) -> None:
    _, text = KeyFile.of(tmp_path).create(Wanted("x"))
    bearer = {"Authorization": f"Bearer {text}"}
    async with serving(data=tmp_path, host=host, allowed_hosts=("kb.example.com",)) as client:
        for asked, status in ((f"{name}:8765", 200), ("kb.example.com", 200), ("localhost", 421), ("", 421)):
            assert (await client.get("/health", headers=bearer | {"host": asked})).status_code == status


@pytest.mark.parametrize("length", ["9" * 18, "9" * 19, "9" * 5_000])
async def test_a_length_of_any_number_of_digits_is_too_large(length: str) -> None:
    async with serving() as client:
        answer = await client.post("/ask", content=b"{}", headers={"content-length": length})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_only_documents_may_be_large() -> None:
    large = b'{"query": "' + b" " * SMALL + b'a"}'
    async with serving() as client:
        answers = [
            await client.post(path, content=large, headers={"content-type": "application/json"})
            for path in ("/ask", "/search", "/threads/x/reply", "/documents")
        ]
    assert [answer.status_code for answer in answers] == [413, 413, 413, 422]


@pytest.mark.parametrize(("encoding", "status"), [("gzip", 415), ("br", 415), ("gzip, gzip", 415), ("identity", 200)])
async def test_a_compressed_body_is_not_read(encoding: str, status: int) -> None:
    body, headers = b'{"query": "leave"}', {"content-type": "application/json", "content-encoding": encoding}
    async with serving() as client:
        assert (await client.post("/search", content=body, headers=headers)).status_code == status
