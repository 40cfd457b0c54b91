"""However an inverted index came about, it is the one of its rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpus.segments.inverted import Inverted, term

ROWS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=8)


def inverted(rows: list[list[str]]) -> Inverted:
    return Inverted.of(map(Counter, rows))


def same(one: Inverted, other: Inverted) -> None:
    for name in ("terms", "starts", "rows", "frequencies", "lengths"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@given(ROWS)
def test_every_row_has_its_tokens_as_often_as_they_occur(rows: list[list[str]]) -> None:
    index = inverted(rows)
    columns = index.find(np.array([term(token) for token in "abcdefgh"], np.uint64))
    for token, column in zip("abcdefgh", columns.tolist(), strict=True):
        having = [(row, tokens.count(token)) for row, tokens in enumerate(rows) if token in tokens]
        if column < 0:
            assert not having
        else:
            entries = index.entries(column)
            assert list(zip(index.rows[entries].tolist(), index.frequencies[entries].tolist(), strict=True)) == having
    assert index.lengths.tolist() == [len(tokens) for tokens in rows]


@given(ROWS, st.data())
def test_taking_rows_leaves_no_trace_of_the_others(rows: list[list[str]], data: st.DataObject) -> None:
    kept = [row for row in range(len(rows)) if data.draw(st.booleans())]
    same(inverted(rows).take(np.array(kept, np.intp)), inverted([rows[row] for row in kept]))


@given(ROWS, ROWS)
def test_merging_gives_the_index_of_all_rows(one: list[list[str]], other: list[list[str]]) -> None:
    total = len(one) + len(other)
    own = np.sort(np.random.default_rng(total).permutation(total)[: len(one)]).astype(np.int32)
    others = np.setdiff1d(np.arange(total, dtype=np.int32), own)
    whole: list[list[str]] = [[] for _ in range(total)]
    for places, rows in ((own, one), (others, other)):
        for place, tokens in zip(places.tolist(), rows, strict=True):
            whole[place] = tokens
    same(inverted(one).merged(own, inverted(other), others), inverted(whole))


def test_frequencies_of_any_size_are_kept() -> None:
    one, many = Inverted.of([{"a": 3}]), Inverted.of([{"a": 70_000}])
    first, second = np.array([0], np.int32), np.array([1], np.int32)
    assert one.merged(first, many, second).frequencies.tolist() == [3, 70_000]
    assert many.merged(first, one, second).frequencies.tolist() == [70_000, 3]


@given(ROWS)
def test_the_terms_of_rows_are_named_once_a_row(rows: list[list[str]]) -> None:
    index = inverted(rows)
    for row, tokens in enumerate(rows):
        named = index.terms[index.terms_of(np.array([row]))].tolist()
        assert sorted(named) == sorted(term(token) for token in set(tokens))
