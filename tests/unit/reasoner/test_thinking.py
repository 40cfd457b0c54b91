"""Thought before an answer is dropped, however it is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.thinking import AnswerOnly, answer_only


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("plain", "plain"),
        ("<think>{\"a\": 'x'}</think>\n\nanswer", "answer"),
        ("\n <think></think>answer", "answer"),
        ("<think>one</think><think>two</think>answer", "answer"),
        ("<think>never closed", ""),
        ("<thinner>kept", "<thinner>kept"),
        ("a <think>quoted</think> tag", "a <think>quoted</think> tag"),
        ("<", "<"),
        ("<thi", "<thi"),
        ("", ""),
    ],
)
def test_only_a_leading_thought_is_dropped(text: str, answer: str) -> None:
    assert answer_only(text) == answer


@given(thought=st.text().filter(lambda t: "</think>" not in t), answer=st.text(), data=st.data())
def test_how_the_pieces_are_cut_does_not_matter(thought: str, answer: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([answer, f"<think>{thought}</think>{answer}"]))
    filtered, said, rest = AnswerOnly(), "", text
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        said, rest = said + filtered.feed(rest[:cut]), rest[cut:]
    assert said + filtered.end() == answer_only(text)
