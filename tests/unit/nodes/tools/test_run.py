"""Whatever is asked for ends in a call that is kept: wrong, repeated, or carried out."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from corpus.index import Index
from nodes.tools.arguments import TOOLS
from policy.remarks import NO_ITEM, NO_QUOTE, NO_SEARCHES, REPEATED
from tests.fakes.run import dials
from tests.unit.nodes.tools.conftest import desk_over


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("delete_documents", {"doc": "fees"}, "no tool 'delete_documents'"),
        ("search", {}, "query"),
        ("search", {"query": "  "}, "query"),
        ("search", {"query": "x" * 401}, "query"),
        ("search", {"query": "lift", "filter": "year=2024"}, "filter"),
        ("search", {"query": "lift", "filter": {"$nope": 1}}, "operator"),
        ("search", {"query": "lift", "filter": {"year": {"$in": [10**30]}}}, "too large"),
        ("search", {"query": "lift", "principal": {"tenant": "other"}}, "query, filter"),
        ("find", {"doc": "fees", "pattern": ""}, "pattern"),
        ("find", {"doc": "fees", "pattern": "x" * 201}, "pattern"),
        ("open", {"doc": "fees", "position": -1}, "position"),
        ("open", {"doc": "fees", "position": 10**400}, "position"),
        ("open", {"doc": 7, "position": 0}, "doc"),
        ("note", {"sub_question": "q1", "chunk": "c"}, "quote"),
        ("finish", {"answer": "42"}, "it takes"),
    ],
)
async def test_a_wrong_call_is_told_in_one_sentence_and_keeps_no_argument(
    index: Index, tool: str, arguments: dict[str, Any], told: str
) -> None:
    ran = await desk_over(index)(tool, **arguments)
    assert (ran.call["outcome"], ran.call["arguments"], ran.call["hits"], ran.update) == ("wrong", {}, [], {})
    assert told in ran.call["remark"]
    assert "\n" not in ran.call["remark"]
    assert len(ran.call["remark"]) < 300


@pytest.mark.parametrize("tool", ["search", "find", "de\ud800lete"])
async def test_half_a_character_breaks_neither_a_tool_nor_a_checkpoint(index: Index, tool: str) -> None:
    arguments = {"doc": "fees", "pattern": "\ud800"} if tool == "find" else {"query": "lift \ud800"}
    ran = await desk_over(index)(tool, **arguments)
    assert JsonPlusSerializer().dumps_typed(ran.call)[0] == "msgpack"
    assert "\ud800" not in str(ran)


async def test_the_same_call_again_is_answered_from_memory(index: Index) -> None:
    desk = desk_over(index)
    first = await desk("search", query="the lift")
    again = await desk("search", query=" the lift ", filter=None)
    assert (again.call["outcome"], again.call["hits"]) == ("repeated", first.call["hits"])
    assert (again.call["remark"], again.update) == (REPEATED["en"], {})
    assert (await desk("search", query="the lift", filter={"year": 2024})).call["outcome"] == "done"


async def test_a_search_is_counted_and_refused_when_none_is_left(index: Index) -> None:
    desk = desk_over(index, dials=dials(max_searches=1))
    assert (await desk("search", query="lift")).update["spent"]["searches"] == 1
    refused = await desk("search", query="owner")
    assert (refused.call["outcome"], refused.call["remark"], refused.update) == ("refused", NO_SEARCHES["en"], {})
    assert (await desk("find", doc="fees", pattern="owner")).call["outcome"] == "done"


async def test_searches_add_up_and_keep_no_text(index: Index) -> None:
    desk = desk_over(index)
    await desk("search", query="owner pays")
    await desk("search", query="record number 50")
    assert {doc["doc_id"] for doc in desk.state["docs"]} == {"fees", "long"}
    assert [doc["rank"] for doc in desk.state["docs"]] == list(range(1, len(desk.state["docs"]) + 1))
    assert [tried["text"] for tried in desk.state["tried"]] == ["owner pays", "record number 50"]
    assert "The owner pays" not in str(desk.state["tool_calls"])


async def test_a_note_is_the_place_of_a_quote_that_stands_there(index: Index) -> None:
    desk = desk_over(index)
    chunk = (await desk("search", query="owner pays")).call["hits"][0]["chunk_id"]
    for item, quote, remark in (("q9", "The owner", NO_ITEM), ("q1", "The tenant pays", NO_QUOTE)):
        wrong = await desk("note", sub_question=item, chunk=chunk, quote=quote)
        assert (wrong.call["outcome"], wrong.call["remark"]) == ("wrong", remark["en"])
    noted = await desk("note", sub_question="q1", chunk=chunk, quote="owner  pays\nfor")
    assert await desk.text(noted) == ["owner pays for"]
    assert noted.call["arguments"] == {"sub_question": "q1", "chunk": chunk}


def test_there_are_six_tools() -> None:
    assert set(TOOLS) == {"search", "find", "open", "summarize", "note", "finish"}
