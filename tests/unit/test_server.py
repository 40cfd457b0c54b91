import gc
import re
import weakref
from typing import Any

import pytest

from errors import BadRequest
from server import create_app
from settings import Settings
from tests.fakes.service import client_of, opening, serving

ADDRESSES = [
    "/ask",
    "/runs/{run_id}/events",
    "/runs/{run_id}/cancel",
    "/threads",
    "/threads/{thread_id}",
    "/threads/{thread_id}/history",
    "/threads/{thread_id}/export",
    "/threads/{thread_id}/diff/{other_id}",
    "/threads/{thread_id}/replay",
    "/threads/{thread_id}/reply",
    "/documents",
    "/documents/{doc_id}",
    "/search",
    "/modes",
    "/metrics",
    "/health",
    "/ready",
]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])  # noqa: S104
def test_an_address_beyond_this_machine_is_refused(host: str) -> None:
    with pytest.raises(BadRequest, match="loopback"):
        create_app(Settings.model_construct(host=host))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.2"])
def test_this_machines_addresses_are_taken(host: str) -> None:
    create_app(Settings.model_construct(host=host))


def test_a_default_mode_that_is_not_built_is_refused_at_the_start() -> None:
    with pytest.raises(BadRequest, match="these are: bm25, naive, "):
        create_app(Settings.model_construct(mode="magic"))


async def test_an_app_that_was_closed_holds_nothing_of_what_it_served_with() -> None:
    """FastAPI itself keeps every app, so that what hangs on one would stay for good."""
    app = create_app(Settings.model_construct(), opener=opening())
    async with client_of(app) as client:
        assert (await client.get("/documents")).status_code == 200
        held = weakref.ref(app.state.engine)
    gc.collect()
    assert held() is None


async def test_an_app_may_be_opened_again_and_goes_on_counting() -> None:
    app = create_app(Settings.model_construct(), opener=opening())
    for asked in (1, 2):
        async with client_of(app) as client:
            await client.get("/modes")
            told = (await client.get("/metrics")).text
        assert f'gapseek_http_requests_total{{method="GET",route="/modes",status="200"}} {asked}.0' in told


async def openapi() -> dict[str, Any]:
    async with serving() as client:
        return dict((await client.get("/openapi.json")).json())


async def test_every_address_is_described_with_its_answer() -> None:
    paths = (await openapi())["paths"]
    assert list(paths) == ADDRESSES
    for path in paths.values():
        for method in path.values():
            assert method["description"]
            success = next(answer for status, answer in method["responses"].items() if status.startswith("2"))
            content = success.get("content", {})
            assert "$ref" in content.get("application/json", {"schema": {"$ref": ""}})["schema"]
            assert not content or content.keys() & {"application/json", "text/event-stream", "text/plain"}
            assert "application/problem+json" in method["responses"]["422"]["content"]


async def test_every_body_has_examples() -> None:
    described = await openapi()
    schemas = described["components"]["schemas"]
    for path in described["paths"].values():
        for method in path.values():
            if "requestBody" in method:
                for kind, body in method["requestBody"]["content"].items():
                    name = body["schema"].get("$ref", "").rpartition("/")[2]
                    schema = schemas.get(name, body["schema"])
                    fields = schema["properties"].values()
                    assert "examples" in schema or any("examples" in field for field in fields), (name, kind)


async def test_the_openapi_page_and_all_it_loads_come_from_this_server() -> None:
    async with serving() as client:
        page = (await client.get("/docs")).text
        addresses = re.findall(r"""(?:src|href)=["']([^"']+)["']""", page)
        assert len(addresses) == 3
        assert all(address.startswith("/") for address in addresses)
        assert [(await client.get(address)).status_code for address in addresses] == [200, 200, 200]
        assert (await client.get("/redoc")).status_code == 404
    assert "//" not in page.replace("window.location.protocol + '//' + window.location.host", "")
