from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errors import BadRequest
from evals.sets import CARRIED, elevator, from_folder, half, named

DOCUMENTS = [
    {"id": "d1", "title": "", "text": "一", "metadata": {"year": 2024}},
    {"id": "d2", "title": "T", "text": "二"},
]
QUESTIONS = [
    {"id": "q1", "question": "一？", "gold": ["d1"], "answerable": True, "extra": {"filter": {"year": 2024}}},
    {"id": "q2", "question": "二？", "gold": ["d2"], "answerable": True},
    {"id": "q3", "question": "三？", "gold": [], "answerable": False},
]


def written(folder: Path) -> Path:
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, DOCUMENTS)), "utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    return folder


def test_the_sample_has_its_hundred_questions() -> None:
    built_in = elevator()
    assert (len(built_in.documents), len(built_in.cases), len(built_in.asked)) == (14, 87, 100)
    assert all(case.points and case.references for case in built_in.cases)
    assert sum(bool(case.history) for case in built_in.asked) == 10


def test_a_folder_gives_documents_and_answerable_questions(tmp_path: Path) -> None:
    read = from_folder(written(tmp_path))
    assert [(d.doc_id, d.title, d.metadata) for d in read.documents] == [("d1", None, {"year": 2024}), ("d2", "T", {})]
    assert [(c.gold, c.filter) for c in read.cases] == [(("d1",), {"year": 2024}), (("d2",), None)]


def test_a_set_is_named_by_what_it_is_carried_as_or_by_its_folder(tmp_path: Path) -> None:
    assert [named(name).name for name in CARRIED] == list(CARRIED)
    folder = tmp_path / "own"
    folder.mkdir()
    assert named(str(written(folder))).name == "own"


def test_kinds_and_look_alikes_are_read_and_traps_need_no_answer(tmp_path: Path) -> None:
    folder = written(tmp_path)
    trap = {"id": "q4", "question": "四？", "gold": [], "answerable": False, "kind": "absent"}
    with (folder / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(trap | {"extra": {"filter": {"year": 2024}, "other_jurisdictions": ["d2"]}}))
    read = from_folder(folder)
    assert [case.id for case in read.cases] == ["q1", "q2"]
    assert [(case.id, case.kind, case.filter, case.look_alikes) for case in read.traps] == [
        ("q4", "absent", {"year": 2024}, ("d2",))
    ]


def test_all_questions_with_what_an_answer_must_say_and_what_was_said_before(tmp_path: Path) -> None:
    more: list[dict[str, Any]] = [
        {"id": "q4", "answers": ["a", "b"], "kind": "single", "extra": {"history": ["agent: Hi", "user: A: b?"]}},
        {"id": "q5", "answers": ["a", "b"], "kind": "multi_part", "extra": {"conflicting": ["d1"]}},
        {"id": "q6", "answers": ["a", "b"], "kind": "", "extra": {"all_answers_required": True}},
        {"id": "q7", "answers": ["a"], "kind": "", "extra": {"long_form": True}},
        {"id": "q8", "answers": ["a"], "kind": "", "answerable": False},
    ]
    lines = [json.dumps({"question": "?", "gold": ["d1"], "answerable": True, **question}) for question in more]
    (written(tmp_path) / "questions.jsonl").write_text("\n".join(lines), "utf-8")
    asked = {case.id: case for case in from_folder(tmp_path).asked}
    assert [case.points for case in asked.values()] == [(("a", "b"),), (("a",), ("b",)), (("a",), ("b",)), (), ()]
    assert [case.references for case in asked.values()] == [("a", "b"), ("a", "b"), ("a", "b"), ("a",), ()]
    assert asked["q4"].history == ({"question": "A: b?", "standalone": "A: b?", "answer": ""},)
    assert asked["q5"].contrary == ("d1",)
    assert not asked["q8"].answerable


def test_turns_hold_all_that_was_answered(tmp_path: Path) -> None:
    said = ["user: One?", "agent: 1", "agent: and 2", "user: Two?", "agent: Yes: 2"]
    question = {"id": "q", "question": "?", "gold": [], "answerable": False, "extra": {"history": said}}
    (written(tmp_path) / "questions.jsonl").write_text(json.dumps(question), "utf-8")
    turns = from_folder(tmp_path).asked[0].history
    assert [(turn["question"], turn["answer"]) for turn in turns] == [("One?", "1\nand 2"), ("Two?", "Yes: 2")]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (written(tmp_path) / "questions.jsonl").write_text('{"question": 1\n', "utf-8")
    with pytest.raises(BadRequest, match=r"questions\.jsonl, line 1"):
        from_folder(tmp_path)
    with pytest.raises(BadRequest, match=r"no corpus\.jsonl"):
        from_folder(tmp_path / "nowhere")


def test_the_halves_part_the_questions() -> None:
    whole = elevator()
    even, odd = half(whole, "even"), half(whole, "odd")
    assert {case.id for case in even.cases} | {case.id for case in odd.cases} == {case.id for case in whole.cases}
    assert len(even.cases) + len(odd.cases) == len(whole.cases)
    assert len(even.asked) + len(odd.asked) == len(whole.asked)
