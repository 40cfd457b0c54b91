"""Thought in an answer is dropped, however it is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.thinking import AnswerOnly, answer_only, is_bare, tag_of

PAIRS = [
    ("<think>", "</think>"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
]


def passed_on(pieces: list[str], *, hold: bool = False) -> tuple[str, AnswerOnly]:
    filtered = AnswerOnly(hold=hold)
    said = "".join(filtered.feed(piece) for piece in pieces)
    return said + filtered.end(), filtered


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("plain", "plain"),
        ("<think>{\"a\": 'x'}</think>\n\nanswer", "answer"),
        ("\n <think></think>answer", "answer"),
        ("<think>one</think><think>two</think>answer", "answer"),
        ("a <think>second</think>thought", "a thought"),
        ("<think>never closed", ""),
        ("said <think>never closed", "said "),
        ("<thinner>kept", "<thinner>kept"),
        ("<", "<"),
        ("<thi", "<thi"),
        ("a </thi", "a </thi"),
        ("", ""),
    ],
)
def test_what_stands_between_the_tags_is_dropped(text: str, answer: str, hold: bool) -> None:
    said, filtered = passed_on([text], hold=hold)
    assert said == answer
    assert not filtered.leaked
    assert not filtered.bare


def test_a_thought_without_a_beginning_is_dropped_where_all_is_held() -> None:
    said, filtered = passed_on(["I weigh", " it </th", "ink>", "\nanswer"], hold=True)
    assert (said, filtered.bare, filtered.leaked) == ("answer", True, False)


def test_a_thought_that_was_passed_on_is_known_for_one() -> None:
    said, filtered = passed_on(["I weigh it", "</think>answer"])
    assert filtered.leaked
    assert said.startswith("I weigh it")


@pytest.mark.parametrize(
    ("text", "answer", "bare"),
    [
        ("<think>{}</think> {}", "{}", False),
        ("hm {}</think>{}", "{}", True),
        ("{} <think>so", "{}", False),
        ("plain ", "plain", False),
    ],
)
def test_a_whole_text_without_its_thought(text: str, answer: str, bare: bool) -> None:
    assert (answer_only(text), is_bare(text)) == (answer, bare)


@pytest.mark.parametrize(("begin", "end"), PAIRS)
def test_every_kind_of_tag_is_known(begin: str, end: str) -> None:
    text = f"{begin}I weigh {{}}{end}answer"
    assert (answer_only(text), is_bare(text), tag_of(text)) == ("answer", False, begin)
    assert (answer_only(text.removeprefix(begin)), is_bare(text.removeprefix(begin))) == ("answer", True)
    assert tag_of("<think>\n</think>answer") is tag_of("answer") is None


def is_untagged(text: str) -> bool:
    return not any(tag in text.lower() for tag in ("think", "thought", "channel"))


@given(
    pair=st.sampled_from(PAIRS),
    thought=st.text().filter(is_untagged),
    answer=st.text().filter(is_untagged),
    hold=st.booleans(),
    data=st.data(),
)
def test_how_the_pieces_are_cut_does_not_matter(
    pair: tuple[str, str], thought: str, answer: str, hold: bool, data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from([answer, f"{pair[0]}{thought}{pair[1]}{answer}"]))
    pieces, rest = [], text
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        pieces.append(rest[:cut])
        rest = rest[cut:]
    assert passed_on(pieces, hold=hold)[0] == answer.lstrip()
