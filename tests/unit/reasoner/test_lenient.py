"""JSON as models write it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.lenient import objects_in

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here {as asked} it is: {"a": "b}"} Bye.', {"a": "b}"}),
        ("{'a': 'the owner's duty', 'b': True, 'c': None,}", {"a": "the owner's duty", "b": True, "c": None}),
        ('{"a": "he said "yes" to it"}', {"a": 'he said "yes" to it'}),
        ('｛"a"：“因为，所以”，"b"：true｝', {"a": "因为，所以", "b": True}),
        ("{“a”：［1，2，］}", {"a": [1, 2]}),
        ("{a: 1, b_c: [],}", {"a": 1, "b_c": []}),
        ('{"a": "two\nlines", "b": "\\u4e2d\\n"}', {"a": "two\nlines", "b": "中\n"}),
        ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
        ('[{"a": 1}]', {"a": 1}),
        ("{}", {}),
    ],
)
def test_how_it_is_written_does_not_matter(text: str, value: dict[str, Any]) -> None:
    assert list(objects_in(text)) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yes.",
        "是",
        "null",
        "[1, 2]",
        '{"a": 1',
        '{"a": [1, 2}',
        '{"a": "b',
        "{a: tru}",
        '{"a": NaN}',
        '{"a":,}',
        "{",
    ],
)
def test_nothing_is_guessed_and_nothing_completed(text: str) -> None:
    assert list(objects_in(text)) == []


@given(value=st.dictionaries(st.text(), PLAIN, max_size=3), before=st.text("ab \n是。"), after=st.text())
def test_json_in_prose_comes_first_and_whole(value: dict[str, Any], before: str, after: str) -> None:
    assert next(objects_in(before + json.dumps(value, ensure_ascii=False) + after)) == value


@given(st.text("{}[]\"':,\\ a1｛“”’"))
def test_any_text_can_be_read(text: str) -> None:
    assert all(isinstance(found, dict) for found in objects_in(text))


@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 50_000, "{'" * 100_000, '{"' + "\\" * 99_000])
def test_an_endless_one_is_given_up(text: str) -> None:
    assert list(objects_in(text)) == []
