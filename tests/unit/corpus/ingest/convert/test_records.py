"""Rows and records as text: every value readable, under the name it stands for."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errors
from corpus.ingest.convert.records import csv_text, json_lines_text, json_text

CELLS = 1_000


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_is_a_table_whatever_separates_it(separator: str) -> None:
    rows = separator.join(["项目", "金额"]) + "\r\n" + separator.join(['"维修\n基金"', "1 200"]) + "\r\n\r\n"
    assert csv_text(rows, CELLS) == "| 项目 | 金额 |\n| --- | --- |\n| 维修 基金 | 1 200 |"


def test_rows_of_different_length_and_blank_columns() -> None:
    assert csv_text("a,,b\n1\n,,3,4\n", CELLS) == "| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n|  | 3 | 4 |"


def test_a_table_of_too_many_cells_is_refused() -> None:
    with pytest.raises(errors.BadRequest, match="1,000 cells"):
        csv_text("a,b\n" * 501, CELLS)


WORDS = st.text(st.sampled_from('字ab|\\, "\n;'), max_size=8)


@given(st.lists(st.lists(WORDS, min_size=2, max_size=4), min_size=1, max_size=5))
def test_no_word_of_a_table_is_lost(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written).writerows([["first,", "second,", "third,", "fourth,"], *rows])
    text = csv_text(written.getvalue(), CELLS).replace("\\|", "|")
    assert all(word in text for row in rows for cell in row for word in cell.split())


def test_a_list_of_records_has_a_heading_each() -> None:
    records = [
        {"Title": "押金", "body": {"days": 30, "paid": True, "none": None}, "tags": ["a", "b"]},
        {"x": [{"y": 1.0}]},
        7,
    ]
    assert json_text(json.dumps(records)) == (
        "## 押金\n\nTitle: 押金\nbody.days: 30\nbody.paid: true\ntags: a, b\n\n## 2\n\nx.1.y: 1\n\n## 3\n\n7"
    )


def test_json_lines_are_records_too() -> None:
    assert json_lines_text('{"name": "A", "v": 1}\n\n{"name": "B", "v": 2}\n') == (
        "## A\n\nname: A\nv: 1\n\n## B\n\nname: B\nv: 2"
    )


def test_one_object_is_one_record() -> None:
    assert json_text('{"term": "30 days", "list": []}') == "term: 30 days"


def test_numbers_are_shown_as_they_are_written() -> None:
    assert json_text('{"fee": 1.10, "large": 1e999}') == "fee: 1.10\nlarge: 1e999"


@pytest.mark.parametrize("text", ["{", "", "[" * 100_000, '{"a": 1} {', "1" * 5_000])
def test_broken_json_is_refused(text: str) -> None:
    with pytest.raises(errors.BadRequest, match="not valid JSON"):
        json_text(text)


def test_a_broken_line_is_named() -> None:
    with pytest.raises(errors.BadRequest, match="Line 3"):
        json_lines_text('{"a": 1}\n\n{"a"\n')


PLAIN = st.none() | st.booleans() | st.integers(0, 99) | st.text(st.sampled_from("字ab"), min_size=1, max_size=5)
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("kmn"), inner))


@given(NESTED)
def test_every_text_of_a_record_is_in_it(value: Any) -> None:
    text = json_text(json.dumps(value))
    assert all(leaf in text for leaf in leaves(value))


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [leaf for one in inner for leaf in leaves(one)]
