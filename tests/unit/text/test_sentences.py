"""Sentences are spans of their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.sentences import sentences, stated


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(st.text(st.sampled_from("ab1A。.!；;…\n \t”)第条")))
def test_only_white_space_lies_between_sentences(text: str) -> None:
    spans = sentences(text)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    assert edges == sorted(edges)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert not "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "保存三十日。七日内提出！“可以吗？”他问；是的",
            ["保存三十日。", "七日内提出！", "“可以吗？”", "他问；", "是的"],
        ),
        ("Version 2.3.1 is out. It costs $3.50.", ["Version 2.3.1 is out.", "It costs $3.50."]),
        ("See e.g. Section 3. Mr. Smith agreed.", ["See e.g. Section 3.", "Mr. Smith agreed."]),
        ("J. K. Rowling wrote it. Yes!", ["J. K. Rowling wrote it.", "Yes!"]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("第一行\n第二行", ["第一行", "第二行"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize("rule", ["| --- | --- |", "|:---|---:|", "---", "| -- |", "=====", "+---+---+"])
def test_a_rule_states_nothing(rule: str) -> None:
    text = f"| 项目 | 金额 |\n{rule}\n| 绿化 | 1200 |"
    assert [text[start:end] for start, end in stated(text)] == ["| 项目 | 金额 |", "| 绿化 | 1200 |"]


@pytest.mark.parametrize("text", ["| - |", "-5", "a -- b", "|x|"])
def test_a_line_of_more_than_a_rule_states_something(text: str) -> None:
    assert stated(text) == sentences(text)


def test_a_wrapped_line_goes_on() -> None:
    assert len(cut("This line was wrapped by an editor at some sixty columns\nand goes on here. Next.")) == 2


@pytest.mark.parametrize("piece", [". ", " ", "x\n", "。", ".)", "1. "])
def test_long_input_stays_linear(piece: str) -> None:
    sentences(piece * 100_000)
