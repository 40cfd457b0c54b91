"""What says the same is one hit; what says anything else stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.lanes.repeats import Distinct, distinct
from tests.fakes.partition import Chunks, Piece
from text.statements import statements

RULE = "员工入职满一年，享受五天带薪年假。须提前3个工作日申请。经理不得拒绝。"
ENGLISH = "Employees get 20 days of paid leave a year. Ask 3 working days before. A manager may not refuse."


def kept(*pieces: Piece, most: int = 10) -> list[Distinct]:
    return distinct(range(len(pieces)), Chunks(pieces), most)


def places(*pieces: Piece) -> list[int]:
    return [one.place for one in kept(*pieces)]


def pair(text: str, other: str, **more: Any) -> list[int]:
    return places(Piece(text, "a"), Piece(other, "b", **more))


@pytest.mark.parametrize(
    "copy",
    [
        RULE,
        RULE.replace("。", "。\n\n"),
        "  " + RULE.replace("，", ",  "),
        RULE.replace("员工", "員工").replace("带薪", "帶薪"),
        RULE.replace("3", "３"),
        "打印日期：2024-05-01\n" + RULE,
        "2024年5月1日\n" + RULE,
        RULE + "\n第 3 页 共 12 页",
        "内部资料\n" + RULE,
        "员工须提前申请\n" + RULE + "\n人力资源部",
        RULE.rpartition("经理")[0],
    ],
)
def test_a_copy_in_another_layout_is_a_repeat(copy: str) -> None:
    assert pair(RULE, copy) == [0]


@pytest.mark.parametrize(
    "copy",
    [
        ENGLISH.upper(),
        ENGLISH.replace(". ", ".\n"),
        ENGLISH.replace(" ", "  "),
        "# Leave\n" + ENGLISH,
        "Printed on 3 May 2024\n" + ENGLISH,
        ENGLISH + "\nPage 3 of 12",
    ],
)
def test_an_english_copy_too(copy: str) -> None:
    assert pair(ENGLISH, copy) == [0]


@pytest.mark.parametrize(
    "other",
    [
        RULE.replace("3", "5"),
        RULE.replace("五天", "十天"),
        RULE.replace("不得", "可以"),
        RULE.replace("员工", "实习生"),
        RULE.replace("经理", "总监"),
        RULE + "试用期内除外。",
        "2023年版\n" + RULE,
        "自2024年5月1日起施行\n" + RULE,
        "年假：十五天\n" + RULE,
        "实习生无此待遇\n" + RULE,
    ],
)
def test_another_amount_name_negation_or_sentence_stays(other: str) -> None:
    assert pair(RULE, other) == [0, 1]


@pytest.mark.parametrize(
    "other",
    [
        ENGLISH.replace("20", "25"),
        ENGLISH.replace("may not", "may"),
        ENGLISH.replace("20 days", "2.0 days"),
        ENGLISH.replace("paid", "unpaid"),
        ENGLISH.replace("Ask 3", "Ask >3"),
    ],
)
def test_in_english_too(other: str) -> None:
    assert pair(ENGLISH, other) == [0, 1]


def test_a_header_in_the_place_of_another_may_be_all_that_tells_sections_apart() -> None:
    assert pair("年假\n标准为十五天。", "病假\n标准为十五天。") == [0, 1]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"year": 2023}, {"year": 2024}, [0, 1]),
        ({"city": "杭州"}, {"city": "宁波"}, [0, 1]),
        ({"year": 2023}, {"year": 2023, "kind": "law"}, [0]),
        ({"source": "a.pdf"}, {"source": "b.pdf"}, [0]),
    ],
)
def test_the_same_words_under_other_metadata_are_another_source(
    one: dict[str, Any], other: dict[str, Any], expected: list[int]
) -> None:
    assert places(Piece(RULE, "a", metadata=one), Piece(RULE, "b", metadata=other)) == expected


def test_the_same_words_of_another_edition_or_section_are_another_source() -> None:
    editions = Piece(RULE, "a", title="员工手册 2023"), Piece(RULE, "b", title="员工手册 2024")
    assert places(*editions) == [0, 1]
    assert places(Piece(RULE, "a", title="手册"), Piece(RULE, "b", title="手册（副本）")) == [0]
    sections = Piece("标准为五天。", "a", heading="假期 > 年假"), Piece("标准为五天。", "b", heading="假期 > 病假")
    assert places(*sections) == [0, 1]
    assert pair("日期：2023-05-01\n" + RULE, "日期：2024-05-01\n" + RULE) == [0, 1]
    assert pair("日期：2024-05-01\n" + RULE, "日期：2024-06-01\n" + RULE) == [0]


def test_copies_cut_at_other_places_repeat_when_kept_hits_together_say_it_all() -> None:
    said = [f"第{n}句说的是事项{n}。" for n in range(1, 9)]
    windows = Piece("".join(said[:4]), "a"), Piece("".join(said[4:]), "a", start=500)
    shifted = Piece("".join(said[2:6]), "b")
    assert places(*windows, shifted) == [0, 1]
    assert places(windows[0], shifted, windows[1]) == [0, 1, 2]


def test_overlapping_windows_of_one_document_are_one_hit_and_neighbours_are_two() -> None:
    text = "".join(chr(0x4E00 + n) for n in range(1000))
    windows = Piece(text[:500]), Piece(text[420:500], start=420), Piece(text[450:950], start=450)
    assert places(*windows) == [0, 2]


def test_twenty_copies_do_not_fill_the_top_and_every_one_is_named() -> None:
    copies = [Piece(f"副本{'一二三四五六七八九十'[n % 10]}区\n{RULE}" if n else RULE, f"copy{n}") for n in range(20)]
    other = Piece("病假须有医院证明。", "other")
    hits = kept(*copies, other, most=2)
    assert [hit.place for hit in hits] == [0, 20]
    assert hits[0].also_in == [f"copy{n}" for n in range(1, 20)]


SENTENCES = st.lists(
    st.sampled_from(["甲须付100元。", "甲须付200元。", "甲不须付100元。", "乙须付100元。", "封面", "2024-05-01"]),
    min_size=1,
    max_size=4,
)


@given(st.lists(SENTENCES, min_size=1, max_size=8), st.integers(1, 8))
def test_no_statement_is_lost_none_comes_twice_and_order_stays(texts: list[list[str]], most: int) -> None:
    pieces = [Piece("\n".join(lines), f"d{n}", start=1_000 * n) for n, lines in enumerate(texts)]
    hits = kept(*pieces, most=most)
    order = [hit.place for hit in hits]
    assert order[0] == 0
    assert order == sorted(set(order))
    assert len(order) <= most
    whole = [hit.place for hit in kept(*pieces, most=len(pieces))]
    assert order == whole[:most]
    shown = frozenset[str]().union(*(statements(pieces[place].text).said for place in whole))
    for place, piece in enumerate(pieces):
        says = statements(piece.text)
        assert place in whole or says.said - says.headers <= shown
