"""What a grader got wrong is made good, and counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import BANDS, Judgement, band_of
from evidence import NO_REPAIRS, Band, Repairs, added
from nodes.repair import repaired
from state import SubQuestion
from tests.fakes.retriever import passage
from text.quotes import locate

ONE, TWO = passage("影像保存30日。", doc_id="one"), passage("由物业承担。", doc_id="two")
PASSAGES = {p.chunk_id: p for p in (ONE, TWO)}
ASKED: list[SubQuestion] = [{"id": "q1", "text": "保存多久", "required": True}]


def judged(chunk: str = "one#1", band: Band = "direct", score: float = 0.95, quote: str = "保存30日") -> Judgement:
    return Judgement("q1", chunk, quote, "它说了", band, score)


WHOLE = (judged(), judged("two#1", "irrelevant", 0.1, ""))


def test_grades_that_are_right_stay_as_they_are() -> None:
    assert repaired(WHOLE, ASKED, PASSAGES) == (list(WHOLE), NO_REPAIRS)


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        ((), {"missing": 2}),
        (WHOLE[:1], {"missing": 1}),
        ((*WHOLE, judged("nowhere#1")), {"dropped": 1}),
        ((*WHOLE, judged(score=0.91)), {"dropped": 1}),
        ((judged(score=0.3), WHOLE[1]), {"rescored": 1}),
        ((judged(score=float("nan")), WHOLE[1]), {"rescored": 1}),
        ((judged(quote="保存90日"), WHOLE[1]), {"unquoted": 1}),
        ((judged(quote=""), WHOLE[1]), {"unquoted": 1}),
    ],
)
def test_each_fault_is_counted(given: tuple[Judgement, ...], counted: dict[str, int]) -> None:
    assert repaired(given, ASKED, PASSAGES)[1] == {**NO_REPAIRS, **counted}


@pytest.mark.parametrize(
    ("band", "score", "below", "left"),
    [("direct", 0.99, "inference", 0.89), ("inference", 0.8, "partial", 0.69), ("partial", 0.6, "irrelevant", 0.49)],
)
def test_a_quote_that_stands_nowhere_costs_one_band(band: Band, score: float, below: Band, left: float) -> None:
    (found, *_), _ = repaired([judged(band=band, score=score, quote="编造的话")], ASKED, PASSAGES)
    assert (found.band, found.score) == (below, left)


def test_what_has_no_quote_of_its_own_contradicts_nothing() -> None:
    pair = (
        Judgement("q1", "one#1", "保存30日", "", "direct", 0.9, ("two#1",)),
        Judgement("q1", "two#1", "编造的话", "", "direct", 0.9, ("one#1",)),
    )
    assert [j.contradicts for j in repaired(pair, ASKED, PASSAGES)[0]] == [(), ()]


def test_counts_add_up() -> None:
    one: Repairs = {"missing": 1, "dropped": 2, "rescored": 3, "unquoted": 4}
    assert added(one, None, one) == {"missing": 2, "dropped": 4, "rescored": 6, "unquoted": 8}
    assert added(None) == NO_REPAIRS


BANDED = st.sampled_from(list(BANDS))
GIVEN = st.builds(
    judged,
    st.sampled_from(["one#1", "two#1", "nowhere#1"]),
    BANDED,
    st.floats(),
    st.sampled_from(["", "保存30日", "由物业", "编造的话"]),
)


@given(st.lists(GIVEN, max_size=5))
def test_whatever_comes_is_in_its_band_quoted_and_accounted_for(given: list[Judgement]) -> None:
    found, counted = repaired(given, ASKED, PASSAGES)
    assert len(found) + counted["dropped"] == len(given)
    assert len(found) + counted["missing"] == 2
    for judgement in found:
        assert judgement.band == band_of(judgement.score)
        if judgement.band == "direct":
            assert locate(judgement.quote, PASSAGES[judgement.chunk_id].text) is not None
