from __future__ import annotations

from pathlib import Path

import pytest

from errors import BadRequest, NotFound
from evals import sheet
from evals.sets import Case

HEAD = "question,answer,gold,points,kind,filter,history,not_to_cite,id,comment\n"


def read(folder: Path, text: str, encoding: str = "utf-8") -> tuple[sheet.Row, ...]:
    file = folder / "mine.csv"
    file.write_bytes(text.encode(encoding))
    return sheet.read(file)


def cases(folder: Path, text: str, encoding: str = "utf-8") -> list[Case]:
    return [row.case for row in read(folder, text, encoding)]


def test_every_column(tmp_path: Path) -> None:
    line = "Who pays?,the owner | the landlord,a.md; b.md,30 days|a month；7日,money,"
    line += '"{""year"": 2024}",Hi?; And?,c.md,x1,no\n'
    [case] = cases(tmp_path, HEAD + line)
    assert case == Case(
        id="x1",
        question="Who pays?",
        gold=("a.md", "b.md"),
        filter={"year": 2024},
        kind="money",
        contrary=("c.md",),
        points=(("30 days", "a month"), ("7日",)),
        references=("the owner", "the landlord"),
        history=tuple({"question": asked, "standalone": asked, "answer": ""} for asked in ("Hi?", "And?")),
    )


def test_kinds_that_mean_what_they_say(tmp_path: Path) -> None:
    none, chat = cases(tmp_path, "question,kind\nWhy?,unanswerable\nThanks!,small_talk\n")
    assert (none.answerable, none.needs_lookup) == (False, True)
    assert (chat.answerable, chat.needs_lookup) == (True, False)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_as_spreadsheets_save_it(tmp_path: Path, encoding: str) -> None:
    [case] = cases(
        tmp_path, "Question ,GOLD\r\n电梯维修费用由谁承担？按照物业管理规定应当怎么处理？,费用.md\r\n", encoding
    )
    assert (case.question[:4], case.gold) == ("电梯维修", ("费用.md",))


def test_an_id_is_of_the_question_so_that_lines_may_move(tmp_path: Path) -> None:
    first = cases(tmp_path, "question,gold\nA?,a\nB?,b\n")
    moved = cases(tmp_path, "gold,question\nb,B?\n,\na,A?\n")
    assert {case.id: case.question for case in first} == {case.id: case.question for case in moved}


def test_ids_that_have_in_them_what_stands_between_ids(tmp_path: Path) -> None:
    [case] = cases(tmp_path, 'question,gold\nA?,"[""a;b.md"", ""c""]"\n')
    assert case.gold == ("a;b.md", "c")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('question,gold\n"a\nb?",a\nB?\n', "line 4: it has 1 of the 2 cells"),
        ("question,gold\nA?,a\n,b\n", "line 3: the question is empty"),
        ("question,gold\nA?,a\nB?,\n", "line 3: nothing to measure an answer by"),
        ("question,gold,kind\nA?,a,\nB?,b,unanswerable\n", "line 3: a question of the kind unanswerable has no gold"),
        ("question,gold\nA?,a\nA?,b\n", "line 3: the same question, or its id, stands in line 2 already"),
        ("question,gold,filter\nA?,a,\nB?,b,{year}\n", "line 3: the filter is not JSON"),
        ("question,gold,filter\nA?,a,\nB?,b,[1]\n", "line 3: the filter is no JSON object"),
        ('question,gold\nA?,a\n"B?,b\n', "line 3: not a line of CSV"),
        ("question,golden\nA?,a\n", "line 1: there is no column 'golden'; there are question, answer"),
        ("gold\na\n", "line 1: a column named 'question' is needed"),
        ("question,question\nA?,a\n", "line 1: a column named 'question' is needed, and each column once"),
        ("question,gold\n", "there is no question in it"),
        ("", "line 1: a column named 'question' is needed"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path: Path, text: str, wrong: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read(tmp_path, text)
    assert wrong in refused.value.sentence
    assert refused.value.sentence.startswith("mine.csv")


def test_gold_that_is_in_no_document_is_refused(tmp_path: Path) -> None:
    rows = read(tmp_path, "question,gold\nA?,a\nB?,a; b\n")
    sheet.check_documents(tmp_path / "mine.csv", rows, {"a", "b"})
    with pytest.raises(BadRequest, match="line 3: there is no document 'b' in the knowledge base"):
        sheet.check_documents(tmp_path / "mine.csv", rows, {"a"})


def test_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        sheet.read(tmp_path / "mine.csv")
