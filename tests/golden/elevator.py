"""The opening question's run in words that do not wobble: `python -m tests.golden.elevator` writes it anew.

Read the difference before keeping it: the second round must aim at gaps that the first one named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from context.retrieval import Principal
from evals.questions import questions
from graph.wiring import Services, open_services
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.stream import opened
from settings import Endpoint, Settings

KEPT: Final = Path(__file__).with_name("elevator-01.txt")
QUESTION: Final = next(question["question"] for question in questions() if question["id"] == "elevator-01")


async def trace(services: Services) -> str:
    """Ask, and tell node by node what each changed."""
    engine = Engine(services.graph, services.saver, services.context_for)
    events = [event async for event in await opened(ask(engine, Principal(), Ask(QUESTION)))]
    ended = [e.data for e in events if e.type == "node" and e.data["phase"] == "end"]
    reply = next(event.data for event in events if event.type == "answer")
    passages = await services.index.read([cited["chunk_id"] for cited in reply["citations"]], Principal())
    articles = [str(passage.metadata["article"]) for passage in passages.values()]
    lines = [f"question: {QUESTION}", *(line for node in ended for line in _told(node))]
    end = [
        f"stopped: {reply['stop_reason']}, {reply['status']}, {reply['retry_count'] + 1} rounds",
        f"missing: {', '.join(gap['text'] for gap in reply['missing']) or 'nothing'}",
        f"cites: {' '.join(articles)}",
    ]
    return "\n".join([*lines, *end, ""])


def _told(node: Mapping[str, Any]) -> Iterator[str]:
    changed = node["changed"]
    yield f"round {node['round']}, {node['name']}"
    if "route_reason" in changed:
        yield f"  {changed['route_reason']}"
    yield from (f"  must establish {q['id']}: {q['text']}" for q in changed.get("sub_questions", ()))
    yield from map(_strategy, changed.get("strategies", ()))
    yield from (f"  query for {q['gap'] or 'all'}: {q['text']}" for q in changed.get("rewritten_queries", ()))
    if node["name"] == "evaluate":
        yield from _judged(changed)


def _strategy(strategy: Mapping[str, Any]) -> str:
    told = {None: "goes on as before", "inside": f"now inside {', '.join(strategy['documents'])}"}
    change = strategy["change"]
    return f"  {strategy['sub_question_id']}, barren {strategy['barren']} in a row: {told.get(change, change)}"


def _judged(changed: Mapping[str, Any]) -> Iterator[str]:
    gaps: Sequence[Mapping[str, Any]] | None = changed.get("gaps")
    still = "as before" if gaps is None else " ".join(gap["sub_question_id"] for gap in gaps) or "none"
    yield f"  still open: {still}"


async def _write() -> None:
    none = Endpoint()
    with TemporaryDirectory() as folder:
        settings = Settings(chat=none, small_chat=none, embeddings=none, data=Path(folder))
        async with open_services(settings) as services:
            KEPT.write_text(await trace(services), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
