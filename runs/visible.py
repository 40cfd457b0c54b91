"""What was kept as it may be shown today: what was deleted since, or is no longer allowed, shows as deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from context.run import Context

_INSIDE: Final = {"ledger": "evidence", "conflicts": "sides"}
"""Where the entries of a field keep their quotes; a citation is one itself."""


async def only_visible(said: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """A reply, or what a person is asked, without the quotes of chunks that this principal cannot read, or the names of
    documents said to be alike that it cannot see. Calls no model."""
    named = {quoted["chunk_id"] for quoted in _quoted(said) if not quoted.get("person")}
    readable = set(await context.retriever.read(sorted(named), context.principal)) if named else set()
    gone = named - readable
    unseen = await _unseen({name for quoted in _quoted(said) for name in quoted.get("also_in", ())}, context)

    def marked(quoted: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [_marked(one, gone, unseen) for one in quoted]

    shown = dict(said)
    if "citations" in said:
        shown["citations"] = marked(said["citations"])
    for field, inside in _INSIDE.items():
        if field in said:
            shown[field] = [entry | {inside: marked(entry[inside])} for entry in said[field]]
    return shown


async def _unseen(doc_ids: set[str], context: Context) -> set[str]:
    count, principal = context.retriever.count, context.principal
    return {name for name in sorted(doc_ids) if not await count(principal, {"doc_id": name})}


def _quoted(said: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    yield from said.get("citations", ())
    for field, inside in _INSIDE.items():
        for entry in said.get(field, ()):
            yield from entry[inside]


def _marked(quoted: dict[str, Any], gone: set[str], unseen: set[str]) -> dict[str, Any]:
    if unseen.intersection(quoted.get("also_in", ())):
        quoted = quoted | {"also_in": [name for name in quoted["also_in"] if name not in unseen]}
    return quoted | {"quote": "", "deleted": True} if quoted["chunk_id"] in gone else quoted
