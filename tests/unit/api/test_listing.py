"""Tables and JSON, as a terminal of 100 columns and as a pipe gets them."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from api.holdings import document_rows
from api.listing import hit_rows, print_json, show, step_rows

NOTHING = {
    "searches": 0,
    "model_calls": 0,
    "tool_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "estimated": False,
    "cost": None,
}
COST = {**NOTHING, "model_calls": 1, "input_tokens": 9, "output_tokens": 1, "estimated": True, "cost": 0.25}
STEPS: list[dict[str, Any]] = [
    step | {"why": {"code": "gap", "sentence": "so\x1b[2J"}, "cost": cost}
    for step, cost in (
        (
            {
                "checkpoint_id": "c-1",
                "node": "start",
                "round": 0,
                "duration_ms": None,
                "changed": {"question": "谁付？"},
            },
            NOTHING,
        ),
        (
            {"checkpoint_id": "c-2", "node": "evaluate", "round": 1, "duration_ms": 3.2}
            | {"changed": {"relevance_score": 0.5}},
            COST,
        ),
        ({"checkpoint_id": "c-3", "node": "unheard-of", "round": 0, "duration_ms": 1.0, "changed": {}}, NOTHING),
    )
]


def drawn(table: Table) -> list[list[str]]:
    out = StringIO()
    Console(file=out, width=100).print(table)
    return [line.split() for line in out.getvalue().splitlines()]


def test_a_history_is_a_row_a_step() -> None:
    assert drawn(step_rows({"steps": STEPS})) == [
        ["checkpoint", "round", "node", "ms", "did", "cost", "why"],
        ["c-1", "1", "start", "谁付？", "so[2J"],
        ["c-2", "2", "evaluate", "3", "relevance", "0.50", "1", "calls,", "~10", "tokens,", "0.25", "so[2J"],
        ["c-3", "1", "unheard-of", "1", "so[2J"],
    ]


def test_hits_show_their_text_and_only_as_text() -> None:
    hit = {"rank": 1, "title": "六、费用", "chunk_id": "f.md#1a", "text": "[bold]修\x1b[2J理费[/bold] :smile:"}
    assert drawn(hit_rows({"hits": [hit]}))[1] == ["1", "六、费用", "f.md#1a", "[bold]修[2J理费[/bold]", ":smile:"]


def test_json_comes_out_as_it_went_in(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"answer": "由行为人承担[1]。 :smile: [bold]", "long": "字" * 300}
    print_json(value)
    assert json.loads(capsys.readouterr().out) == value


def test_what_goes_into_a_pipe_is_neither_cut_nor_folded(capsys: pytest.CaptureFixture[str]) -> None:
    doc_id = "制度/" + "a" * 300 + ".md"
    hit = {"rank": 1, "title": "t", "chunk_id": f"{doc_id}#1a2b", "text": "字" * 500}
    show(hit_rows({"hits": [hit]}))
    metadata = {"note": "x" * 200}
    document = {"doc_id": doc_id, "title": "t", "chunks": 1, "groups": [], "metadata": metadata}
    show(document_rows({"documents": [document]}))
    found, listed = capsys.readouterr().out.split("\ndocument")
    assert found.splitlines()[1].split() == ["1", "t", f"{doc_id}#1a2b", "字" * 500]
    assert listed.splitlines()[1].split() == [doc_id, "t", "1", "everybody", '{"note":', f'"{"x" * 200}"}}']


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_fit_a_terminal_and_only_the_id_goes_on_in_a_next_line(width: int) -> None:
    long = {"doc_id": "制度/" + "字" * 80, "title": "关于电梯的意见" * 12, "chunks": 12, "groups": ["hr"]}
    out = StringIO()
    Console(file=out, width=width).print(document_rows({"documents": [long | {"metadata": {"note": "x" * 90}}]}))
    first, *others = out.getvalue().splitlines()[1:]
    assert all(cell_len(line) <= width for line in (first, *others))
    assert (first.count("…"), "hr" in first.split()) == (2, True)
    assert "".join([first.split()[0], *map(str.strip, others)]) == long["doc_id"]
