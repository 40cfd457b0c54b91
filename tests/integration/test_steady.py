"""What one ask leaves in memory is bounded: asks do not leave objects behind, one each."""

from __future__ import annotations

import gc
from collections import Counter
from itertools import pairwise
from weakref import ref

from httpx import AsyncClient

from context.reasoning import ProposedQuery, Rewrite, RewriteRequest, Route, RouteRequest
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, scripted, serving

WARM_UP = 4
ASKS = 12
QUESTION = "How many days of paid leave?"


class Left:
    """What a leak would leave."""


def living(*fakes: object) -> Counter[str]:
    """How many objects there are of each type, once all garbage is gone, and what fakes noted of their calls."""
    for noted in (value for fake in fakes for value in vars(fake).values() if isinstance(value, list)):
        noted.clear()
    gc.collect()
    # sqlite3 sweeps the references to its closed cursors out two hundred at a time.
    objects = (one for one in gc.get_objects() if type(one) is not ref or one() is not None)
    return Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in objects)


def rewrite(request: RewriteRequest) -> Rewrite:
    """The same query each time: caches are no leak."""
    return Rewrite(((request.question, True),), (ProposedQuery(request.question, 1),))


async def ask(client: AsyncClient, times: int) -> None:
    """A JSON ask, a follow-up, a stream, and one that is refused, again and again."""
    for _ in range(times):
        first = (await client.post("/ask", json={"question": QUESTION})).json()
        await client.post("/ask", json={"question": QUESTION, "thread_id": first["thread_id"]})
        streamed = await client.post("/ask", json={"question": QUESTION, "stream": True})
        assert "event: done" in streamed.text
        assert (await client.post("/ask", json={"question": " "})).status_code == 422


async def test_no_kind_of_object_grows_with_the_number_of_asks() -> None:
    fakes = (scripted(rewrite=rewrite), MemoryIndex(TEXTS))
    async with serving(*fakes, keep_events_runs=2, requests_per_minute=10_000) as client:
        await ask(client, WARM_UP)
        counts = [living(*fakes)]
        for _ in range(2):
            await ask(client, ASKS)
            counts.append(living(*fakes))
    first, second = (after - before for before, after in pairwise(counts))
    assert {kind: more for kind, more in second.items() if min(more, first[kind]) >= ASKS} == {}


async def test_an_object_that_every_ask_leaves_would_be_seen() -> None:
    left: list[Left] = []

    def route(request: RouteRequest) -> Route:
        left.append(Left())
        return Route(True, "a question about the documents", request.question)

    async with serving(scripted(route=route)) as client:
        await ask(client, 1)
        before = living()
        await ask(client, ASKS)
        assert (living() - before)[f"{__name__}.Left"] >= ASKS
