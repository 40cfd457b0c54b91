"""What Prometheus is told: what runs came to, nothing that names anybody, and only to whom it may be."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from api.keys import KeyFile, Wanted
from context.reasoning import Route, RouteRequest, Usage
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, client_of, opening, scripted, serving

ASK = {"question": "How many days of paid leave?"}
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


async def read(client: AsyncClient, **headers: str) -> Samples:
    answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.text)
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, tuple(sorted(labels.items()))), 0.0)


async def test_a_run_is_counted_with_its_outcome_nodes_lanes_and_cost() -> None:
    async with serving() as client:
        before = await read(client)
        reply = (await client.post("/ask", json=ASK)).json()
        told = await read(client)
    assert of(before, "gapseek_runs_total", mode="loop", status="answered", stop_reason="sufficient") == 0
    assert of(told, "gapseek_runs_total", mode="loop", status="answered", stop_reason="sufficient") == 1
    assert of(told, "gapseek_run_seconds_count", mode="loop") == 1
    assert of(told, "gapseek_run_rounds_sum", mode="loop") == reply["retry_count"] + 1
    for node in ("route", "rewrite", "retrieve", "evaluate", "generate"):
        assert of(told, "gapseek_node_seconds_count", node=node) == 1
    assert of(told, "gapseek_spent_total", what="searches") == reply["usage"]["searches"] > 0
    assert of(told, "gapseek_spent_total", what="model_calls") == reply["usage"]["model_calls"]
    estimated = reply["usage"]["estimated"]
    assert of(told, "gapseek_tokens_total", source="estimated", direction="input") == estimated["input_tokens"]
    assert of(told, "gapseek_lane_searches_total", lane="keyword", outcome="searched") > 0
    assert of(told, "gapseek_documents") == of(told, "gapseek_chunks") == len(TEXTS)
    assert of(told, "gapseek_cache_requests_total", cache="results", outcome="miss") == 2
    assert of(told, "gapseek_live_runs") == of(told, "gapseek_open_streams") == 0
    assert of(told, "gapseek_open_requests") == 1, "the look itself"
    assert of(told, "gapseek_http_requests_total", method="POST", route="/ask", status="200") == 1
    assert of(told, "process_resident_memory_bytes") > 0


async def test_what_is_at_work_is_seen_as_long_as_it_is() -> None:
    reached, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def route(request: RouteRequest) -> Route:
        reached.release()
        await go_on.wait()
        return Route(True, "", request.question)

    async with serving(scripted(route=route)) as client:
        asks = [asyncio.create_task(client.post("/ask", json=ASK | {"stream": stream})) for stream in (True, False)]
        for _ in asks:
            await reached.acquire()
        during = await read(client)
        go_on.set()
        await asyncio.gather(*asks)
        after = await read(client)
    names = ("gapseek_live_runs", "gapseek_open_streams", "gapseek_open_requests")
    assert [of(during, name) for name in names] == [2, 1, 3]
    assert [of(after, name) for name in names] == [0, 0, 1]


async def test_what_providers_report_and_what_it_costs_is_summed() -> None:
    async with serving(scripted(usage=(Usage("small", 100, 10, False, 0.25),))) as client:
        usage = [(await client.post("/ask", json=ASK)).json()["usage"] for _ in range(2)]
        told = await read(client)
    assert of(told, "gapseek_cost_total") == sum(one["cost"] for said in usage for one in said["models"]) > 0
    for direction in ("input", "output"):
        reported = sum(said["reported"][f"{direction}_tokens"] for said in usage)
        assert of(told, "gapseek_tokens_total", source="reported", direction=direction) == reported > 0


async def test_an_admin_of_a_tenant_is_told_of_that_tenant_alone(tmp_path: Path) -> None:
    keys = KeyFile.of(tmp_path)
    of_whom = {name: keys.create(Wanted("x", tenant=name, roles=("ask", "admin")))[1] for name in ("a", "b", "default")}
    async with client_of(create_app(Settings.model_construct(data=tmp_path), opener=opening())) as client:
        auth = {name: {"Authorization": f"Bearer {key}"} for name, key in of_whom.items()}
        for name in ("a", "a", "b"):
            await client.post("/ask", json=ASK, headers=auth[name])
        told = {name: await read(client, **auth[name]) for name in auth}
    ran = {name: of(seen, "gapseek_run_seconds_count", mode="loop") for name, seen in told.items()}
    assert ran == {"a": 2, "b": 1, "default": 3}
    theirs = {name.partition("_")[0] for name, _ in told["a"]}
    assert theirs == {"gapseek"}
    assert not any(name.startswith(("gapseek_http", "gapseek_cache", "gapseek_open")) for name, _ in told["a"])


async def test_a_replay_counts_what_it_spent_itself() -> None:
    async with serving() as client:
        first = (await client.post("/ask", json=ASK)).json()
        history = (await client.get(f"/threads/{first['thread_id']}/history")).json()
        last = next(step for step in history["steps"] if step["node"] == "evaluate")
        before = await read(client)
        replay = {"checkpoint_id": last["checkpoint_id"]}
        again = await client.post(f"/threads/{first['thread_id']}/replay", json=replay)
        told = await read(client)
    assert again.json()["usage"]["searches"] == first["usage"]["searches"] > 0, "counts carry over"
    searches = [of(samples, "gapseek_spent_total", what="searches") for samples in (before, told)]
    assert searches[0] == searches[1]
    assert of(told, "gapseek_runs_total", mode="loop", status="answered", stop_reason="sufficient") == 2


async def test_a_failed_run_and_a_failed_lane_are_told_by_their_codes() -> None:
    async with serving(index=MemoryIndex(TEXTS, broken=("keyword", "vector"))) as client:
        assert (await client.post("/ask", json=ASK)).status_code == 503
        told = await read(client)
    assert of(told, "gapseek_run_errors_total", code="source_unavailable") == 1
    assert of(told, "gapseek_lane_searches_total", lane="vector", outcome="failed") > 0
    failed = {"mode": "loop", "status": "failed", "stop_reason": "none"}
    assert of(told, "gapseek_runs_total", **failed) == 1


async def test_a_strangers_exception_is_internal() -> None:
    def broken(request: Any) -> Any:
        raise ValueError("the text of a document")

    async with serving(scripted(grade=broken)) as client:
        assert (await client.post("/ask", json=ASK)).status_code == 500
        text = (await client.get("/metrics")).text
    assert 'gapseek_run_errors_total{code="internal"} 1.0' in text
    assert "document" not in text.replace("gapseek_documents", "").replace("Documents indexed", "")


async def test_no_label_takes_what_a_caller_sends() -> None:
    marker = "ZQXJ"
    async with serving() as client:
        await client.get(f"/{marker}/x?{marker}={marker}")
        await client.request(marker, "/ask")
        await client.get(f"/threads/{marker}")
        await client.post("/ask", json={"question": marker, "mode": marker})
        await client.post("/ask", json={"question": marker, "thread_id": marker, "filters": {marker: marker}})
        document = {"doc_id": marker, "title": marker, "text": f"{marker} is a text."}
        await client.post("/documents", json={"documents": [document]}, headers={"X-Request-Id": marker * 4})
        await client.post("/ask", json={"question": f"What is {marker}?"})
        text = (await client.get("/metrics")).text
        samples = await read(client)
    assert marker not in text
    assert of(samples, "gapseek_http_requests_total", method="GET", route="/threads/{thread_id}", status="404") == 1
    assert of(samples, "gapseek_http_requests_total", method="other", route="/ask", status="405") == 1
    assert of(samples, "gapseek_http_requests_total", method="GET", route="none", status="404") == 1


@pytest.mark.parametrize(("roles", "status"), [(("admin",), 200), (("ask", "ingest", "review"), 403)])
async def test_with_keys_only_an_admins_may_look(tmp_path: Path, roles: tuple[str, ...], status: int) -> None:
    _, key = KeyFile.of(tmp_path).create(Wanted("secret-name", tenant="tenant-a", roles=roles))
    async with client_of(create_app(Settings.model_construct(data=tmp_path), opener=opening())) as client:
        assert (await client.get("/metrics")).status_code == 401
        answer = await client.get("/metrics", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == status
    assert not any(word in answer.text for word in ("tenant-a", "secret-name", key.split("_")[1]))
