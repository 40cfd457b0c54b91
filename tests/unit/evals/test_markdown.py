from __future__ import annotations

import pytest

from errors import BadRequest
from evals.markdown import fill, table

PAGE = "# Page\n\n<!-- table: one -->\nold\n<!-- end -->\n\nText.\n\n<!-- table: two -->\n<!-- end -->\n"


def test_numbers_stand_to_the_right() -> None:
    assert table(("a", "b"), [("x", "1")]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


def test_only_what_is_between_the_marks_changes() -> None:
    filled = fill(PAGE, {"one": "| 1 |\n| 2 |", "two": "2", "three": "3"})
    assert filled == (
        "# Page\n\n<!-- table: one -->\n| 1 |\n| 2 |\n<!-- end -->\n\nText.\n\n<!-- table: two -->\n2\n<!-- end -->\n"
    )
    assert fill(filled, {"one": "old", "two": ""}) == PAGE.replace("two -->\n", "two -->\n\n")


def test_a_table_that_nobody_writes_is_named() -> None:
    with pytest.raises(BadRequest, match="the table named two"):
        fill(PAGE, {"one": ""})
