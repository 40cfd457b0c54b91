from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.bench.kept import engine
from evals.results import Results
from evals.retrieval import run

DOCUMENTS = [{"id": "d1", "text": "电梯维修费用由业主承担"}, {"id": "d2", "text": "年假五天须提前申请"}]
QUESTIONS = [
    {"id": "q1", "question": "电梯维修费用？", "gold": ["d1"], "answerable": True},
    {"id": "q2", "question": "年假几天？", "gold": ["d2"], "answerable": True},
]


def written(folder: Path) -> Path:
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, DOCUMENTS)), "utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    return folder


def test_several_sets_in_one_call_and_their_results_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = [str(written(tmp_path / name)) for name in ("one", "two")]
    file = tmp_path / "results.json"
    run([*sets, "--only", "bm25", "--json", str(file), "--keep", str(tmp_path / "kept")])
    kept = Results(file).read().sets
    assert [(name, found.documents, found.rows[0].recall_5) for name, found in kept.items()] == [
        ("one", 2, 1.0),
        ("two", 2, 1.0),
    ]
    assert all(found.versions["code"] == engine() for found in kept.values())
    assert (tmp_path / "kept" / "one" / "index").is_dir()
    assert "mean of public sets" in capsys.readouterr().out


def test_a_run_goes_on_where_one_stopped(tmp_path: Path) -> None:
    sets = [str(written(tmp_path / name)) for name in ("one", "two")]
    file = tmp_path / "results.json"
    run([sets[0], "--only", "bm25", "--json", str(file)])
    before = json.loads(file.read_text("utf-8"))
    before["sets"][0]["chunks"] = 99  # a figure that measuring anew would not give
    file.write_text(json.dumps(before), "utf-8")
    run([*sets, "--only", "bm25", "--json", str(file), "--resume"])
    assert {name: found.chunks for name, found in Results(file).read().sets.items()} == {"one": 99, "two": 2}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["nowhere"], "no corpus.jsonl"), (["--only", "magic"], "no way of searching named 'magic'")],
)
def test_what_cannot_be_measured_is_one_sentence(arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit, match=sentence):
        run(arguments)
