"""As tenant B through every address with tenant A's ids: no body, header, event, count or log line knows of A."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest

from api.logs import configure
from settings import Settings
from tests.fakes.neighbour import ALL_ROLES, ANSWERED, MARK, Caller, House, Named, everything, house, ids_in, wire

OURS = "食堂十二点开门，食堂在二楼。"
QUESTION = "食堂十二点开门吗？"
NOBODYS = Named()
SEARCHES = ("bm25", "naive", "bm25_rerank", "hybrid", "hybrid_rerank")
STREAM = {"accept": "text/event-stream"}
UNDESCRIBED = ["/", "/web/page.js", "/docs", "/openapi.json", "/nowhere"]
"""Addresses that are not in the API's description: pages, which are the same for everybody."""

Call = tuple[str, str, dict[str, Any]]


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as there:
        yield there


async def settled(there: House) -> tuple[Caller, Named]:
    """Tenant B with a document, a thread and its ids."""
    b = there.caller("tenant-b", groups=("b-group",))
    await b.post("/documents", documents=[{"doc_id": "ours.md", "text": OURS, "access": {"groups": []}}])
    said = await b.post("/ask", question=QUESTION)
    cited = said["citations"][0]
    steps = (await b.get(f"/threads/{said['thread_id']}/history"))["steps"]
    at = next(step["checkpoint_id"] for step in steps if step["node"] == "retrieve")
    return b, Named(said["thread_id"], said["run_id"], at, cited["chunk_id"], "ours.md", cited["version"], "b-group")


def calls(of: Named, own: Named) -> dict[tuple[str, str], list[Call]]:
    """Ways to use these ids at every address, by method and path of the API's description."""
    thread, document = f"/threads/{of.thread}", f"/documents/{of.document}"
    at, mine = {"checkpoint_id": of.checkpoint}, {"checkpoint_id": own.checkpoint}
    ask, ours = {"question": QUESTION}, f"/threads/{own.thread}"
    given = {"doc_id": "new.md", "text": "新的。", "access": {"groups": [of.group]}}
    bodies: dict[tuple[str, str], list[tuple[str, Any, dict[str, str]]]] = {
        ("post", "/ask"): [
            ("/ask", ask | {"thread_id": of.thread}, {}),
            ("/ask", ask | {"thread_id": of.thread}, STREAM),
            ("/ask", ask | {"filters": {"doc_id": of.document}}, STREAM),
        ],
        ("get", "/runs/{run_id}/events"): [(f"/runs/{of.run}/events", None, {})],
        ("post", "/runs/{run_id}/cancel"): [(f"/runs/{of.run}/cancel", None, {})],
        ("get", "/threads"): [
            (f"/threads{query}", None, {}) for query in ("", "?status=awaiting_human", f"?after={of.checkpoint}")
        ],
        ("get", "/threads/{thread_id}"): [(thread, None, {})],
        ("delete", "/threads/{thread_id}"): [(thread, None, {})],
        ("get", "/threads/{thread_id}/history"): [(f"{thread}/history", None, {})],
        ("get", "/threads/{thread_id}/export"): [(f"{thread}/export", None, {})],
        ("get", "/threads/{thread_id}/diff/{other_id}"): [
            (f"{thread}/diff/{own.thread}", None, {}),
            (f"{ours}/diff/{of.thread}", None, {}),
            (f"{thread}/diff/{of.thread}", None, {}),
        ],
        ("post", "/threads/{thread_id}/replay"): [
            (f"{thread}/replay", at, {}),
            (f"{thread}/replay", at | {"evidence": "recorded"}, STREAM),
            (f"{ours}/replay", at, {}),
            (f"{ours}/replay", mine | {"state": {"docs": [of.chunk]}}, {}),
            (f"{ours}/replay", mine | {"state": {"docs": [of.chunk]}, "evidence": "recorded"}, STREAM),
            (f"{ours}/replay", mine, STREAM),
        ],
        ("post", "/threads/{thread_id}/reply"): [
            (f"{thread}/reply", {"text": "Thirty days."}, {}),
            (f"{thread}/reply", {"decline": True}, {}),
        ],
        ("get", "/documents"): [
            (f"/documents{query}", None, {}) for query in ("", f"?prefix={of.document}", f"?after={of.document}")
        ],
        ("post", "/documents"): [
            ("/documents", {"documents": [given]}, {}),
            ("/documents", {"documents": [given]}, STREAM),
        ],
        ("get", "/documents/{doc_id}"): [
            (document, None, {}),
            (f"{document}?version={of.version}", None, {}),
            (f"/documents/{own.document}?version={of.version}", None, {}),
        ],
        ("patch", "/documents/{doc_id}"): [
            (document, {"metadata": {"set": {"year": 1}}}, {}),
            (f"/documents/{own.document}", {"access": {"groups": [of.group]}}, {}),
        ],
        ("delete", "/documents/{doc_id}"): [(document, None, {})],
        ("post", "/search"): [
            ("/search", {"query": "食堂", "filters": {"doc_id": of.document}}, {}),
            *(("/search", {"query": of.words, "mode": mode, "k": 100}, {}) for mode in SEARCHES),
        ],
        ("get", "/modes"): [("/modes", None, {})],
        ("get", "/health"): [("/health", None, {})],
        ("get", "/ready"): [("/ready", None, {})],
        ("get", "/metrics"): [("/metrics", None, {})],
    }
    return {
        (method, path): [
            (method.upper(), url, ({"json": body} if body is not None else {}) | {"headers": headers})
            for url, body, headers in ways
        ]
        for (method, path), ways in bodies.items()
    }


def by_thread(of: Named, own: Named) -> list[Call]:
    """Those that name a thread or a run."""
    return [
        call for (_, path), ways in calls(of, own).items() if "_id}" in path and "doc_id" not in path for call in ways
    ]


def without(text: str, sent: Named) -> str:
    """A text without what its reader had sent."""
    for value in astuple(sent):
        text = text.replace(str(value), "SENT")
    return text


def problem_of(answer: Any, sent: Named) -> tuple[int, str]:
    """How a refusal looks to whoever sent these ids; of an answer that is none, only that it is none."""
    body = without(answer.text, sent) if answer.status_code >= 400 else ""
    return answer.status_code, body


async def test_every_address_is_called(there: House) -> None:
    described = {(method, path) for path, methods in there.app.openapi()["paths"].items() for method in methods}
    assert calls(NOBODYS, NOBODYS).keys() == described, "a new address must be tried as another tenant, above"


async def test_no_address_knows_another_tenants_ids_from_none(there: House, capsys: pytest.CaptureFixture[str]) -> None:
    a = there.caller("tenant-a")
    b, own = await settled(there)
    single = [there.caller("tenant-b", role, groups=("b-group",)) for role in ALL_ROLES]
    theirs = await everything(there, a)
    shared = ids_in(b.heard + wire(await there.client.get("/openapi.json")))
    secrets = (ids_in(a.heard) | {MARK, "tenant-a", a.key.split("_")[1]}) - shared
    assert secrets >= {one.thread for one in theirs} | {one.run for one in theirs}
    configure(Settings.model_construct(log="json", log_level="debug"))
    capsys.readouterr()

    async def hear(who: Caller, call: Call, sent: Named) -> tuple[int, str]:
        method, url, more = call
        answer = await who.say(method, url, **more)
        heard = without(wire(answer), sent)
        assert [one for one in secrets if one in heard] == [], (call, heard)
        return problem_of(answer, sent)

    for who, known in [(b, theirs[0]), *((one, theirs[-1]) for one in single)]:
        for address, ways in calls(known, own).items():
            for call, same in zip(ways, calls(NOBODYS, own)[address], strict=True):
                assert await hear(who, call, known) == await hear(who, same, NOBODYS), call
    for known in theirs[1:]:
        for call, same in zip(by_thread(known, own), by_thread(NOBODYS, own), strict=True):
            assert await hear(b, call, known) == await hear(b, same, NOBODYS), call
    for url in UNDESCRIBED:
        await hear(b, ("GET", url, {}), NOBODYS)
    logged = capsys.readouterr().err
    assert '"message": "run"' in logged
    assert [one for one in secrets if one in logged] == []
    there.dawdler.let.set()
    (ended,) = [await task for task in there.running]
    assert ended.status_code == 200, "nobody else could stop it"
    assert (await a.get(f"/threads/{theirs[1].thread}"))["status"] == "awaiting_human"
    assert (await a.get(f"/documents/{theirs[0].document}"))["metadata"][f"{MARK}_set"] == MARK


async def sees(b: Caller, own: Named) -> dict[str, Any]:
    """Everything that a tenant can list, count or read of its own."""
    addresses = ["/documents", "/threads", "/threads?status=awaiting_human", "/health", "/ready", "/modes", "/metrics"]
    addresses += [f"/threads/{own.thread}{more}" for more in ("", "/history", f"/diff/{own.thread}", "/export")]
    seen = {url: (await b.say("GET", url)).text for url in [*addresses, f"/documents/{own.document}"]}
    seen["/search"] = (await b.say("POST", "/search", json={"query": QUESTION})).text
    export = f"/threads/{own.thread}/export"
    seen[export] = seen[export].partition('"about"')[2]  # without the time of the export
    return seen


async def test_nothing_that_one_sees_changes_with_what_others_do(there: House) -> None:
    b, own = await settled(there)
    before = await sees(b, own)
    await everything(there, there.caller("tenant-a"))
    assert await sees(b, own) == before
    replayed = await b.post(f"/threads/{own.thread}/replay", checkpoint_id=own.checkpoint)
    assert replayed["differs"] == []


async def test_what_others_asked_before_is_not_cached_for_one(there: House) -> None:
    """The same question costs the second tenant what it cost the first."""
    await everything(there, there.caller("tenant-a"))
    b, _ = await settled(there)
    said = await b.post("/ask", question=ANSWERED)
    steps = (await b.get(f"/threads/{said['thread_id']}/history"))["steps"]
    lanes = [lane for step in steps if step["node"] == "retrieve" for lane in step["changed"]["lanes"]]
    assert lanes
    assert not any(lane["cached"] for lane in lanes)


async def test_the_operators_metrics_tell_of_all_and_name_nobody(there: House) -> None:
    a = there.caller("tenant-a")
    await everything(there, a)
    told = (await there.caller("default", "admin").say("GET", "/metrics")).text
    assert 'gapseek_runs_total{mode="loop",status="answered",stop_reason="sufficient"}' in told
    assert "gapseek_live_runs 1.0" in told
    assert [one for one in ids_in(a.heard) | {MARK, "tenant-a"} if one in told] == []


def test_a_trace_would_be_seen() -> None:
    theirs = replace(NOBODYS, thread="a" * 32)
    assert without(f"thread {'a' * 32} of {MARK}", theirs) == f"thread SENT of {MARK}"
    assert ids_in(f"x {'a' * 32}, 1f1ecd42-b7ee-6112-8002-77a2af66f288") == {
        "a" * 32,
        "1f1ecd42-b7ee-6112-8002-77a2af66f288",
    }
