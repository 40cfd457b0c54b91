from __future__ import annotations

from reasoner.feedback import FEEDBACK_TERMS, expansion, queries_for_gap
from tests.fakes.retriever import passage


def idf(term: str) -> float:
    return 0.1 if term == "电梯" else 2.0


def test_terms_come_from_what_was_found_and_not_from_the_question() -> None:
    terms = expansion("电梯录像", [passage("电梯监控影像的保存期限"), passage("影像调取")], idf)
    assert terms[0] == "影像"
    assert "电梯" not in terms
    assert len(terms) <= FEEDBACK_TERMS


def test_numbers_and_negation_are_never_added() -> None:
    terms = expansion("影像", [passage("不得删除，保存30日，X200 型号，未登记人员")], idf)
    assert not any(any(c.isdigit() for c in term) or "不" in term or "未" in term for term in terms)


def test_each_attempt_looks_from_another_side_and_then_there_is_none() -> None:
    sides = [queries_for_gap("录像保存多久？", attempt, ["监控", "影像"]) for attempt in (1, 2, 3, 4)]
    assert sides[0] == ["录像保存多久？ 监控 影像"]
    assert sides[1] == ["监控 影像"]
    assert sides[2] == ["录像 保存 多久"]
    assert sides[3] == []


def test_without_terms_only_the_gaps_own_words_are_left() -> None:
    assert [queries_for_gap("录像", attempt, []) for attempt in (1, 2)] == [["录像"], []]
