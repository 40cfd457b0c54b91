"""A whole small run of the bench: it goes on where it stopped, and its results make every table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from errors import BadRequest
from evals.bench import __main__ as bench
from evals.bench import beside, growth, stages, whole
from evals.bench.contender import Contender, Loaded
from evals.bench.kept import Kept, environment
from evals.bench.material import from_sample
from evals.bench.stages import Bench, described
from evals.bench.tables import bench_page
from evals.bench.vectors import stand_in


def test_a_run_measures_each_size_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "COMPARED", (20,))
    monkeypatch.setattr(stages, "ROUNDS", {20: 3})
    material = from_sample(20, seed=1)
    passages = stand_in([piece.indexed for piece in material.pieces])
    said: list[str] = []
    kept = Kept(tmp_path / "bench.json")
    kept.put("environment", environment())
    kept.put("material", described(material, "stand-in"))
    bench = Bench(material, passages, stand_in(material.questions), tmp_path, kept, said.append)
    bench.run((20,))
    bench.run((20,))
    assert sum("ingest" in sentence for sentence in said) == 1
    assert [row["chunks"] for row in kept.parts["growth"]] == [0, 20]
    grown = kept.parts["growth"][1]
    assert (grown["added"], grown["plain"]["n"], grown["access"]["n"]) == (20, growth.ROUNDS, growth.ROUNDS)
    assert grown["disk_bytes"] > 0
    assert grown["vector_recall_10"] > 0.9
    assert not (tmp_path / "index").exists()
    assert json.loads((tmp_path / "bench.json").read_text("utf-8")) == kept.parts
    assert "| hybrid query, p50 ms |" in bench_page(kept.parts)


def test_a_rival_that_fails_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(loaded: Loaded, folder: Path) -> Contender:
        raise MemoryError("too large")

    monkeypatch.setattr(stages, "COMPARED", (20,))
    monkeypatch.setattr(stages, "ROUNDS", {20: 3})
    monkeypatch.setattr(beside, "installed", lambda say: [("broken", fails)])
    monkeypatch.setattr(growth, "in_child", lambda *given: {"memory": {}})
    material = from_sample(20, seed=1)
    said: list[str] = []
    kept = Kept(tmp_path / "bench.json")
    vectors = stand_in([piece.indexed for piece in material.pieces])
    Bench(material, vectors, stand_in(material.questions), tmp_path, kept, said.append).run((20,))
    assert {row["contender"] for row in kept.parts["hybrid"]} == {"gapseek", "bare prototype"}
    assert "20 chunks: broken failed and is left out: MemoryError('too large')" in said


def test_pieces_of_whole_chunks_are_compared_in_an_index_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "installed", lambda say: [])
    monkeypatch.setattr(whole, "ROUNDS", 3)
    lines = [{"id": f"d{number}", "text": f"第{number}号电梯的维修记录应当保存三年以上。"} for number in range(20)]
    questions = [{"question": f"第{number}号电梯的记录保存几年？"} for number in range(40)]
    for name, records in (("corpus", lines), ("questions", questions)):
        (tmp_path / "set").mkdir(exist_ok=True)
        (tmp_path / "set" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    console = Console(record=True, width=200)
    bench.main(bench.options(["--whole", "--data", str(tmp_path), "--out", str(tmp_path)]), console)
    found = json.loads((tmp_path / "whole.json").read_text("utf-8"))["whole"]
    both = [("gapseek", 20, 3), ("bare prototype", 20, 3)]
    assert [(row["contender"], row["chunks"], row["n"]) for row in found["hybrid"]] == both * 2
    assert "Searched: 20 pieces of 1 question sets, " in console.export_text()


def test_pieces_of_whole_chunks_need_question_sets(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="--data"):
        bench.main(bench.options(["--whole", "--out", str(tmp_path)]), Console(quiet=True))
