"""Quotes are found where they stand, white space aside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.quotes import locate


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("kept at least 30 days", "kept  at\nleast 30 days"),
        ("kept atleast", "kept  at\nleast"),
        ("  录像 ", "录像"),
        ("kept for 30 days", None),
        ("", None),
        (" \n", None),
    ],
)
def test_white_space_does_not_matter_and_words_do(quote: str, found: str | None) -> None:
    text = "录像 is kept  at\nleast 30 days."
    place = locate(quote, text)
    assert (text[slice(*place)] if place else None) == found


@given(before=st.text(), quote=st.text(min_size=1).filter(str.strip), after=st.text())
def test_what_a_text_holds_is_found_as_it_stands(before: str, quote: str, after: str) -> None:
    text = before + quote + after
    place = locate(quote, text)
    assert place is not None
    start, end = place
    assert "".join(text[start:end].split()) == "".join(quote.split())
    assert start <= len(before) + len(quote) - len(quote.lstrip()), "the first place counts"
    assert not text[start].isspace()
    assert not text[end - 1].isspace()


@given(quote=st.text(alphabet="ab "), text=st.text(alphabet="ab "))
def test_a_place_is_given_exactly_when_the_words_stand_there(quote: str, text: str) -> None:
    squeezed = "".join(quote.split())
    assert (locate(quote, text) is not None) == bool(squeezed and squeezed in "".join(text.split()))
