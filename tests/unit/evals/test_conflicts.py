"""Which conflicts count as what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from evals.conflicts import counted, kinds, run
from state import RAGState
from tests.fakes.run import state
from tests.unit.policy.test_ledger import evidence


def ended(sides: tuple[str, ...], **changed: Any) -> RAGState:
    found = [cast(Any, {**evidence("q1", name, 0.9), "doc_id": name}) for name in ("gold", "also", "false", "lie")]
    conflicts = [{"sub_question_id": "q1", "sides": [e for e in found if e["doc_id"] in sides]}] if sides else []
    return state(ledger=[{"sub_question_id": "q1", "evidence": found}], conflicts=conflicts, **changed)


@pytest.mark.parametrize(
    ("sides", "found"),
    [
        ((), set()),
        (("gold", "false"), {"true"}),
        (("gold", "also"), {"ambiguous"}),
        (("false", "lie"), {"other"}),
    ],
)
def test_a_conflict_is_told_by_its_sides(sides: tuple[str, ...], found: set[str]) -> None:
    assert kinds(ended(sides), ["gold", "also"], ["false", "lie"]) == {"asked", "possible", *found}


def test_how_it_ended_counts_too() -> None:
    assert kinds(ended((), stop_reason="conflict"), ["none"], []) == {"asked", "stopped"}


def lines(file: Path, *rows: dict[str, Any]) -> None:
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")


async def test_a_folder_is_asked(tmp_path: Path) -> None:
    texts = {
        "a": "The footage of the lobby cameras is stored for 30 days.",
        "b": "The footage of the lobby cameras is stored for 7 days.",
    }
    lines(tmp_path / "corpus.jsonl", *({"id": name, "title": name, "text": text} for name, text in texts.items()))
    case = {
        "id": "1",
        "question": "How long is the footage of the lobby cameras stored?",
        "gold": ["a"],
        "answerable": True,
    }
    lines(tmp_path / "questions.jsonl", {**case, "extra": {"conflicting": ["b"]}}, {**case, "id": "2"})
    counts = await counted(tmp_path, tmp_path / "data", 1)
    assert counts == {"asked": 1, "possible": 1, "true": 1, "stopped": 1}


def test_a_folder_without_a_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"There is no corpus\.jsonl"):
        run([str(tmp_path)])
