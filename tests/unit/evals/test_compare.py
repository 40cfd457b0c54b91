"""Comparisons worked out by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from evals.compare import beside, by_kind
from evals.overview import NOTHING
from evals.price import NO_GAIN, NO_MORE, Cost, Price
from evals.record import Record
from tests.unit.evals.records import record, refused


def asked(mode: str, right: str, **more: object) -> list[Record]:
    """A question a digit: 1 is right, 0 is not."""
    return [(record if told == "1" else refused)(n, mode=mode, **more) for n, told in enumerate(right)]


BASE = asked("hybrid", "1100000000", searches=1, model_calls=2, tokens=1_000)
LOOP = asked("loop", "1011111110", searches=3, model_calls=5, tokens=4_000)


def test_a_comparison_worked_out_by_hand() -> None:
    [found] = beside([*BASE, *LOOP], "hybrid")
    assert (found.base, found.other, found.questions) == ("hybrid", "loop", 10)
    assert (found.only_base, found.only_other) == (1, 7)
    assert (found.base_right, found.other_right) == (0.2, 0.8)
    assert found.gain.mean == pytest.approx(0.6)
    assert 0 < found.gain.low < 0.6 < found.gain.high <= 0.8 + 0.2
    assert found.p == found.adjusted_p == pytest.approx(binomtest(1, 8).pvalue)
    assert found.price == Price(6, Cost(20, 30, 30_000, 0.0))
    assert found.price.each("model_calls") == 5
    assert found.price.told("tokens", ",.0f") == "5,000"


def test_an_interval_above_nought_is_not_certain_while_the_test_says_that_it_may_be_chance() -> None:
    [few] = beside([*asked("a", "000"), *asked("b", "111")], "a")
    assert few.gain.low == 1.0
    assert not few.certain
    [many] = beside([*asked("a", "0" * 12), *asked("b", "1" * 12)], "a")
    assert many.certain
    [worse] = beside([*asked("a", "1" * 12), *asked("b", "0" * 12)], "a")
    assert worse.certainly_worse
    assert not worse.certain


def test_looking_at_more_modes_makes_each_less_certain() -> None:
    six = [*asked("a", "0" * 6), *asked("b", "1" * 6)]
    [alone] = beside(six, "a")
    assert alone.certain
    among = beside([*six, *asked("c", "000000"), *asked("d", "100000")], "a")
    assert [round(c.adjusted_p, 3) for c in among] == [0.094, 1.0, 1.0]
    assert not among[0].certain


def test_only_questions_asked_in_both_modes_count() -> None:
    [found] = beside([*asked("a", "11"), *asked("b", "1000")], "a")
    assert (found.questions, found.other_right) == (2, 0.5)
    assert beside(asked("a", "1"), "a") == []
    assert beside([*asked("a", "1"), record(99, mode="b")], "a") == []


@pytest.mark.parametrize("name", ["set", "knowledge", "asked"])
def test_of_another_set_knowledge_or_wording_it_is_another_question(name: str) -> None:
    assert beside([*asked("a", "11"), *asked("b", "11", **{name: "other"})], "a") == []


def test_a_repeated_question_counts_once() -> None:
    base = [record(1, mode="a"), refused(2, mode="a"), refused(2, mode="a", repeat=1)]
    other = [record(1, mode="b", searches=4), record(2, mode="b", searches=2), refused(2, mode="b", repeat=1)]
    [found] = beside([*base, *other], "a")
    assert found.questions == 2
    assert (found.base_right, found.other_right) == (0.5, 0.75)
    assert (found.only_base, found.only_other) == (0, 1)
    assert found.price.extra.searches == 5


def test_kinds_show_what_the_average_hides() -> None:
    records = [
        *asked("a", "1111", kind="single"),
        *asked("b", "0000", kind="single"),
        *(r for r in asked("a", "00000000", kind="several") if int(r.id[1:]) > 3),
        *(r for r in asked("b", "11111111", kind="several") if int(r.id[1:]) > 3),
    ]
    [average] = beside(records, "a")
    assert average.gain.mean == 0
    assert {c.kind: c.gain.mean for c in by_kind(records, "a")} == {"single": -1.0, "several": 1.0}
    assert by_kind([*asked("a", "10"), *asked("b", "01")], "a") == []


def test_a_price_is_never_negative_and_none_without_a_gain() -> None:
    dearer = Cost(2, 0, 10, None)
    assert Price(0, dearer).told("searches") == Price(-3, dearer).told("searches") == NO_GAIN
    assert Price(-3, Cost(-9, -9, -9, -9)).each("tokens") is None
    assert Price(4, Cost(-2, 0, 6, 0.0)).each("searches") == 0
    assert Price(4, Cost(-2, 0, 6, 0.0)).told("searches") == NO_MORE
    assert Price(4, dearer).told("tokens") == "2.5"
    assert Price(4, dearer).told("money") == NOTHING


def test_money_is_not_known_where_a_model_without_a_price_was_called() -> None:
    [found] = beside([*asked("a", "0", cost=0.0), *asked("b", "1", cost=None)], "a")
    assert found.price.extra.money is None
    [found] = beside([*asked("a", "0", cost=0.5), *asked("b", "1", cost=2.0)], "a")
    assert found.price.each("money") == 1.5
