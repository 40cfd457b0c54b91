"""One thread as one JSON file, for a report of what went wrong: its steps and states, and what it ran on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from context.retrieval import Principal
from context.run import Context
from runs.engine import Engine, config
from runs.history import history, is_step
from runs.threads import owned, readable

FORM: Final = 1
"""Version of the file's layout."""
_OF_A_DOCUMENT: Final = ("quote", "title", "value", "reason")
"""Fields beside a `chunk_id` in which words of its document can stand."""


async def export(engine: Engine, principal: Principal, thread_id: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """Every step with the state that it left, beside `about`, what the server says of itself.

    Of documents there are ids, titles and the quotes that were graded; no chunk's text. What a principal cannot read
    now has none of these. Raises `NotFound`, and `Conflict` for what a newer Gapseek wrote.
    """
    await owned(engine, principal, thread_id)
    kept = [readable(one) async for one in engine.graph.aget_state_history(config(thread_id)) if is_step(one)]
    states = [dict(snapshot.values) for snapshot in reversed(kept)]
    steps = (await history(engine, principal, thread_id))["steps"]
    told = [step | {"state": state} for step, state in zip(steps, states, strict=False)]
    context = engine.context_for(principal)
    return {
        "form": FORM,
        "exported_at": datetime.fromtimestamp(context.clock(), UTC).isoformat(timespec="seconds"),
        "about": dict(about),
        "thread_id": thread_id,
        "steps": await _as_seen(told, context),
    }


async def _as_seen(steps: Any, context: Context) -> Any:
    """The same without words of chunks that cannot be read, and without names of documents that cannot be seen."""
    found = list(_objects(steps))
    chunk_ids = {str(one["chunk_id"]) for one in found if "chunk_id" in one and not one.get("person")}
    gone = chunk_ids - set(await context.retriever.read(sorted(chunk_ids), context.principal))
    named = {name for one in found for name in one.get("also_in") or ()}
    unseen = {name for name in named if not await context.retriever.count(context.principal, {"doc_id": name})}
    return _without(steps, gone, unseen)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    inner: Iterable[Any] = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _objects(one)


def _without(value: Any, gone: set[str], unseen: set[str]) -> Any:
    if isinstance(value, list):
        return [_without(one, gone, unseen) for one in value]
    if not isinstance(value, Mapping):
        return value
    shown = {name: _without(inner, gone, unseen) for name, inner in value.items()}
    if shown.get("also_in"):
        shown["also_in"] = [name for name in shown["also_in"] if name not in unseen]
    return _hidden(shown) if value.get("chunk_id") in gone else shown


def _hidden(shown: dict[str, Any]) -> dict[str, Any]:
    """What is left of something that names a chunk which cannot be read."""
    grade = {"grade": {**shown["grade"], "reason": ""}} if isinstance(shown.get("grade"), dict) else {}
    blanked = {name: "" for name in _OF_A_DOCUMENT if shown.get(name)}
    return {**shown, **blanked, **grade, "deleted": True}
