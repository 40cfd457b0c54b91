"""Data stays data, and no prompt grows with a thread."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reasoner import blocks
from state import Turn
from tests.unit.reasoner import samples

hostile = st.lists(
    st.sampled_from(
        ["<", "＜", "/", " ", "\n", "|", ">", "passage", "QUESTION", "turn", "think", "a", "\u200b", "&lt;"]
    )
).map("".join)


@given(hostile)
def test_no_delimiter_survives(text: str) -> None:
    squeezed = re.sub(r"[\s\u200b]", "", blocks.data(text)).lower()
    for tag in blocks.TAGS + blocks.CONTROL_WORDS:
        for opening in (f"<{tag}", f"</{tag}", f"＜{tag}", f"＜/{tag}"):
            assert not re.search(re.escape(opening) + "(?![a-z])", squeezed)
    assert "<|" not in squeezed


@given(hostile)
def test_nothing_but_opening_brackets_changes_and_once_is_enough(text: str) -> None:
    plain = blocks.data(text)
    assert _same(plain) == _same(text)
    assert blocks.data(plain) == plain


def test_a_long_thread_costs_no_more_than_a_short_one() -> None:
    turns: list[Turn] = [{"question": f"q{n}", "standalone": "", "answer": "a" * 10_000} for n in range(50)]
    shown = blocks.history(turns)
    assert len(shown) < blocks.HISTORY_TURNS * (blocks.TURN_CHARACTERS + 100)
    assert "q49" in shown
    assert f"q{49 - blocks.HISTORY_TURNS}<" not in shown


def test_near_passages_are_cut() -> None:
    long = samples.passage(1, "x" * 5_000)
    assert blocks.found([long]).count("x") == blocks.NEAR_CHARACTERS


def test_a_heading_keeps_its_end_where_the_columns_of_a_table_are_named() -> None:
    columns = " | ".join(f"column {n}" for n in range(18))
    heading = " > ".join([*(f"Part {n} of the handbook" for n in range(30)), columns])
    block = blocks.passages([replace(samples.passage(1, "text", heading="forged"), heading=heading, title="t" * 500)])
    assert f"{columns}\n" in block
    assert f"heading: …{heading[-blocks.HEADING_CHARACTERS :]}\n" in block
    assert block.count("t" * blocks.METADATA_CHARACTERS + "…") == 1
    assert "forged" not in block


def test_only_plain_metadata_is_shown_and_each_on_one_line() -> None:
    block = blocks.passages([samples.passage(1, "text", year=0, place="a\nb", tags=["t"], empty="", nothing=None)])
    assert "year: 0\nplace: a b\n\ntext" in block
    for hidden in ("tags", "empty", "nothing"):
        assert hidden not in block


def _same(text: str) -> str:
    return text.replace("&lt;", "<").replace("＜", "<")
