"""Chunks follow headings, articles and sentences, and are slices of their document."""

from __future__ import annotations

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


def test_english_chunks_are_twice_as_long_as_chinese_ones() -> None:
    """ramdocs_en, Recall@5 of the keyword lane: .756 with 500 characters, .775 with 1,000."""
    longest = {text: max(len(piece) for _, piece, _ in cut(text * 200)) for text in (ENGLISH, CHINESE)}
    assert 900 < longest[ENGLISH] <= 1_000
    assert 450 < longest[CHINESE] <= 500
