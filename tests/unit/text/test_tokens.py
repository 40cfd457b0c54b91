"""Tokens find each other across widths, cases, scripts and numerals; codes stay whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.tokens import content_tokens, tokens


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("型号 X200-Pro 的说明", "x200-pro"),
        ("升级到V2.3.1版本", "v2.3.1"),
        ("按 GB/T 7588 执行", "gb/t7588"),
        ("按 GB/T7588 执行", "gb/t7588"),
        ("报 E1001 错误", "e1001"),
        ("SK-II", "sk-ii"),
        ("第六十一条", "第61条"),
        ("第 61 条", "第61条"),
        ("第一百三十三条之一", "第133条之1"),
        ("C++ guide", "c++"),
    ],
)
def test_codes_stay_whole(text: str, whole: str) -> None:
    assert whole in tokens(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [("X200-Pro", {"x200", "pro"}), ("GB/T 7588", {"gb", "7588"}), ("第六十一条", {"61"}), ("SK-II", {"sk", "ii"})],
)
def test_parts_stand_beside_the_whole(text: str, parts: set[str]) -> None:
    assert parts < set(tokens(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("電梯維修費用", "电梯维修费用"),
        ("Ｘ２００－Ｐｒｏ", "x200-PRO"),
        ("第六十一条", "第61条"),
        ("三十日", "30日"),
        ("1,000元", "1000元"),
    ],
)
def test_other_spellings_give_the_same_tokens(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@given(st.text(st.characters(codec=None, categories=None), max_size=60))
def test_no_token_is_punctuation_or_blank(text: str) -> None:
    assert all(any(c.isalnum() for c in token) for token in tokens(text))


def test_english_is_words_without_stemming() -> None:
    assert tokens("The lifts, don't stop.") == ["the", "lifts", "don", "t", "stop"]


def test_search_mode_finds_shorter_words_inside() -> None:
    assert {"物业", "管理"} < set(tokens("物业管理公司"))


def test_content_tokens_leave_function_words_out() -> None:
    assert content_tokens("电梯的费用是谁付的？") == ["电梯", "费用", "付"]
    assert content_tokens("Who pays for the lift?") == ["pays", "lift"]


def test_jieba_leaves_no_file_no_log_line_and_no_warning(tmp_path: Path) -> None:
    """Case A25, with every warning an error and the sources compiled anew."""
    code = "from text.tokens import tokens; print(tokens('电梯维修'))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"TMPDIR": str(tmp_path), "PYTHONPYCACHEPREFIX": str(tmp_path / "pyc"), "PYTHONIOENCODING": "utf-8"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "['电梯', '维修']", "")
    assert not list(tmp_path.glob("*.cache"))
