"""Text comes out clean whatever goes in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.normalise import clean, fold, printable, says_something

ANY_TEXT = st.text(st.characters(codec=None, categories=None))


@given(ANY_TEXT)
def test_clean_text_is_encodable_has_no_controls_and_stays_as_it_is(raw: str) -> None:
    cleaned = clean(raw)
    cleaned.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\n\t" for c in cleaned)
    assert clean(cleaned) == cleaned


@given(ANY_TEXT)
def test_fold_takes_anything(raw: str) -> None:
    fold(raw).encode("utf-8")


def test_fold_joins_widths_cases_and_scripts() -> None:
    assert fold("電梯 Ｘ２００") == fold("电梯 x200") == "电梯 x200"


def test_printable_keeps_punctuation_and_replaces_lone_surrogates() -> None:
    assert printable("第六十一条　保存，\x00不少于\r\n三十日\ud800") == "第六十一条　保存，不少于\n三十日\ufffd"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", False),
        (" \t", False),
        ("-", False),
        ("。…?!", False),
        ("$ + ~", False),
        ("电", True),
        ("7", True),
        ("😀", True),
    ],
)
def test_marks_alone_say_nothing(text: str, says: bool) -> None:
    assert says_something(text) is says
