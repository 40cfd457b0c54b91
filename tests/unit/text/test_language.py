"""The language of a question decides the language of its answer."""

from __future__ import annotations

import pytest

from text.language import language


@pytest.mark.parametrize("text", ["谁付电梯维修费？", "X200-Pro 保修", "iPhone 15 多少钱", "電梯"])
def test_chinese(text: str) -> None:
    assert language(text) == "zh"


@pytest.mark.parametrize("text", ["Who pays for the lift?", "What does 电梯 mean in English?", "", "123", "?!"])
def test_english(text: str) -> None:
    assert language(text) == "en"
