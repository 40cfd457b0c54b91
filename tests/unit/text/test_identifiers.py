from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.identifiers import Identifier, identifiers, names


def only(text: str) -> Identifier:
    found = identifiers(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "family", "whole"),
    [
        ("X200-Ultra 的重量是多少？", "x", "x200-ultra"),
        ("报 E1003 怎么办", "e", "e1003"),
        ("固件版本 2.3.9 修了什么", "v", "v2.3.9"),
        ("What is new in V2.3.9?", "v", "v2.3.9"),
        ("GB/T 7588-2003 的要求", "gb", "gb/t7588-2003"),
        ("第三十条规定了什么", "第条", "第30条"),
        ("第三十条之一", "第条", "第30条之1"),
        ("What does Article 30 say?", "第条", "第30条"),
        ("ｅ１００１", "e", "e1001"),
        ("error 0x80070005", "0x", "0x80070005"),
    ],
)
def test_a_code_and_its_family(text: str, family: str, whole: str) -> None:
    found = only(text)
    assert (found.family, found.whole) == (family, whole)


@pytest.mark.parametrize(
    "text",
    [
        "重 3.5mm，220V，10GB",
        "见 https://a.example/x200 与 a1@b2.example",
        "2024年3月1日，12号楼3单元，1,000元",
        "2024-03-01 100% SK-II AT&T C++",
    ],
)
def test_measures_links_dates_and_numbers_are_no_codes(text: str) -> None:
    assert identifiers(text) == ()


def test_a_list_or_range_without_blanks_names_its_members() -> None:
    assert [one.whole for one in identifiers("X200/X200-Pro、E1001-E1010、X300/Pro")] == [
        "x200", "x200-pro", "e1001", "e1010", "x300", "x300-pro",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("X200 pro 重两公斤", "X200-Pro"),
        ("x200pro", "X200-Pro"),
        ("X200、X300 通用", "X200"),
        ("X200 系列保修一年", "X200-Ultra"),
        ("E1001～E1010 为传感器故障", "E1003"),
        ("E1001至E1010", "E1003"),
        ("V2.0 及以上版本", "V2.3.9"),
        ("V2.0 and later", "V2.3.9"),
        ("V2.0-V2.3", "V2.1"),
        ("V2.4及以下", "V2.3.9"),
        ("已升级到 2.3.1", "V2.3.1"),
        ("v2.3 起支持", "V2.3.1"),
        ("GB 7588-2003", "GB/T 7588"),
        ("第30条", "第三十条"),
    ],
)
def test_a_text_names_a_code_in_other_spellings_ranges_and_series(text: str, asked: str) -> None:
    assert names(text, only(asked))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("X200 重两公斤", "X200-Pro"),
        ("X200-Pro 重两公斤", "X200"),
        ("X200 Pro 重两公斤", "X200"),
        ("X2000", "X200"),
        ("E1001、E1005", "E1003"),
        ("E1001-E1002", "E1003"),
        ("V2.3.10", "V2.3.1"),
        ("V3.0 及以上", "V2.3.9"),
        ("GB 7588-2003", "GB 7588-2020"),
        ("第301条", "第三十条"),
    ],
)
def test_a_neighbour_is_not_the_code(text: str, asked: str) -> None:
    assert not names(text, only(asked))


@given(st.from_regex(r"[A-DF-UWYZ]{1,3}[1-9]\d{2,4}", fullmatch=True), st.integers(1, 99))
def test_every_code_names_itself_and_never_a_longer_one(code: str, more: int) -> None:
    asked = only(code)
    assert names(f"关于{code}的说明", asked)
    assert not names(f"关于{code}{more}的说明", asked)


@pytest.mark.parametrize("text", ["第{}条", "Article {}", "E1-E{}", "E{} 及以上", "V1.{} 及以上", "V1.{}"])
def test_a_number_without_end_is_read_as_none(text: str) -> None:
    endless = text.format("7" * 5_000)
    identifiers(endless)
    assert not any(names(endless, only(code)) for code in ("第7条", "E5", "V2.3"))


def test_a_version_with_a_part_without_end_has_no_place_in_its_family() -> None:
    assert only(f"版本 1.{'7' * 5_000}").number is None
