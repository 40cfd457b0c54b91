"""What was kept as it may be shown today: what was deleted since, or is no longer allowed, shows as deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from context.run import Context

_INSIDE: Final = {"ledger": "evidence", "conflicts": "sides"}
"""Where the entries of a field keep their quotes; a citation is one itself."""


async def only_visible(said: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """A reply, or what a person is asked, without the quotes of chunks that this principal cannot read. Calls no
    model."""
    named = {quoted["chunk_id"] for quoted in _quoted(said) if not quoted.get("person")}
    readable = set(await context.retriever.read(sorted(named), context.principal)) if named else set()
    gone = named - readable
    shown = dict(said)
    if "citations" in said:
        shown["citations"] = _marked(said["citations"], gone)
    for field, inside in _INSIDE.items():
        if field in said:
            shown[field] = [entry | {inside: _marked(entry[inside], gone)} for entry in said[field]]
    return shown


def _quoted(said: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    yield from said.get("citations", ())
    for field, inside in _INSIDE.items():
        for entry in said.get(field, ()):
            yield from entry[inside]


def _marked(quoted: list[dict[str, Any]], gone: set[str]) -> list[dict[str, Any]]:
    return [one | {"quote": "", "deleted": True} if one["chunk_id"] in gone else one for one in quoted]
