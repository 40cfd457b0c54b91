"""The loop and the agent beside modes that look once, worked out by hand."""

from __future__ import annotations

import pytest

from evals.again import by_kind, overall, pooled
from evals.outcome import mcnemar
from tests.unit.evals.test_compare import asked

HYBRID = asked("hybrid", "1100", searches=1)
LOOP = asked("loop", "0111", searches=3)
AGENT = asked("agent", "1111", searches=2)


def test_each_that_looks_again_stands_beside_each_that_looks_once() -> None:
    found = overall([*HYBRID, *asked("self_query", "1110"), *asked("bm25", "0000"), *LOOP, *AGENT])
    assert [(c.other, c.base) for c in found] == [
        ("loop", "hybrid"),
        ("loop", "self_query"),
        ("agent", "hybrid"),
        ("agent", "self_query"),
    ]
    first = found[0]
    assert (first.only_base, first.only_other, first.gain.mean) == (1, 2, 0.25)
    assert all(c.adjusted_p >= c.p for c in found)


def test_what_was_not_asked_is_not_compared() -> None:
    assert overall(HYBRID) == []
    assert [(c.other, c.base) for c in overall([*HYBRID, *LOOP])] == [("loop", "hybrid")]


def test_kinds_are_compared_each_and_counted_together() -> None:
    records = [
        *asked("hybrid", "10", kind="easy"),
        *asked("loop", "11", kind="easy"),
        *(one for mode in ("hybrid", "loop") for one in asked(mode, "000", kind="hard", set="made")[2:]),
    ]
    found = by_kind(records)
    assert [(c.kind, c.questions, c.gain.mean) for c in found] == [("easy", 2, 0.5), ("hard", 1, 0.0)]
    assert by_kind([*HYBRID, *LOOP]) == [], "one kind is no kind"


def test_sets_together_count_each_question_once() -> None:
    [one] = overall([*HYBRID, *LOOP])
    [other] = overall([*asked("hybrid", "0" * 6, searches=1), *asked("loop", "1" * 6, searches=2)])
    both = pooled([one, other])
    assert (both.questions, both.only_base, both.only_other) == (10, 1, 8)
    assert (both.base_right, both.other_right) == (0.2, 0.9)
    assert both.gain.mean == pytest.approx(0.7)
    assert both.p == mcnemar(1, 8)
    assert (both.price.gained, both.price.extra.searches) == (7, 4 * 2 + 6 * 1)
    assert pooled([one]).gain == one.gain, "alone it is what it was"
