"""What the caller may not see, or filtered out, is not there, whichever tool looks for it and however it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from context.retrieval import Principal
from corpus.index import Index
from policy.remarks import NO_DOCUMENT, NO_PASSAGE
from tests.unit.nodes.tools.conftest import HR, ME, OTHER, desk_over

INSIDE: dict[str, dict[str, Any]] = {
    "find": {"pattern": "lift"},
    "open": {"position": 0},
    "summarize": {"question": "who pays"},
}


@pytest.mark.parametrize("tool", INSIDE)
@pytest.mark.parametrize(("doc", "principal"), [("pay", ME), ("theirs", ME), ("theirs", HR), ("fees", OTHER)])
async def test_a_forbidden_document_looks_like_an_unknown_one(
    index: Index, tool: str, doc: str, principal: Principal
) -> None:
    desk = desk_over(index, principal)
    forbidden, unknown = await desk(tool, doc=doc, **INSIDE[tool]), await desk(tool, doc="nowhere", **INSIDE[tool])
    told = [(ran.call["outcome"], ran.call["hits"], ran.call["remark"], ran.update) for ran in (forbidden, unknown)]
    assert told[0] == told[1] == ("unknown", [], NO_DOCUMENT["en"], {})


@pytest.mark.parametrize("tool", INSIDE)
async def test_the_callers_filter_hides_a_document_from_every_tool(index: Index, tool: str) -> None:
    desk = desk_over(index, filters={"year": 2023})
    assert (await desk(tool, doc="fees", **INSIDE[tool])).call["outcome"] == "unknown"


async def test_who_belongs_to_the_group_sees_its_document(index: Index) -> None:
    desk = desk_over(index, HR)
    assert await desk.text(await desk("find", doc="pay", pattern="4711")) == ["4711"]
    assert "pay" in {hit["doc_id"] for hit in (await desk("search", query="clerk")).call["hits"]}


@pytest.mark.parametrize(
    ("callers", "own", "found"),
    [
        (None, None, {"fees", "long"}),
        ({"year": 2024}, None, {"fees"}),
        ({"year": 2024}, {"year": 2023}, set()),
        ({"year": 2024}, {"$or": [{"year": 2023}, {"year": 2024}]}, {"fees"}),
        (None, {"doc_id": "pay"}, set()),
        (None, {"year": {"$gte": 2024}}, {"fees"}),
    ],
)
async def test_a_tools_filter_only_ever_narrows(
    index: Index, callers: dict[str, Any] | None, own: dict[str, Any] | None, found: set[str]
) -> None:
    desk = desk_over(index, filters=callers)
    ran = await desk("search", query="owner and clerk keep the lift", **({"filter": own} if own else {}))
    assert {hit["doc_id"] for hit in ran.call["hits"]} == found
    assert {doc["doc_id"] for doc in ran.update["docs"]} == found


async def test_only_what_a_tool_has_brought_can_be_noted(index: Index) -> None:
    """A chunk's id that a document or a model made up never passed the filter."""
    seen = desk_over(index)
    chunk = (await seen("search", query="owner pays")).call["hits"][0]["chunk_id"]
    blind = desk_over(index, filters={"year": 2023})
    guessed = await blind("note", sub_question="q1", chunk=chunk, quote="The owner pays")
    assert (guessed.call["outcome"], guessed.call["remark"]) == ("unknown", NO_PASSAGE["en"])


async def test_what_was_taken_away_since_can_be_noted_no_more(index: Index) -> None:
    desk = desk_over(index)
    chunk = (await desk("search", query="owner pays")).call["hits"][0]["chunk_id"]
    await index.delete("fees", ME)
    assert (await desk("note", sub_question="q1", chunk=chunk, quote="The owner")).call["outcome"] == "unknown"
