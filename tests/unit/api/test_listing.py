"""Tables, JSON and bars, as a terminal of 100 columns gets them."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from api.listing import Bar, hit_rows, print_json, step_rows
from corpus.documents import Outcome

STEPS: list[dict[str, Any]] = [
    {"checkpoint_id": "c-1", "node": "start", "round": 0, "duration_ms": None, "changed": {"question": "谁付？"}},
    {"checkpoint_id": "c-2", "node": "evaluate", "round": 1, "duration_ms": 3.2, "changed": {"relevance_score": 0.5}},
    {"checkpoint_id": "c-3", "node": "unheard-of", "round": 0, "duration_ms": 1.0, "changed": {}},
]


def drawn(table: Table) -> list[list[str]]:
    out = StringIO()
    Console(file=out, width=100).print(table)
    return [line.split() for line in out.getvalue().splitlines()]


def test_a_history_is_a_row_a_step() -> None:
    assert drawn(step_rows({"steps": STEPS})) == [
        ["checkpoint", "round", "node", "ms", "did"],
        ["c-1", "1", "start", "谁付？"],
        ["c-2", "2", "evaluate", "3", "relevance", "0.50"],
        ["c-3", "1", "unheard-of", "1"],
    ]


def test_hits_show_their_text_and_only_as_text() -> None:
    hit = {"rank": 1, "title": "六、费用", "text": "[bold]修\x1b[2J理费[/bold] :smile:"}
    assert drawn(hit_rows({"hits": [hit]}))[1] == ["1", "六、费用", "[bold]修[2J理费[/bold]", ":smile:"]


def test_json_comes_out_as_it_went_in(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"answer": "由行为人承担[1]。 :smile: [bold]", "long": "字" * 300}
    print_json(value)
    assert json.loads(capsys.readouterr().out) == value


@pytest.mark.parametrize("done", [0, 2])
def test_where_no_person_looks_no_bar_is_drawn(done: int, capsys: pytest.CaptureFixture[str]) -> None:
    with Bar("Indexing") as bar:
        for count in range(1, done + 1):
            bar(count, done, Outcome("a", "added"))
    assert capsys.readouterr() == ("", "")


def test_a_person_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Bar("Indexing the sample") as bar:
        bar(1, 2, Outcome("a", "added"))
        bar(2, 2, Outcome("b", "added"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "Indexing the sample" in err
    assert "50%" in err or "100%" in err
