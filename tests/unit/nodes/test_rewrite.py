from __future__ import annotations

from typing import Any

from context.reasoning import ProposedQuery, Rewrite
from context.retrieval import Passage
from nodes.rewrite import rewrite
from policy import budget
from state import Doc, SubQuestion
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import dials, runtime, state
from tests.unit.policy.test_ledger import evidence

CHECKLIST: list[SubQuestion] = [{"id": "q1", "text": "谁付维修费", "required": True}]


def hit(found: Passage, rank: int = 1) -> Doc:
    return {
        "chunk_id": found.chunk_id,
        "doc_id": found.doc_id,
        "version": found.version,
        "title": found.title,
        "rank": rank,
        "score": 1 / rank,
        "lanes": [],
    }


def later(**changed: Any) -> dict[str, Any]:
    tried = [{"text": "谁付电梯维修费？", "gap": None, "round": 0, "new_hits": 1}]
    gaps = [{"sub_question_id": "q1", "kind": "missing", "text": "谁付维修费", "tried": []}]
    return {"sub_questions": CHECKLIST, "tried": tried, "gaps": gaps, **changed}


async def test_first_round_makes_the_checklist_and_binds_queries_to_it() -> None:
    proposal = Rewrite(
        (("谁付维修费", True), ("维修费多少", False)), (ProposedQuery("维修费承担", 1), ProposedQuery("电梯费用", None))
    )
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [(q["id"], q["required"]) for q in update["sub_questions"]] == [("q1", True), ("q2", False)]
    assert update["rewritten_queries"] == [
        {"text": "维修费承担", "gap": "q1"},
        {"text": "电梯费用", "gap": None},
    ]
    assert (update["retry_count"], update["stop_reason"]) == (0, None)


async def test_a_query_stays_with_its_sub_question_when_another_one_falls() -> None:
    proposal = Rewrite(
        (("30日内谁付", True), (" 谁付维修费", True), ("谁付维修费", False), ("维修费多少", True)),
        (ProposedQuery("付款", 1), ProposedQuery("承担", 2), ProposedQuery("负担", 3), ProposedQuery("金额", 4)),
    )
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [(q["text"], q["required"]) for q in update["sub_questions"]] == [("谁付维修费", True), ("维修费多少", True)]
    assert [query["gap"] for query in update["rewritten_queries"]] == [None, "q1", "q1", "q2"]


async def test_a_query_stays_with_its_sub_question_behind_the_whole_one() -> None:
    proposal = Rewrite((("维修费多少", False), ("谁付电梯维修费？", False)), (ProposedQuery("金额", 1),))
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [q["text"] for q in update["sub_questions"]] == ["谁付电梯维修费？", "维修费多少"]
    assert [query["gap"] for query in update["rewritten_queries"]] == ["q2"]


async def test_what_adds_numbers_names_or_negation_is_dropped() -> None:
    proposal = Rewrite((("30日内谁付", True),), (ProposedQuery("X200 维修", 1), ProposedQuery("不得要求付款", 1)))
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [q["text"] for q in update["sub_questions"]] == ["谁付电梯维修费？"]
    assert update["rewritten_queries"] == []


async def test_without_a_required_one_the_question_itself_becomes_it() -> None:
    proposal = Rewrite((("维修费多少", False),), ())
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [(q["text"], q["required"]) for q in update["sub_questions"]] == [
        ("谁付电梯维修费？", True),
        ("维修费多少", False),
    ]


async def test_at_most_six_sub_questions() -> None:
    proposal = Rewrite(tuple((f"部分{'甲乙丙丁戊己庚辛'[n]}", True) for n in range(8)), ())
    update = await rewrite(state(), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert len(update["sub_questions"]) == 6


async def test_later_rounds_count_and_keep_the_checklist() -> None:
    proposal = Rewrite((("别的", True),), (ProposedQuery("费用由谁承担", 1), ProposedQuery("谁付 电梯维修费？", 1)))
    nearest = passage("维修费用由物业承担")
    docs = [hit(nearest)]
    reasoner = ScriptedReasoner(rewrite=[proposal])
    update = await rewrite(state(**later(docs=docs)), runtime(reasoner, MemoryRetriever([nearest])))
    assert update["retry_count"] == 1
    assert "sub_questions" not in update
    assert update["rewritten_queries"] == [{"text": "费用由谁承担", "gap": "q1"}]
    assert reasoner.rewrite_requests[0].found == (nearest,)


async def test_a_later_round_is_shown_all_that_one_round_grades() -> None:
    found = [passage(f"第 {n} 种情形的维修费用由物业承担") for n in range(20)]
    docs = [hit(one, rank) for rank, one in enumerate(found, start=1)]
    reasoner = ScriptedReasoner(rewrite=[Rewrite((), (ProposedQuery("费用由谁承担", 1),))])
    await rewrite(state(**later(docs=docs)), runtime(reasoner, MemoryRetriever(found)))
    assert len(reasoner.rewrite_requests[0].found) == dials()["grades_per_round"] == 9


async def test_nothing_new_to_try_is_a_stop() -> None:
    proposal = Rewrite((), (ProposedQuery("谁付电梯维修费？", 1),))
    update = await rewrite(state(**later()), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert (update["stop_reason"], update["retry_count"]) == ("no_new_evidence", 1)


async def test_queries_never_exceed_the_search_budget() -> None:
    queries = tuple(ProposedQuery(f"角度{'甲乙丙丁戊'[n]}", 1) for n in range(5))
    proposal = Rewrite((), queries)
    first = await rewrite(state(dials=dials(max_searches=3)), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert len(first["rewritten_queries"]) == 2
    spent = budget.settle(budget.nothing_spent(), searches=15)
    again = await rewrite(state(**later(spent=spent)), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert len(again["rewritten_queries"]) == 1


SPLIT = Rewrite((("谁付", True),), (ProposedQuery("费用", 1),))
CITIES = MemoryRetriever([passage("费用")], fields={"city": ["上海市", "北京市"], "year": [2024]})


async def test_a_value_that_the_question_names_is_proposed_as_a_filter() -> None:
    update = await rewrite(state("上海市2024年谁付？"), runtime(ScriptedReasoner(rewrite=[SPLIT]), CITIES))
    assert update["proposed_filter"] == {"city": "上海市", "year": 2024}


async def test_a_field_of_the_callers_own_filter_is_not_proposed_again() -> None:
    asked = state("上海市2024年谁付？", filters={"city": "北京市"})
    update = await rewrite(asked, runtime(ScriptedReasoner(rewrite=[SPLIT]), CITIES))
    assert update["proposed_filter"] == {"year": 2024}


async def test_a_later_round_keeps_the_proposal() -> None:
    asked = state("上海市谁付？", **later(proposed_filter={"city": "上海市"}))
    again = Rewrite((), (ProposedQuery("承担", 1),))
    update = await rewrite(asked, runtime(ScriptedReasoner(rewrite=[again]), MemoryRetriever()))
    assert {**asked, **update}["proposed_filter"] == {"city": "上海市"}


TWO: list[SubQuestion] = [*CHECKLIST, {"id": "q2", "text": "影像保存多久", "required": True}]
GAPS = [{"sub_question_id": q["id"], "kind": "missing", "text": q["text"], "tried": []} for q in TWO]


async def queries_of(*proposed: ProposedQuery, **changed: Any) -> list[tuple[str, str | None]]:
    asked = later(**{"sub_questions": TWO, "gaps": GAPS, **changed})
    update = await rewrite(state(**asked), runtime(ScriptedReasoner(rewrite=[Rewrite((), proposed)])))
    return [(query["text"], query["gap"]) for query in update["rewritten_queries"]]


async def test_a_later_query_that_names_no_gap_goes_to_the_nearest() -> None:
    proposed = [ProposedQuery("影像留存期限", None), ProposedQuery("费用", 9), ProposedQuery("承担维修", 1)]
    assert await queries_of(*proposed) == [("影像留存期限", "q2"), ("费用", "q1"), ("承担维修", "q1")]


async def test_later_queries_aim_at_open_gaps_and_at_nothing_else() -> None:
    proposed = [ProposedQuery("费用承担", 1), ProposedQuery("留存期限", 2)]
    assert await queries_of(*proposed, gaps=GAPS[1:]) == [("留存期限", "q2")]


async def test_a_query_in_other_order_case_or_width_was_tried() -> None:
    tried = [{"text": "Lift repair fee", "gap": "q1", "round": 0, "new_hits": 1}]
    proposed = [ProposedQuery("repair fee LIFT", 1), ProposedQuery("ｌｉｆｔ repair fee?", 1), ProposedQuery("承担", 1)]
    assert await queries_of(*proposed, tried=tried) == [("承担", "q1")]


async def test_a_later_query_may_name_what_evidence_brought_and_nothing_that_was_only_found() -> None:
    known, near = passage("维修费由深圳的物业付"), passage("维修费由上海的业主付")
    books = [{"sub_question_id": "q1", "evidence": [evidence("q1", known.chunk_id, 0.6)]}]
    proposal = Rewrite((), (ProposedQuery("深圳物业的费用", 1), ProposedQuery("上海业主的费用", 1)))
    asked = state(**later(ledger=books, docs=[hit(known), hit(near, 2)]))
    update = await rewrite(asked, runtime(ScriptedReasoner(rewrite=[proposal]), MemoryRetriever([known, near])))
    assert [query["text"] for query in update["rewritten_queries"]] == ["深圳物业的费用"]


async def test_a_barren_round_is_told_with_what_changes() -> None:
    proposal = Rewrite((), (ProposedQuery("费用承担", 1),))
    update = await rewrite(state(**later()), runtime(ScriptedReasoner(rewrite=[proposal])))
    assert [(s["sub_question_id"], s["barren"], s["change"]) for s in update["strategies"]] == [("q1", 1, "deeper")]


async def test_when_every_gap_is_closed_nobody_is_asked_for_queries() -> None:
    closed = {"sub_question_id": "q1", "best": 0.0, "barren": 2, "change": "closed", "documents": []}
    reasoner = ScriptedReasoner()
    update = await rewrite(state(**later(strategies=[closed])), runtime(reasoner))
    assert (update["stop_reason"], update["rewritten_queries"], reasoner.calls) == ("no_new_evidence", [], [])


async def test_a_plan_made_beside_the_route_is_not_made_again() -> None:
    reasoner = ScriptedReasoner()
    asked = state(sub_questions=CHECKLIST, rewritten_queries=[{"text": "费用承担", "gap": "q1"}])
    update = await rewrite(asked, runtime(reasoner, CITIES))
    assert reasoner.calls == []
    assert {**asked, **update}["rewritten_queries"] == asked["rewritten_queries"]
    assert update["stop_reason"] is None
