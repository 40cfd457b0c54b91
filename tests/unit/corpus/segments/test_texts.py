"""Texts in arrays are the texts, in the order of their characters."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpus.segments.texts import Interned, Texts, interleaved

ANY = st.lists(st.text(max_size=6), max_size=8)
SORTED = st.sets(st.text(max_size=4), max_size=10).map(sorted)


@given(ANY)
def test_texts_come_back(texts: list[str]) -> None:
    table = Texts.of(texts)
    assert (list(table), [table[n] for n in range(len(table))]) == (texts, texts)


@given(SORTED, st.text(max_size=4))
def test_a_sorted_table_is_searched_as_a_list_is(texts: list[str], wanted: str) -> None:
    table = Texts.of(texts)
    assert table.lower_bound(wanted) == bisect_left(texts, wanted)
    assert table.find(wanted) == (texts.index(wanted) if wanted in texts else None)


def test_lone_surrogates_are_kept() -> None:
    assert list(Texts.of(["\ud800", "电梯😀"])) == ["\ud800", "电梯😀"]


@given(ANY, ANY, st.data())
def test_taking_and_joining_are_those_of_lists(one: list[str], other: list[str], data: st.DataObject) -> None:
    both = one + other
    places = data.draw(st.lists(st.integers(0, len(both) - 1))) if both else []
    chosen = [both[place] for place in places]
    assert list(Texts.of(one).then(Texts.of(other)).take(np.array(places, np.intp))) == chosen
    column = Interned.of(one).then(Interned.of(other)).take(np.array(places, np.intp))
    assert [column[row] for row in range(len(places))] == chosen
    assert sorted(column.values) == sorted(set(chosen))


@given(SORTED, SORTED)
def test_two_sorted_tables_interleave(one: list[str], other: list[str]) -> None:
    other = [text for text in other if text not in one]
    own, others = interleaved(Texts.of(one), Texts.of(other))
    whole = sorted(one + other)
    assert [whole[place] for place in own.tolist()] == one
    assert [whole[place] for place in others.tolist()] == other
