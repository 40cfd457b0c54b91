from __future__ import annotations

from dataclasses import replace
from typing import Any

from context.retrieval import Principal
from runs.visible import only_visible
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import runtime

SEEN = passage("录像保存三十日。", doc_id="rules")


class Seeing(MemoryRetriever):
    """Counts what stands in one document."""

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        return sum(one.doc_id == (filters or {})["doc_id"] for one in self.passages.values())


def quoted(chunk_id: str, **more: Any) -> dict[str, Any]:
    return {"chunk_id": chunk_id, "quote": "三十日", **more}


async def shown(**said: Any) -> dict[str, Any]:
    copy = passage("录像保存三十日！", doc_id="copy")
    return await only_visible(said, replace(runtime().context, retriever=Seeing([SEEN, copy])))


async def test_the_quote_of_a_chunk_that_cannot_be_read_shows_as_deleted() -> None:
    reply = await shown(citations=[quoted(SEEN.chunk_id), quoted("gone#1")])
    assert reply["citations"] == [quoted(SEEN.chunk_id), quoted("gone#1") | {"quote": "", "deleted": True}]


async def test_a_document_that_cannot_be_seen_is_not_named_as_saying_the_same() -> None:
    alike = quoted(SEEN.chunk_id, also_in=["secret", "copy"])
    reply = await shown(citations=[alike], ledger=[{"evidence": [alike]}], conflicts=[{"sides": [alike]}])
    left = quoted(SEEN.chunk_id, also_in=["copy"])
    assert reply == {"citations": [left], "ledger": [{"evidence": [left]}], "conflicts": [{"sides": [left]}]}
