from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from context.retrieval import Passage, Principal, Vectors
from reasoner.feedback import FEEDBACK_TERMS, expansion, queries_for_gap
from tests.fakes.retriever import passage
from text.tokens import tokens


class CountedStatistics:
    """Statistics over a handful of passages; common words weigh as little as they should."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._df = Counter(token for p in passages for token in set(tokens(p.text)))

    def tokens(self, text: str) -> list[str]:
        return tokens(text)

    def idf(self, token: str, principal: Principal) -> float:
        return 1 / (1 + self._df[token])

    def document_frequency(self, token: str, principal: Principal) -> int:
        return self._df[token]

    async def similarities(
        self, texts: Sequence[str], chunk_ids: Sequence[str], principal: Principal, timeout_s: float | None = None
    ) -> Vectors | None:
        return None


FOUND = [
    passage("电梯监控影像应当封存", doc_id="rules"),
    passage("号楼的监控影像已经封存，号楼住户不得删除", doc_id="cases"),
]
UNSEEN = [passage("调取监控影像的期限为7日，不得拖延", doc_id="terms"), passage("号楼住户的车位", doc_id="parking")]


def terms(question: str, found: Sequence[Passage] = FOUND) -> list[str]:
    return expansion(question, found, CountedStatistics([*FOUND, *UNSEEN]), Principal())


def test_terms_are_shared_by_documents_lead_to_unseen_passages_and_are_not_the_askers() -> None:
    assert set(terms("电梯录像")) == {"监控", "影像"}
    assert terms("监控录像") == ["影像"]


def test_a_lone_documents_own_words_count_when_there_is_no_other() -> None:
    assert "住户" in terms("录像", FOUND[1:])
    assert "住户" not in terms("录像")


def test_numbers_and_negation_are_never_added() -> None:
    found = terms("录像", [UNSEEN[0], FOUND[1]])
    assert not any(any(c.isdigit() for c in term) or "不" in term for term in found)
    assert len(found) <= FEEDBACK_TERMS


def test_nothing_found_gives_no_terms() -> None:
    assert terms("录像", []) == []


def test_each_attempt_looks_from_another_side_and_then_there_is_none() -> None:
    sides = [queries_for_gap("录像保存多久？", attempt, ["监控", "影像"]) for attempt in (1, 2, 3, 4)]
    assert sides[0] == ["录像保存多久？ 监控 影像"]
    assert sides[1] == ["监控 影像"]
    assert sides[2] == ["录像 保存 多久"]
    assert sides[3] == []


def test_without_terms_only_the_gaps_own_words_are_left() -> None:
    assert [queries_for_gap("录像", attempt, []) for attempt in (1, 2)] == [["录像"], []]
