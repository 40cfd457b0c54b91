"""What is said of a turn that ended before it looked at anything."""

from __future__ import annotations

from typing import Any

import pytest

from policy.unread import said_unread, unread
from tests.fakes.run import state

TRIED = [{"text": "fee", "gap": None, "round": 0, "new_hits": 1}]
LANE = [{"query": "fee", "lane": "keyword", "hits": 1, "cached": False, "error": None}]
DOC = [{"chunk_id": "c"}]
GRADED = [{"sub_question_id": "q1", "chunk_id": "c", "score": 0.1}]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "unsearched"),
        ({"tried": TRIED, "lanes": LANE, "docs": DOC}, "unread"),
        ({"tried": TRIED}, "unread"),
        ({"tried": TRIED, "lanes": LANE}, None),
        ({"tried": TRIED, "lanes": LANE, "docs": DOC, "graded": GRADED}, None),
        ({"stop_reason": "no_new_evidence"}, None),
        ({"stop_reason": "empty_corpus"}, None),
        ({"stop_reason": "direct"}, None),
    ],
)
def test_only_a_budget_that_ended_the_turn_too_early_counts(changed: dict[str, Any], expected: str | None) -> None:
    asked = state(**{"stop_reason": "call_budget", "language": "zh", **changed})
    assert unread(asked) == expected
    assert (said_unread(asked) is None) == (expected is None)


def test_the_sentence_is_in_the_askers_language_and_names_the_reason() -> None:
    asked = state(stop_reason="token_budget", language="zh")
    assert said_unread(asked) == "尚未检索就已停止：允许的 token 数不够。"


def test_evidence_that_could_not_be_read_again_was_not_read() -> None:
    asked = state(stop_reason="deadline", language="en", tried=TRIED, lanes=LANE, docs=DOC, graded=GRADED)
    assert said_unread(asked, lost=True) == "Stopped before the documents could be read: the time was up."
