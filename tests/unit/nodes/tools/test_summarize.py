"""A summary is quotes that stand in the document, and costs a model call."""

from __future__ import annotations

from context.reasoning import Reasoned, Usage
from context.tools import Point, SummaryRequest
from corpus.index import Index
from policy.remarks import NO_POINT, NO_ROOM
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.run import dials
from tests.unit.nodes.tools.conftest import Desk, desk_over

USAGE = (Usage("m", 50, 5, estimated=False),)


def summing(desk: Desk, *quotes: str) -> Desk:
    """A desk whose model picks these quotes of the passage that it is shown first, and one of a chunk it is not."""

    def summarize(request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        first = request.passages[0].chunk_id
        return Reasoned((*(Point(first, quote) for quote in quotes), Point("elsewhere#1", "The lift")), USAGE)

    desk.reasoner = ScriptedReasoner(summarize=summarize)
    return desk


async def test_what_does_not_stand_in_the_document_is_left_out(index: Index) -> None:
    desk = summing(desk_over(index), "The owner pays", "I made this up")
    ran = await desk("summarize", doc="fees", question="who pays")
    assert await desk.text(ran) == ["The owner pays"]
    assert ran.update["spent"]["model_calls"] == 1
    assert ran.call["arguments"] == {"doc": "fees", "question": "who pays"}


async def test_nothing_said_is_told(index: Index) -> None:
    ran = await summing(desk_over(index))("summarize", doc="fees", question="when")
    assert (ran.call["outcome"], ran.call["remark"]) == ("nothing", NO_POINT["en"])


async def test_of_a_long_document_a_search_inside_it_picks_what_is_read(index: Index) -> None:
    desk = summing(desk_over(index, filters={"year": 2023}), "x")
    ran = await desk("summarize", doc="long", question="record number 97")
    (request,) = desk.reasoner.summary_requests
    assert any("number 97 " in passage.text for passage in request.passages)
    assert {passage.doc_id for passage in request.passages} == {"long"}
    assert ran.update["spent"]["searches"] == 1


async def test_without_room_for_a_call_it_is_refused(index: Index) -> None:
    desk = summing(desk_over(index, dials=dials(max_model_calls=2)), "x")
    ran = await desk("summarize", doc="fees", question="who pays")
    assert (ran.call["outcome"], ran.call["remark"]) == ("refused", NO_ROOM["en"])
    assert not desk.reasoner.calls
