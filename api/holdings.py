"""What the knowledge base holds, as tables for a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from api.listing import empty_table
from api.terminal import harmless


def document_rows(page: Mapping[str, Any]) -> Table:
    """A page of the list: id, title, chunks, groups, metadata. On a narrow terminal only the id, by which commands know
    a document, goes on in a next line; the widest of the others are cut first."""
    rows = empty_table("document", "title", "chunks", "groups", "metadata")
    rows.columns[-1].max_width = 30
    for one in page["documents"]:
        groups = ", ".join(one["groups"]) or "everybody"
        cut = (_cut(cell) for cell in (one["title"], str(one["chunks"]), groups, _json(one["metadata"])))
        rows.add_row(Text(harmless(one["doc_id"])), *cut)
    return rows


def metadata_rows(document: Mapping[str, Any]) -> Table:
    """Each value that filters see, and the layer that it comes from; access last."""
    rows = empty_table("name", "value", "from")
    for name, value in document["metadata"].items():
        layer = next(layer for layer in ("set", "given", "extracted") if name in document["layers"][layer])
        rows.add_row(Text(harmless(name)), Text(harmless(_json(value))), layer)
    by_hand = "given" if document["access"]["set"] is None else "set"
    rows.add_row("access", Text(harmless(", ".join(document["groups"]) or "everybody")), by_hand, style="dim")
    return rows


def version_rows(document: Mapping[str, Any]) -> Table:
    """Versions, newest first."""
    rows = empty_table("version", "title", "chunks", "since")
    for one in document["versions"]:
        since = (
            "unknown"
            if one["created"] is None
            else datetime.fromtimestamp(one["created"], UTC).isoformat(" ", "seconds")
        )
        current = " (current)" if one["current"] else ""
        rows.add_row(one["version"] + current, Text(harmless(one["title"])), str(one["chunks"]), since)
    return rows


def chunk_rows(document: Mapping[str, Any]) -> Table:
    """The chunks that were asked for, numbered from 1."""
    shown = document["shown"]
    rows = empty_table(f"of {shown['total']}", "heading", "text")
    for number, chunk in enumerate(shown["chunks"], start=shown["offset"] + 1):
        rows.add_row(str(number), Text(harmless(chunk["heading"])), Text(harmless(chunk["text"])))
    return rows


def _cut(cell: str) -> Text:
    """On one line, with an ellipsis where there is no room for more."""
    return Text(harmless(cell), no_wrap=True, overflow="ellipsis")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
