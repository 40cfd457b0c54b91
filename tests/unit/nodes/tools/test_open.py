"""The passage at a position, and from its end the next, to the end of the document."""

from __future__ import annotations

from corpus.index import Index
from policy.remarks import PAST_THE_END
from tests.unit.nodes.tools.conftest import LONG, ME, desk_over


async def test_page_by_page_the_whole_document_is_read(index: Index) -> None:
    desk, position, ends = desk_over(index), 0, []
    for _ in range(100):
        ran = await desk("open", doc="long", position=position)
        if ran.call["outcome"] != "done":
            break
        (passage,) = (await index.read([ran.call["hits"][0]["chunk_id"]], ME)).values()
        assert passage.start <= position < passage.end
        assert LONG[passage.start : passage.end] == passage.text
        ends.append(position := passage.end)
    assert (ran.call["outcome"], ends[-1]) == ("nothing", len(LONG))
    assert ran.call["remark"] == PAST_THE_END["en"].format(end=len(LONG))


async def test_around_a_hit_stands_the_passage_that_has_it(index: Index) -> None:
    desk = desk_over(index)
    ran = await desk("open", doc="long", position=LONG.index("number 77 "))
    assert "record number 77 " in (await desk.text(ran))[0]


async def test_a_hole_that_the_filter_leaves_is_passed_over(index: Index) -> None:
    pieces = await index.pieces("long", ME, {"year": 2023})
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)
    assert pieces[-1].end == len(LONG)
    assert not await index.pieces("long", ME, {"year": 2024})
