"""Inside one document: places in its order, capped, whatever the pattern."""

from __future__ import annotations

import pytest

from corpus.index import Index
from nodes.tools.find import MOST
from policy.remarks import MORE, NOTHING
from tests.unit.nodes.tools.conftest import LONG, desk_over
from tests.unit.text.test_patterns import EVIL


async def test_places_come_in_the_order_of_the_document_and_are_capped(index: Index) -> None:
    desk = desk_over(index)
    ran = await desk("find", doc="long", pattern="record number")
    assert (len(ran.call["hits"]), ran.call["remark"]) == (MOST, MORE["en"])
    read = await index.read([hit["chunk_id"] for hit in ran.call["hits"]], desk.principal)
    positions = [read[hit["chunk_id"]].start + hit["start"] for hit in ran.call["hits"]]
    assert positions == sorted(positions)
    assert {LONG[position : position + 13] for position in positions} == {"record number"}


async def test_a_regular_expression_finds_each_place_once_though_passages_overlap(index: Index) -> None:
    desk = desk_over(index)
    ran = await desk("find", doc="long", pattern=r"record number \d0 ", regex=True)
    assert await desk.text(ran) == [f"record number {n}0 " for n in range(1, 9)]


async def test_as_a_text_a_pattern_means_itself(index: Index) -> None:
    ran = await desk_over(index)("find", doc="long", pattern=r"record number \d0")
    assert (ran.call["outcome"], ran.call["remark"]) == ("nothing", NOTHING["en"])


@pytest.mark.parametrize("pattern", EVIL)
async def test_no_pattern_hangs(index: Index, pattern: str) -> None:
    ran = await desk_over(index)("find", doc="long", pattern=pattern, regex=True)
    assert ran.call["outcome"] in ("done", "nothing")


async def test_a_broken_pattern_is_told_in_one_sentence(index: Index) -> None:
    ran = await desk_over(index)("find", doc="long", pattern="(lift", regex=True)
    assert (ran.call["outcome"], ran.call["arguments"]) == ("wrong", {})
    assert "missing )" in ran.call["remark"]
