from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from context.reasoning import GradeRequest, RewriteRequest, RouteRequest
from context.retrieval import Passage, Principal, Vectors
from context.tools import Point, SummaryRequest
from reasoner.grading import EMBEDDER, EMBEDDERS
from reasoner.offline import OfflineReasoner
from state import SubQuestion, Turn
from tests.fakes.retriever import passage
from tests.unit.reasoner.test_feedback import CountedStatistics

TURN: Turn = {"question": "电梯坏了谁修？", "standalone": "电梯坏了谁修？", "answer": "物业修[1]。"}
CHECKLIST: tuple[SubQuestion, ...] = ({"id": "q1", "text": "维修费由谁承担", "required": True},)
FOUND = [passage("维修费由物业承担。", doc_id="fees"), passage("食堂十二点开门。", doc_id="canteen")]


class Watched(CountedStatistics):
    """Statistics that know which threads asked for them, and how often cosines were."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        super().__init__(passages)
        self.threads: set[int] = set()
        self.compared = 0
        self.patience: list[float | None] = []

    def idf(self, token: str, principal: Principal) -> float:
        self.threads.add(threading.get_ident())
        return super().idf(token, principal)

    async def similarities(
        self, texts: Sequence[str], chunk_ids: Sequence[str], principal: Principal, timeout_s: float | None = None
    ) -> Vectors | None:
        self.compared += 1
        self.patience.append(timeout_s)
        return await super().similarities(texts, chunk_ids, principal)


def grading_of(*found: Passage) -> GradeRequest:
    return GradeRequest("维修费由谁承担？", "zh", CHECKLIST, found, (), (), Principal(), 1.0)


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("那谁付？", "电梯 坏 修 那谁付？"),
        ("它归谁管？", "电梯 坏 修 它归谁管？"),
        ("维修费", "电梯 坏 修 维修费"),
        ("影像保存多少天？", "影像保存多少天？"),
    ],
)
async def test_only_a_follow_up_carries_the_question_before_it(question: str, standalone: str) -> None:
    reasoner = OfflineReasoner(CountedStatistics(FOUND), None)
    route = (await reasoner.route(RouteRequest(question, "zh", (TURN,), 1.0))).value
    assert (route.need_retrieval, route.standalone) == (True, standalone)


async def test_a_follow_up_about_another_model_does_not_carry_the_one_before() -> None:
    before: Turn = {"question": "X200水泵保修多久？", "standalone": "X200水泵保修多久？", "answer": "两年[1]。"}
    reasoner = OfflineReasoner(CountedStatistics(FOUND), None)
    route = (await reasoner.route(RouteRequest("那X300呢？", "zh", (before,), 1.0))).value
    assert "X300" in route.standalone
    assert "x200" not in route.standalone.lower()
    assert "水泵" in route.standalone


async def test_without_an_embedder_the_shared_words_grade() -> None:
    reasoner = OfflineReasoner(CountedStatistics(FOUND), None)
    judged = (await reasoner.grade(grading_of(*FOUND))).value
    assert [(j.chunk_id, j.band) for j in judged] == [(FOUND[0].chunk_id, "direct"), (FOUND[1].chunk_id, "irrelevant")]
    assert judged[0].quote == FOUND[0].text


def for_gap() -> RewriteRequest:
    gap = {"sub_question_id": "q1", "kind": "missing", "text": "谁承担", "tried": []}
    tried = {"text": "谁承担", "gap": None, "round": 0, "new_hits": 1}
    return RewriteRequest(
        "谁承担？",
        "zh",
        (),
        CHECKLIST,
        gaps=(gap,),  # type: ignore[arg-type]  # a plain dict
        tried=(tried,),  # type: ignore[arg-type]  # a plain dict
        ledger=(),
        found=tuple(FOUND),
        principal=Principal(),
        timeout_s=1.0,
    )


async def test_words_are_cut_and_weighed_beside_the_event_loop() -> None:
    statistics = Watched(FOUND)
    reasoner = OfflineReasoner(statistics, None)
    await reasoner.grade(grading_of(*FOUND))
    await reasoner.rewrite(for_gap())
    assert statistics.threads
    assert threading.get_ident() not in statistics.threads


async def test_cosines_of_an_embedder_it_was_not_fitted_to_are_not_asked_for() -> None:
    statistics = Watched(FOUND)
    for embedder, asked in (("another", 0), (None, 0), (EMBEDDER, 1), (EMBEDDERS[-1], 2)):
        await OfflineReasoner(statistics, embedder).grade(grading_of(*FOUND))
        assert statistics.compared == asked


async def test_cosines_are_waited_for_no_longer_than_leaves_time_to_decide_without() -> None:
    statistics = Watched(FOUND)
    reasoner = OfflineReasoner(statistics, EMBEDDER)
    await reasoner.grade(grading_of(*FOUND))
    await reasoner.rewrite(for_gap())
    assert statistics.patience == [0.5, 0.5]


async def test_a_summary_quotes_what_would_pass_and_nothing_else() -> None:
    passages = (
        Passage("a", "d", "v", "T", "", "The owner pays for the lift."),
        Passage("b", "d", "v", "T", "", "The canteen opens at noon."),
    )
    asked = SummaryRequest("who pays for the lift", "en", passages, Principal(), 5.0)
    said = await OfflineReasoner(CountedStatistics(passages), None).summarize(asked)
    assert said.value == (Point("a", "The owner pays for the lift."),)
    assert said.usage == ()
