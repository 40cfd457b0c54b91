"""Whole runs over a small set, with the machine as it is deployed but for the vector lane."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.embeddings.e5 import E5Embedder
from errors import Unavailable
from evals.answers import run
from evals.plan import Planned
from evals.record import Record, Records
from evals.trial import Trials

DOCUMENTS = [
    {"id": "bj", "text": "电梯维修费用由全体业主承担，北京。", "metadata": {"city": "北京"}},
    {"id": "sh", "text": "电梯维修费用由物业承担，上海。", "metadata": {"city": "上海"}},
    {"id": "leave", "text": "The notice period is 3 months. Employees have 20 days of leave."},
]
QUESTIONS = [
    {
        "id": "q1",
        "question": "电梯维修费用由谁承担？",
        "gold": ["sh"],
        "answers": ["物业"],
        "answerable": True,
        "kind": "city",
        "extra": {"filter": {"city": "上海"}, "other_jurisdictions": ["bj"]},
    },
    {
        "id": "q2",
        "question": "And how long is it?",
        "gold": ["leave"],
        "answers": ["3 months"],
        "answerable": True,
        "kind": "turns",
        "extra": {"history": ["user: What is the notice period?", "agent: I will look it up."]},
    },
    {"id": "q3", "question": "量子纠缠为何发生？", "gold": [], "answers": [], "answerable": False, "kind": "none"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    made = tmp_path / "made"
    made.mkdir()
    for name, lines in (("corpus", DOCUMENTS), ("questions", QUESTIONS)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return str(made)


def asked(folder: str, file: Path, *more: str) -> dict[tuple[str, str, bool], Record]:
    run([folder, "--json", str(file), *more])
    return {(record.id, record.mode, record.filtered): record for record in Records(file)}


def test_every_question_in_every_mode_and_under_its_filter(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = asked(folder, tmp_path / "r.jsonl")
    assert len(found) == 3 * 4, "three questions, one of them also under its filter, in three modes"
    assert {record.error for record in found.values()} == {None}
    under = found["q1", "loop", True]
    assert (under.status, [source.label for source in under.cited], under.not_to_cite) == ("answered", ["sh"], ["bj"])
    assert under.rounds[0].found == ["sh"]
    assert set(found["q1", "loop", False].rounds[0].found) >= {"sh", "bj"}
    assert found["q3", "loop", False].status == "insufficient"
    quoted = [source for record in found.values() for source in record.cited]
    assert quoted
    assert all(source.stands for source in quoted)
    assert not sum(record.unfounded + record.dangling for record in found.values())
    printed = capsys.readouterr().out
    assert "| made + filter, loop | 1 | 0 |" in printed, "nothing of another city is cited under the filter"


def test_the_turns_before_a_question_are_those_of_the_set(folder: str, tmp_path: Path) -> None:
    found = asked(folder, tmp_path / "r.jsonl", "--modes", "loop")
    follow_up = found["q2", "loop", False]
    assert "notice period" in follow_up.standalone, "which is named in the history only"
    assert follow_up.rounds[0].found == ["leave"]


def test_a_run_goes_on_where_one_stopped(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "r.jsonl"
    asked(folder, file, "--modes", "loop", "--keep", str(tmp_path / "kept"))
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + lines[2][:50], "utf-8")
    again: list[str] = []
    real = Trials.ask

    async def counted(self: Trials, ask: Planned) -> Record:
        again.append(ask.case.id)
        return await real(self, ask)

    monkeypatch.setattr(Trials, "ask", counted)
    found = asked(folder, file, "--modes", "loop", "--keep", str(tmp_path / "kept"))
    assert (len(again), len(found)) == (2, 4)
    asked(folder, file, "--modes", "loop", "--keep", str(tmp_path / "kept"))
    assert len(again) == 2


def test_two_runs_give_the_same_but_for_the_time(folder: str, tmp_path: Path) -> None:
    def timeless(found: Sequence[Record]) -> list[Record]:
        return [replace(record, latency_ms=0.0, first_event_ms=None, first_token_ms=None) for record in found]

    first = asked(folder, tmp_path / "1.jsonl", "--modes", "loop", "--keep", str(tmp_path / "kept"))
    second = asked(folder, tmp_path / "2.jsonl", "--modes", "loop", "--keep", str(tmp_path / "kept"))
    assert first.keys() == second.keys()
    assert timeless([first[key] for key in first]) == timeless([second[key] for key in first])


def test_an_ask_that_fails_is_a_result(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> Record:
        raise Unavailable("No lane.")

    monkeypatch.setattr(Trials, "_watched", fails)
    found = asked(folder, tmp_path / "r.jsonl", "--modes", "loop")
    assert {(record.status, record.error) for record in found.values()} == {("failed", "No lane.")}


def test_a_sample_is_always_the_same(folder: str, tmp_path: Path) -> None:
    first = {key[0] for key in asked(folder, tmp_path / "1.jsonl", "--modes", "loop", "--limit", "2")}
    second = {key[0] for key in asked(folder, tmp_path / "2.jsonl", "--modes", "loop", "--limit", "2")}
    assert len(first) == 2
    assert first == second


def test_the_halves_part_the_questions(folder: str, tmp_path: Path) -> None:
    halves = [
        {key[0] for key in asked(folder, tmp_path / f"{half}.jsonl", "--modes", "loop", "--half", half)}
        for half in ("odd", "even")
    ]
    assert halves[0] | halves[1] == {"q1", "q2", "q3"}
    assert not halves[0] & halves[1]


@pytest.mark.parametrize("arguments", [["nowhere"], ["elevator", "--modes", "magic"], ["elevator", "--limit", "0"], []])
def test_what_cannot_be_asked_ends_the_command(arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        run(arguments)
