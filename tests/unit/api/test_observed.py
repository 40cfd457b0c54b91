"""A request's id, and the headers that every reply has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from api.headers import NO_PAGE, OWN_PAGE
from tests.fakes.service import scripted, serving

ASK = {"question": "How many days of paid leave?"}


@pytest.mark.parametrize("sent", ["0" * 8, "a1.B-_" * 3, "f" * 128])
async def test_a_sane_id_is_taken_and_returned(sent: str) -> None:
    async with serving() as client:
        assert (await client.get("/ready", headers={"X-Request-Id": sent})).headers["x-request-id"] == sent


@pytest.mark.parametrize("sent", ["", "short", "a b c d e f", "<script>xx", "f" * 129, "a" * 20 + ";", "é" * 10])
async def test_any_other_is_replaced_by_a_new_one(sent: str) -> None:
    async with serving() as client:
        headers = [(b"x-request-id", sent.encode("latin-1"))]
        answers = [await client.get("/ready", headers=headers) for _ in range(2)]
    minted = [answer.headers["x-request-id"] for answer in answers]
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in minted)
    assert minted[0] != minted[1]


async def test_an_unforeseen_failure_names_the_requests_id() -> None:
    def broken(request: Any) -> Any:
        raise ValueError

    async with serving(scripted(route=broken)) as client:
        answer = await client.post("/ask", json=ASK, headers={"X-Request-Id": "mine-0001"})
        refused = await client.post("/ask", json={})
    assert (answer.status_code, answer.json()["request_id"]) == (500, "mine-0001")
    assert "request_id" not in refused.json(), "a fault of the caller's own needs no look into the log"


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/ready", "localhost", 200), ("/nowhere", "localhost", 404), ("/ready", "evil.example", 421)],
)
async def test_data_is_no_page_and_is_kept_nowhere(path: str, host: str, status: int) -> None:
    async with serving() as client:
        answer = await client.get(path, headers={"host": host})
    assert answer.status_code == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["content-security-policy"] == NO_PAGE
    assert answer.headers["cache-control"] == "no-store"


async def test_a_stream_keeps_its_own_word_on_caches() -> None:
    async with serving() as client:
        answer = await client.post("/ask", json=ASK | {"stream": True})
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == NO_PAGE


async def test_the_api_page_may_load_what_it_is_made_of_and_stand_in_no_frame() -> None:
    async with serving() as client:
        page = await client.get("/docs")
        script = await client.get("/static-offline-docs/swagger-ui-bundle.js")
    assert page.headers["content-security-policy"] == OWN_PAGE
    assert "cache-control" not in script.headers, "the same for everybody"
