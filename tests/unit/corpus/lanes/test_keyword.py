"""The sparse lane scores as BM25Okapi does and orders sensibly where that is zero."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from corpus.lanes.keyword import scores, scores_at, search
from corpus.lanes.postings import Postings
from text.tokens import tokens

TOKENS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
CORPUS = st.lists(TOKENS, min_size=1, max_size=12).filter(any)


def post(corpus: list[list[str]]) -> Postings:
    return Postings.of(Counter(chunk) for chunk in corpus)


def index(*texts: str) -> Postings:
    return post([tokens(text) for text in texts])


def found(postings: Postings, query: str, depth: int = 10) -> list[int]:
    return [match.place for match in search(postings, tokens(query), depth)]


@given(CORPUS, TOKENS)
def test_scores_are_okapis(corpus: list[list[str]], query: list[str]) -> None:
    expected = BM25Okapi(corpus).get_scores(query)
    np.testing.assert_allclose(scores(post(corpus), query), expected, atol=1e-9)


@given(CORPUS, TOKENS, st.integers(1, 14))
def test_hits_share_a_token_and_reported_scores_are_okapis(
    corpus: list[list[str]], query: list[str], depth: int
) -> None:
    sharing = {place for place, chunk in enumerate(corpus) if set(chunk) & set(query)}
    matches = search(post(corpus), query, depth)
    expected = BM25Okapi(corpus).get_scores(query)
    assert {match.place for match in matches} <= sharing
    assert len(matches) == min(depth, len(sharing))
    assert all(match.score == pytest.approx(expected[match.place], abs=1e-9) for match in matches)


@given(CORPUS, TOKENS, st.integers(1, 14))
def test_a_smaller_depth_is_the_beginning_of_a_larger_one(
    corpus: list[list[str]], query: list[str], depth: int
) -> None:
    postings = post(corpus)
    assert search(postings, query, depth) == search(postings, query, 100)[:depth]


@given(CORPUS, TOKENS, st.data())
def test_a_mask_only_takes_away(corpus: list[list[str]], query: list[str], data: st.DataObject) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(corpus), max_size=len(corpus))))
    postings = post(corpus)
    allowed = [match for match in search(postings, query, 100) if mask[match.place]]
    assert search(postings, query, 100, mask) == allowed


@given(CORPUS, TOKENS)
def test_values_are_plain(corpus: list[list[str]], query: list[str]) -> None:
    """Case A1: a numpy number must never leave the lane."""
    for match in search(post(corpus), query, 5):
        assert (type(match.place), type(match.score)) == (int, float)


@pytest.mark.parametrize("texts", [(), ("",), ("", "。，—"), ("  ", "\n")])
def test_nothing_to_match_is_no_error_and_no_warning(texts: tuple[str, ...]) -> None:
    """Case A20."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(index(*texts), "电梯 - .") == []
        assert found(index(*texts), "") == []


@pytest.mark.parametrize(
    ("texts", "query", "best"),
    [
        (("电梯维修",), "电梯", [0]),
        (("食堂开放时间", "电梯维修费用"), "电梯", [1]),
        (("电梯", "电梯 费用", "食堂", "车位"), "电梯 费用", [1, 0]),
        (("电梯 安全", "电梯 费用"), "电梯 费用", [1, 0]),
        (("电梯", "食堂", "电梯", "车位"), "电梯", [0, 2]),
    ],
)
def test_tiny_knowledge_bases_put_the_better_match_first(texts: tuple[str, ...], query: str, best: list[int]) -> None:
    """Case A21: Okapi's idf is zero or negative in all of these."""
    assert found(index(*texts), query) == best


def test_a_code_finds_its_own_document() -> None:
    models = ["X200", "X200-Pro", "X200-Max", "SK-II", "V2.3.1", "GB/T 5972", "E1001"]
    postings = index(*(f"型号 {model} 的使用说明" for model in models))
    for place, model in enumerate(models):
        assert found(postings, model)[0] == place
        assert found(postings, model.lower())[0] == place
    assert found(postings, "- . /") == []


def test_document_frequency_counts_chunks() -> None:
    postings = index("电梯 电梯", "电梯 费用", "食堂")
    assert [postings.document_frequency(token) for token in ("电梯", "费用", "无")] == [2, 1, 0]


@given(CORPUS, TOKENS, st.data())
def test_scores_of_a_few_places_are_those_of_all(
    corpus: list[list[str]], query: list[str], data: st.DataObject
) -> None:
    postings = post(corpus)
    places = data.draw(st.lists(st.integers(0, len(corpus) - 1)))
    np.testing.assert_allclose(
        scores_at(postings, query, places), [scores(postings, query)[n] for n in places], atol=1e-12
    )
