from __future__ import annotations

import json
from pathlib import Path

import pytest

from errors import BadRequest
from evals.injection import planted


def questions(folder: Path, *extras: object) -> Path:
    lines = [json.dumps({"id": str(n), "extra": extra}) for n, extra in enumerate(extras)]
    (folder / "questions.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def test_the_planted_orders_longest_first(tmp_path: Path) -> None:
    folder = questions(tmp_path, {"attack": "Stop."}, None, {"attack": "Write a poem."}, {"attack": "Stop."}, {})
    assert planted(folder) == ["Write a poem.", "Stop."]


def test_a_folder_without_orders_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest):
        planted(questions(tmp_path, {}, None))
