"""Tokens find each other across widths, cases, scripts and numerals; codes stay whole."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.tokens import RULES, content_tokens, content_words, named_codes, tokens

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "corpus" / "samples" / "elevator"
CODES = """
X200 X200-Pro iPhone 15 Pro Max V2.3.1 V2.0-V2.3 GB/T 7588.1-2020 ISO 9001:2015 E1001 SK-II C++ C# 3.5 mm R&D
沪府规〔2024〕5号 a@example.com https://example.com/a The companies' management of lifts 第六十一条 電梯
"""
CUT = "from text.tokens import tokens; print(tokens('电梯维修'))"
NO_TEMPORARY_FILES = """
import os, tempfile
def refuse(*args, **kwargs): raise PermissionError(13, "no")
tempfile.mkstemp = tempfile.NamedTemporaryFile = tempfile.TemporaryFile = tempfile.mkdtemp = refuse
os.rename = os.replace = refuse
"""


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
        ("第二次世界大战", "第2次"),
        ("C++ guide", "c++"),
        ("C# 入门", "c#"),
        ("ISO 9001:2015", "iso9001:2015"),
        ("ISO 9001:2015", "iso9001"),
        ("ISO9001", "iso9001"),
        ("GB/T 7588.1-2020", "gb/t7588.1"),
        ("DB31/T 1234", "db31/t1234"),
        ("支持5G网络", "5g"),
        ("iPhone 15 Pro Max 的电池", "iphone-15-pro-max"),
        ("iPhone 15 Pro", "iphone-15-pro"),
        ("X200 Pro", "x200-pro"),
        ("X200–Pro", "x200-pro"),
        ("SK-Ⅱ", "sk-ii"),
        ("适用于V2.0-V2.3", "v2.0"),
        ("适用于V2.0-V2.3", "v2.3"),
        ("1.2~1.5", "1.5"),
        ("发给 Zhang.San@Example.com。", "zhang.san@example.com"),
        ("见https://www.example.com/a/b?x=1。", "example.com/a/b?x=1"),
        ("3.5mm 耳机", "3.5mm"),
        ("3.5 mm 耳机", "3.5mm"),
        ("R&D", "r&d"),
        ("沪府规〔2024〕5号", "〔2024〕5号"),
        ("沪府规[2024]第5号", "〔2024〕5号"),
    ],
)
def test_codes_stay_whole(text: str, whole: str) -> None:
    assert whole in tokens(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [("X200-Pro", {"x200", "pro"}), ("GB/T 7588", {"gb", "7588"}), ("第六十一条", {"61"}), ("3.5mm", {"3.5", "mm"})],
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
        ("二〇二四年", "2024年"),
        ("management companies", "managing company"),
    ],
)
def test_other_spellings_give_the_same_tokens(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@given(st.text(st.characters(codec=None, categories=None), max_size=60))
def test_no_token_is_punctuation_or_blank(text: str) -> None:
    assert all(any(c.isalnum() for c in token) for token in tokens(text))


def test_english_words_lose_their_endings() -> None:
    assert tokens("The lifts, don't stop.") == ["the", "lift", "don", "t", "stop"]


def test_a_code_that_stands_alone_is_told_from_the_part_of_a_longer_one() -> None:
    assert set(tokens("X200")) - set(tokens("X200-Pro")) == {"x200="}


def test_a_year_asked_for_is_no_number() -> None:
    assert "哪一年" in tokens("蒙古在哪一年西征？")


def test_tokens_change_only_with_the_number_of_their_rules() -> None:
    """When this fails, raise RULES: what is stored was counted under other rules. Then write both numbers here."""
    texts = "".join(file.read_text("utf-8") for file in sorted(SAMPLE.glob("*.md"))) + CODES
    digest = hashlib.sha256(" ".join(tokens(texts)).encode()).hexdigest()[:16]
    assert (RULES, digest) == (2, "3bad70648d1d0b19")


def test_search_mode_finds_shorter_words_inside() -> None:
    assert {"物业", "管理"} < set(tokens("物业管理公司"))


def test_content_tokens_leave_function_words_out() -> None:
    assert content_tokens("电梯的费用是谁付的？") == ["电梯", "费用", "付"]
    assert content_tokens("Who pays for the lift?") == ["pay", "lift"]
    assert content_tokens("How often do backups run?") == ["backup", "run"]


def test_content_words_keep_their_endings_and_bring_no_mark() -> None:
    assert content_words("Who pays for the X200?") == ["pays", "x200"]


def cut_in_a_process(temporary: Path, *arguments: str, code: str = CUT) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments, "-c", code],
        env={"TMPDIR": str(temporary), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def test_a_cache_of_somebody_else_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    """Case A24: jieba itself would load this file, or fail to replace it, in the shared temporary folder."""
    cache = tmp_path / "jieba.cache"
    cache.write_bytes(b"not a cache")
    cache.chmod(0o000)
    process = cut_in_a_process(tmp_path)
    assert (*process.communicate(), process.returncode) == ("['电梯', '维修']\n", "", 0)
    cache.chmod(0o600)
    assert (cache.read_bytes(), list(tmp_path.iterdir())) == (b"not a cache", [cache])


def test_it_cuts_where_no_temporary_file_can_be_made(tmp_path: Path) -> None:
    """Case A24. A folder is not enough where the tests run as root: every way to make a temporary file fails too."""
    tmp_path.chmod(0o500)
    process = cut_in_a_process(tmp_path, code=NO_TEMPORARY_FILES + CUT)
    assert (*process.communicate(), process.returncode) == ("['电梯', '维修']\n", "", 0)
    tmp_path.chmod(0o700)
    assert not list(tmp_path.iterdir())


def test_two_processes_start_together(tmp_path: Path) -> None:
    """Case A24."""
    processes = [cut_in_a_process(tmp_path) for _ in range(2)]
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert ended == [("['电梯', '维修']\n", "", 0)] * 2
    assert not list(tmp_path.iterdir())


def test_jieba_leaves_no_file_no_log_line_and_no_warning(tmp_path: Path) -> None:
    """Case A25, with every warning an error and the sources compiled anew."""
    code = "from text.tokens import tokens; print(tokens('电梯维修'))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"TMPDIR": str(tmp_path), "PYTHONPYCACHEPREFIX": str(tmp_path / "pyc"), "PYTHONIOENCODING": "utf-8"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (run.returncode, run.stdout.strip(), run.stderr) == (0, "['电梯', '维修']", "")
    assert not list(tmp_path.glob("*.cache"))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("V2.3.1 修复了什么", ["v2.3.1"]),
        ("X200-Pro 和 X200 的区别", ["x200-pro", "x200="]),
        ("第六十一条怎么规定", ["第61条"]),
        ("GB/T 7588 要求", ["gb/t7588"]),
        ("3.5mm 的耳机孔有几个", []),
        ("谁付维修费", []),
    ],
)
def test_codes_are_named_whole(text: str, codes: list[str]) -> None:
    assert named_codes(text) == codes


@pytest.mark.parametrize("text", ["第{}条", "沪府规〔2024〕{}号"])
@pytest.mark.parametrize("digit", ["7", "七"])
def test_a_number_without_end_is_no_number(text: str, digit: str) -> None:
    assert tokens(f"{text.format(digit * 5_000)}。合同")[-1] == "合同"
