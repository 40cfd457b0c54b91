"""Patterns of strangers: exact texts and regular expressions, in characters, and none that can hang."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import BadRequest
from text import patterns
from text.patterns import Matcher

EVIL = ["(a+)+$", "(a|aa)+$", "(.*a){25}b", "(a*)*b", "([a-z]+)*\\d", "(?:a?){50}a{50}b"]


def test_a_text_is_found_as_it_stands_whatever_its_case() -> None:
    assert list(Matcher("x200.pro", regex=False).spans("An X200.PRO, no x200-pro")) == [(3, 11)]


def test_places_are_in_characters_not_in_bytes() -> None:
    text = "电梯🚪维修费由物业承担。"
    assert [text[start:end] for start, end in Matcher("维修.{0,3}由", regex=True).spans(text)] == ["维修费由"]


def test_an_empty_match_is_none() -> None:
    assert list(Matcher("a*", regex=True).spans("bcaad")) == [(2, 4)]


@pytest.mark.parametrize("pattern", EVIL)
def test_what_makes_a_backtracking_engine_hang_ends(pattern: str) -> None:
    matcher = Matcher(pattern, regex=True)
    assert len(list(matcher.spans("a" * 5_000 + "!"))) <= 1
    assert not matcher.timed_out


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)", "a{2000}", "(((a{50}){50}){50})"])
def test_what_the_engine_does_not_take_is_said_in_a_few_words(pattern: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Matcher(pattern, regex=True)
    assert 0 < len(refused.value.sentence) <= patterns.LONGEST_FAULT


def test_a_matcher_out_of_time_looks_at_no_further_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.0)
    matcher = Matcher("a", regex=False)
    assert (list(matcher.spans("a")), matcher.timed_out, matcher.texts) == ([], True, 0)


@given(st.text(min_size=1, max_size=20), st.text(max_size=60))
def test_any_text_is_found_where_it_was_put(wanted: str, around: str) -> None:
    wanted, around = (text.encode("utf-8", "ignore").decode() for text in (wanted, around))
    if wanted:
        text = f"{around}{wanted}{around}"
        assert any(text[start:end].lower() == wanted.lower() for start, end in Matcher(wanted, regex=False).spans(text))
