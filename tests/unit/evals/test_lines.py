from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errors import BadRequest
from evals.lines import QuestionLine, checked, records

GOOD = {"id": "q1", "question": "Who?", "gold": ["d"], "answerable": True, "answers": ["me"], "extra": {"x": 1}}


def lines(folder: Path, *given: Any) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in given), "utf-8")
    return file


def test_what_a_set_has_is_read_as_it_is(tmp_path: Path) -> None:
    file = lines(tmp_path, GOOD, "", {**GOOD, "id": "q2", "kind": None})
    assert [record["id"] for record in checked(QuestionLine, file)] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("broken", "wrong"),
    [
        ('{"id": "q2", ', "not a JSON object"),
        ('["q2"]', "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ({name: value for name, value in GOOD.items() if name != "gold"}, "gold: field required"),
        ({**GOOD, "id": "q2", "answerable": "yes"}, "answerable: input should be a valid boolean"),
        ({**GOOD, "id": "q2", "gold": "d"}, "gold: input should be a valid list"),
        ({**GOOD, "id": "q2", "question": " "}, "question: "),
        (GOOD, "the id 'q1' stands in line 1 already"),
    ],
)
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, broken: Any, wrong: str) -> None:
    with pytest.raises(BadRequest, match=r"questions\.jsonl, line 3: ") as refused:
        list(checked(QuestionLine, lines(tmp_path, GOOD, "", broken)))
    assert wrong in refused.value.sentence


def test_bytes_that_are_no_text_are_a_broken_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"a": 1}\n\xff\xfe{}\n')
    with pytest.raises(BadRequest, match="line 2"):
        list(records(tmp_path / "x.jsonl"))
