from __future__ import annotations

import json

from evals.answers_report import blocks, report
from evals.record import Record
from tests.unit.evals.records import nothing, record, refused

TRAP = {"filtered": True, "not_to_cite": ["g"]}
ASKED: list[Record] = [
    record(4, **nothing(needs_lookup=False)),
    record(1),
    refused(2, kind="late"),
    refused(3, **nothing()),
    refused(1, mode="one_pass", stop_reason="max_retries"),
    refused(2, mode="one_pass"),
    refused(3, mode="one_pass", **nothing()),
    record(1, **TRAP),
    record(1, mode="one_pass", **TRAP),
    record(1, set="other", status="failed", stop_reason=None, cited=[], error="Down."),
]


def written() -> dict[str, list[str]]:
    kept = json.loads(json.dumps(report(ASKED)))
    return {name: table.splitlines()[2:] for name, table in blocks(kept).items()}


def test_every_set_mode_and_filter_has_a_row() -> None:
    rows = written()["statuses"]
    assert rows == [
        "| made, loop | 3 | 1 | 0 | 1 | 0 | 0 | 1 | 0 |",
        "| made, one_pass | 3 | 0 | 0 | 2 | 0 | 0 | 1 | 0 |",
        "| made + filter, loop | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |",
        "| made + filter, one_pass | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |",
        "| other, loop | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |",
    ]


def test_refusing_where_there_are_questions_without_an_answer() -> None:
    assert written()["abstention"] == [
        "| made, loop | 1 of 3 | 0.500 | 1.000 | 0.667 | 0.500 |",
        "| made, one_pass | 1 of 3 | 0.333 | 1.000 | 0.500 | 1.000 |",
    ]


def test_the_halves_are_those_of_the_loop_without_filter() -> None:
    counted = [row.split(" | ")[1] for row in written()["halves"]]
    assert sum(map(int, counted)) == 3


def test_the_loop_stands_beside_each_other_mode_on_the_same_questions() -> None:
    assert written()["gain"] == [
        "| made, one_pass | 3 | 1 | 1 | 0 | 1 | +1 | 1.000 |",
        "| made + filter, one_pass | 1 | 1 | 0 | 0 | 0 | +0 | 1.000 |",
    ]


def test_stop_reasons_stand_in_the_order_of_the_design_with_failed_asks_last() -> None:
    kept = report(ASKED)
    assert blocks(kept)["stops"].splitlines()[0] == "| set, mode | sufficient | no_new_evidence | max_retries | none |"
    assert written()["stops"][-1] == "| other, loop | 0 | 0 | 0 | 1 |"


def test_kinds_are_those_of_sets_with_several() -> None:
    assert written()["kinds"] == [
        "| made, loop: late | 1 | 0 | 0 | 1 | 0.000 | 0.000 |",
        "| made, loop: single | 2 | 1 | 0 | 1 | 1.000 | 1.000 |",
    ]


def test_what_must_not_be_cited_is_counted_where_it_is_named() -> None:
    assert written()["look-alikes"] == ["| made + filter, loop | 1 | 1 |", "| made + filter, one_pass | 1 | 1 |"]


def test_a_figure_of_nothing_is_a_dash() -> None:
    only = blocks(report([refused(1, **nothing())]))
    assert only["answers"].splitlines()[-1] == "| made, loop | 1 | – | – | – | – | 1.000 |"
    assert only["abstention"].splitlines()[-1] == "| made, loop | 1 of 1 | 1.000 | 1.000 | 1.000 | – |"


def test_the_page_says_which_code_answered_and_on_what() -> None:
    said = blocks(report([*ASKED, record(9, code="0ther")]))["environment"]
    assert said.startswith("Code 0ther, c0de; Python 3.")
    assert "numpy" in said
