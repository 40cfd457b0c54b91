"""A kept reply as it may be shown today: what was deleted since, or is no longer allowed, shows as deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from context import Context


async def only_visible(reply: dict[str, Any], context: Context) -> dict[str, Any]:
    """The reply with the quotes of chunks that this principal cannot read taken out. Calls no model."""
    named = {quoted["chunk_id"] for quoted in _quoted(reply) if not quoted.get("person")}
    readable = set(await context.retriever.read(sorted(named), context.principal)) if named else set()
    gone = named - readable
    return reply | {
        "citations": _marked(reply["citations"], gone),
        "ledger": [entry | {"evidence": _marked(entry["evidence"], gone)} for entry in reply["ledger"]],
        "conflicts": [conflict | {"sides": _marked(conflict["sides"], gone)} for conflict in reply["conflicts"]],
    }


def _quoted(reply: dict[str, Any]) -> Iterable[dict[str, Any]]:
    yield from reply["citations"]
    for entry in reply["ledger"]:
        yield from entry["evidence"]
    for conflict in reply["conflicts"]:
        yield from conflict["sides"]


def _marked(quoted: list[dict[str, Any]], gone: set[str]) -> list[dict[str, Any]]:
    return [one | {"quote": "", "deleted": True} if one["chunk_id"] in gone else one for one in quoted]
