"""Chunks follow headings, articles and sentences, and are slices of their document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.documents import NewDocument, checked
from corpus.ingest.chunks import Sizes, chunks, title_of
from text.sentences import sentences

LAW = """# 第五部分 电梯故障

总说明一句。

## 报告

第二十四条　发现异响的，应当停止乘用。

（一）值班人员应当到场。

第二十五条　乘客被困时应当按下报警按钮。第六十一条规定的期限另算。

## 案例

案例一　一户业主购买家具。

**第三十条之一** 加粗的也算。
"""


DEFAULT = Sizes()
ENGLISH = "The lift is inspected every year. "
CHINESE = "电梯每年检验一次。"


def cut(text: str, title: str | None = None, sizes: Sizes = DEFAULT) -> list[tuple[str, str, str | None]]:
    document = NewDocument("d", text, title)
    return [(chunk.heading, chunk.text, chunk.metadata.get("article")) for chunk in chunks(document, sizes)]


def test_articles_and_cases_are_chunks_of_their_own_under_their_headings() -> None:
    assert cut(LAW) == [
        ("", "总说明一句。", None),
        ("报告", "第二十四条　发现异响的，应当停止乘用。\n\n（一）值班人员应当到场。", "第二十四条"),
        ("报告", "第二十五条　乘客被困时应当按下报警按钮。第六十一条规定的期限另算。", "第二十五条"),
        ("案例", "案例一　一户业主购买家具。", "案例一"),
        ("案例", "**第三十条之一** 加粗的也算。", "第三十条之一"),
    ]


def test_a_heading_path_leaves_out_the_title_and_ends_with_its_section() -> None:
    assert [heading for heading, _, _ in cut("# A\n\n## B\n\n### C\n\nx.\n\n## D\n\ny.")] == ["B > C", "D"]
    assert [heading for heading, _, _ in cut("# A\n\n## B\n\nx.", title="T")] == ["A > B"]


def test_a_heading_that_is_an_article_names_its_chunks() -> None:
    assert cut("# 法\n\n## 第三条 费用\n\n由业主承担。") == [("第三条 费用", "由业主承担。", "第三条")]


def test_headings_inside_code_are_text() -> None:
    assert cut("```\n# not a heading\n```")[0][0] == ""


def test_title_is_given_or_the_opening_heading_or_the_id() -> None:
    assert [
        title_of(NewDocument("d", text, title)) for text, title in (("# H\nx", "T"), ("# H\nx", None), ("x", None))
    ] == [
        "T",
        "H",
        "d",
    ]


def test_a_document_of_headings_alone_is_one_chunk() -> None:
    assert [text for _, text, _ in cut("# 电梯")] == ["# 电梯"]


def test_neighbours_repeat_whole_sentences_up_to_the_overlap() -> None:
    text = "".join(f"第{n:03}句话共十个字。" for n in range(12))
    found = [piece for _, piece, _ in cut(text, sizes=Sizes(longest=40, overlap=12))]
    assert found[0].endswith("第002句话共十个字。")
    assert found[1].startswith("第002句话共十个字。第003")
    assert all(len(piece) <= 40 for piece in found)


def test_the_same_text_twice_is_one_chunk() -> None:
    assert len(cut("## A\n\n同一句。\n\n## B\n\n同一句。")) == 1


@given(st.text(st.sampled_from("字ab。.!\n #第一条　\ud800\x00"), max_size=400), st.integers(10, 60))
def test_chunks_are_slices_not_blank_not_too_long_and_never_twice(text: str, longest: int) -> None:
    sizes = Sizes(longest, longest // 5)
    document = checked(NewDocument("d", text))
    found = chunks(document, sizes)
    for chunk in found:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= sizes.for_script_of(document.text).longest
        assert chunk.text.strip() == chunk.text
    assert len({chunk.chunk_id for chunk in found}) == len(found)


@given(st.lists(st.text(st.sampled_from("甲乙丙丁"), min_size=1, max_size=30), min_size=1, max_size=20))
def test_every_short_sentence_is_whole_in_some_chunk(parts: list[str]) -> None:
    text = "".join(f"{part}。" for part in parts)
    found = [piece for _, piece, _ in cut(text, sizes=Sizes(longest=40, overlap=10))]
    assert all(any(text[start:end] in piece for piece in found) for start, end in sentences(text))


def test_200_kb_without_a_line_break_is_cut_into_overlapping_steps() -> None:
    found = chunks(NewDocument("d", "".join(chr(0x4E00 + n % 9000) for n in range(200_000))))
    assert found[0].end - found[1].start == 50
    assert found[-1].end == 200_000
    assert max(len(chunk.text) for chunk in found) == 500


def test_every_piece_of_a_table_names_its_columns() -> None:
    rows = "".join(f"| 项目{n:02} | {n} 元 |\n" for n in range(12))
    found = cut(f"## 费用\n\n下表为准。\n\n| 名称 | 金额 |\n| --- | --- |\n{rows}\n表后一句。", sizes=Sizes(60, 20))
    assert found[0][1].startswith("下表为准。\n\n| 名称 | 金额 |\n| --- | --- |\n| 项目00")
    assert {heading for heading, _, _ in found[1:-1]} == {"费用 > 名称 | 金额"}
    assert found[-1][1].endswith("表后一句。")
    assert all(line.startswith("|") and line.endswith("|") for _, text, _ in found[1:-1] for line in text.split("\n"))


def test_a_row_of_sentences_is_not_cut_between_them() -> None:
    found = cut("| a | b |\n| --- | --- |\n| One. Two. | 三。四。 |\n| Five. | 六。 |", sizes=Sizes(15, 3))
    assert [text for _, text, _ in found[1:]] == ["| One. Two. | 三。四。 |", "| Five. | 六。 |"]


def test_a_header_too_long_to_repeat_keeps_the_columns_that_fit() -> None:
    header = " | ".join(f"column {n:03}" for n in range(99))
    last = cut(f"| {header} |\n| --- |\n" + "| x |\n" * 999)[-1][0]
    assert last.startswith("column 000 | column 001")
    assert len(last) <= 200


def test_bars_without_a_rule_below_are_no_table() -> None:
    assert [heading for heading, _, _ in cut("| 甲 |\n| 乙 |\n" * 20, sizes=Sizes(30, 5))] == [""] * len(
        cut("| 甲 |\n| 乙 |\n" * 20, sizes=Sizes(30, 5))
    )


def test_code_is_cut_between_lines_only() -> None:
    code = "\n".join(f"value_{n} = f(x. y, {n})" for n in range(30))
    found = cut(f"Text.\n\n```python\n{code}\n```\n\nAfter.", sizes=Sizes(100, 20))
    lines = {"Text.", "```python", "```", "After.", "", *code.split("\n")}
    assert {line for _, text, _ in found for line in text.split("\n")} <= lines


def pages(text: str) -> list[object]:
    return [chunk.metadata.get("page") for chunk in chunks(NewDocument("d", text), Sizes(20, 0))]


def test_a_chunk_says_on_which_page_it_begins_and_only_of_a_paged_document() -> None:
    assert pages("第一页的一句话。\n\f第二页的一句很长的话。\n\f\f第四页的一句很长的话。\n\f") == [1, 2, 4]
    assert pages("没有分页的一句话。") == [None]


def test_a_page_break_survives_the_check_and_is_no_part_of_what_is_compared() -> None:
    document = checked(NewDocument("d", "One.\n\fTwo."))
    assert document.text == "One.\n\fTwo."
    assert [chunk.text for chunk in chunks(document)] == ["One.\n\fTwo."]


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    "sign", [FAMILY, "\U0001f44d\U0001f3fd", "❤\ufe0f", "e\u0301", "\U0001f1e8\U0001f1f3", "1\ufe0f\u20e3"]
)
@pytest.mark.parametrize("shift", range(6))
def test_a_sign_of_several_characters_is_not_cut_at_an_edge(sign: str, shift: int) -> None:
    text = "字" * shift + sign * 40
    for chunk in chunks(NewDocument("d", text), Sizes(20, 5)):
        inner = chunk.text.lstrip("字")
        assert inner == sign * (len(inner) // len(sign))


def test_a_sign_longer_than_any_is_cut_rather_than_kept_for_ever() -> None:
    text = "e" + "\u0301" * 500
    found = chunks(NewDocument("d", text), Sizes(20, 5))
    assert found[-1].end == len(text)


def test_chapters_without_marks_are_headings() -> None:
    law = "第一章　总则\n第一条　为了规范。\n第二章 所有权\n第一节 一般规定\n第二条　所有权人。\n第三章规定的除外。"
    assert cut(law) == [
        ("第一章 总则", "第一条　为了规范。", "第一条"),
        ("第二章 所有权 > 第一节 一般规定", "第二条　所有权人。\n第三章规定的除外。", "第二条"),
    ]


@given(
    st.lists(
        st.sampled_from(
            ["| a | b |\n", "| --- | --- |\n", "|-\n", "```\n", "~~~\n", "字。", "\n", "\f", "# h\n", "|", "word "]
        ),
        max_size=40,
    ),
    st.integers(12, 40),
)
def test_nothing_but_headings_and_space_is_left_out(parts: list[str], longest: int) -> None:
    document = checked(NewDocument("d", "".join(parts)))
    texts = {chunk.text for chunk in chunks(document, Sizes(longest, 4))}
    # A text that comes again is the same chunk: every place where it stands is covered.
    starts = ((text, start) for text in texts for start in range(len(document.text)))
    covered = {
        start + offset for text, start in starts if document.text.startswith(text, start) for offset in range(len(text))
    }
    for place, char in enumerate(document.text):
        line = document.text[document.text.rfind("\n", 0, place) + 1 :].partition("\n")[0]
        assert place in covered or char.isspace() or line.lstrip().startswith("#")


@pytest.mark.parametrize(
    ("line", "title"), [("# C#", "C#"), ("# A ##", "A"), ("# A #b", "A #b"), ("#  A  ", "A"), ("# #", "#")]
)
def test_marks_may_close_a_heading_and_are_else_part_of_it(line: str, title: str) -> None:
    assert title_of(NewDocument("d", f"{line}\ntext")) == title


def test_english_chunks_are_twice_as_long_as_chinese_ones() -> None:
    """ramdocs_en, Recall@5 of the keyword lane: .756 with 500 characters, .775 with 1,000."""
    longest = {text: max(len(piece) for _, piece, _ in cut(text * 200)) for text in (ENGLISH, CHINESE)}
    assert 900 < longest[ENGLISH] <= 1_000
    assert 450 < longest[CHINESE] <= 500
