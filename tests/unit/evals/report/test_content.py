from __future__ import annotations

import pytest

from evals.bootstrap import RESAMPLES
from evals.ladder import RUNGS
from evals.record import Record
from evals.report import plots
from evals.report.blocks import Plot, Report, Table
from evals.report.content import base_of, report
from evals.report.findings import knee
from evals.report.html import page
from evals.report.markdown import summary
from evals.sweep import grid, sweep
from tests.unit.evals.records import record
from tests.unit.evals.test_compare import asked

VERSIONS = {"gapseek": "1.2.3", "python": "3.11", "processors": 2, "system": "Linux", "packages": {"numpy": "2.0"}}
RAN = "gapseek eval made --modes hybrid,loop --seed 4"
HOSTILE = "<img src=x onerror=alert(1)> 谁付维修费？ | [x](javascript:1)"


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What there is to say must not depend on what is installed."""
    monkeypatch.setattr(plots, "installed", lambda: False)


def two_kinds(mode: str, single: str, several: str) -> list[Record]:
    return [
        *asked(mode, single, kind="single"),
        *asked(mode, "0" * len(single) + several, kind="several")[len(single) :],
    ]


def made(*records: Record) -> Report:
    return report(records, RAN, VERSIONS)


def tables(found: Report) -> dict[str, Table]:
    return {block.title: block for section in found.sections for block in section.blocks if isinstance(block, Table)}


def test_every_table_says_which_command_seed_and_versions_its_numbers_are_from() -> None:
    records = two_kinds("hybrid", "1100", "00") + two_kinds("loop", "1111", "10")
    found = made(*(record_of(r, seed=4, reasoner="offline-1", version="1.2.3") for r in records))
    assert {"Every mode", "Beside hybrid", "Right, by kind of question", "Stop reasons"} <= tables(found).keys()
    for table in tables(found).values():
        assert RAN in table.source
        assert "seed 4" in table.source
        assert "code c0de" in table.source
        assert "gapseek 1.2.3" in table.source
        assert "numpy 2.0" in table.source
        assert "offline-1 (rules, no model)" in table.source
        assert f"{RESAMPLES:,} bootstrap resamples" in table.source


def record_of(one: Record, **changed: object) -> Record:
    return Record(**{**vars(one), **changed})


def test_the_gain_its_interval_and_its_price_are_told() -> None:
    base = asked("hybrid", "0" * 12, searches=1)
    found = made(*base, *asked("loop", "1" * 12, searches=4))
    [row] = tables(found)["Beside hybrid"].rows
    assert row == (
        *("loop", "12", "0.000", "1.000", "+1.000 (+1.000 to +1.000)", "0", "12", "0.000", "0.000", "better"),
        *("3.0", "costs no more", "costs no more"),
    )
    assert found.findings == (
        "loop is better than hybrid on 12 questions: 1.000 against 0.000, +1.000 (+1.000 to +1.000), adjusted p 0.000. "
        "Extra for each question more that is right: 3.0 searches, costs no more model calls, costs no more tokens.",
    )


def test_a_mode_that_gains_nothing_is_said_to() -> None:
    even = made(*asked("hybrid", "10"), *asked("loop", "01"))
    assert even.findings[0].startswith("loop and hybrid cannot be told apart on 2 questions")
    assert tables(even)["Beside hybrid"].rows[0][-3:] == ("no gain",) * 3
    worse = made(*asked("hybrid", "1" * 12), *asked("loop", "0" * 12))
    assert worse.findings[0].startswith("loop is worse than hybrid")
    assert worse.findings[0].endswith("no gain.")


def test_what_the_average_hides_is_among_the_findings() -> None:
    up, down = "1" * 12, "0" * 12
    found = made(*two_kinds("hybrid", up, down), *two_kinds("loop", down, up))
    assert "cannot be told apart" in found.findings[0]
    assert [finding[:52] for finding in found.findings[1:]] == [
        "On questions of the kind “several” loop is better th",
        "On questions of the kind “single” loop is worse than",
    ]


def test_questions_that_tell_modes_apart_are_listed_in_their_own_words() -> None:
    found = made(
        *asked("hybrid", "10", question=HOSTILE), *asked("loop", "11", question=HOSTILE), *asked("naive", "110")
    )
    table = tables(found)["Where modes differ"]
    assert table.rows == (("q1", "single", HOSTILE, "✗", "✓", "✓"),)
    assert table.note.startswith("1 of 2 questions")
    assert "<img src=x" not in page(found)
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in page(found)
    said = summary(found)
    assert "<img" not in said.replace(r"\<img", "")
    assert r"\[x\](javascript:1)" in said
    assert r"谁付维修费？ \| " in said


def test_ladder_ablation_and_sweep_have_sections_of_their_own() -> None:
    rungs = [r for n, mode in enumerate(RUNGS) for r in asked(mode, "1" * (8 * n) + "0" * (40 - 8 * n))]
    points = [r for mode in grid([0.7], [0, 1, 2]) for r in asked(mode, "10" * int(mode[-1]) + "0" * 40, searches=2)]
    found = made(*rungs, *asked("loop-feedback", "1" * 40), *points)
    assert [section.title for section in found.sections] == [
        "Modes",
        "Ladder: what each part adds",
        "Ablation: what each part is worth",
        "Sweep of threshold and retries",
    ]
    assert "The gain goes on to the highest rung" in " ".join(found.findings)
    assert "“+ agent tools”" in tables(found)["Ladder"].note
    assert "loop-feedback" not in [row[0] for row in tables(found)["Every mode"].rows]
    assert page(found).count("<h2>") == 4


def test_the_knee_is_told_with_its_place() -> None:
    few, some, many = grid([0.6], [0, 1, 2])
    found = sweep([*asked(few, "1000", searches=1), *asked(some, "1110", searches=2), *asked(many, "1111", searches=9)])
    assert found is not None
    assert knee(found) == (
        "Over 3 settings the knee is at threshold 0.6 and 1 retries: 0.750 right for 2.00 searches a question."
    )


def test_sets_and_settings_are_kept_apart_by_name() -> None:
    found = made(record(1), record(1, mode="hybrid"), record(1, set="other"), record(1, set="other", mode="hybrid"))
    assert [section.title for section in found.sections] == [
        "made (settings not recorded): Modes",
        "other (settings not recorded): Modes",
    ]


def test_without_matplotlib_the_tables_are_whole_and_a_sentence_says_how_to_get_pictures() -> None:
    found = made(*asked("hybrid", "10"), *asked("loop", "11"))
    assert found.warnings == (plots.NOT_INSTALLED,)
    assert "pip install 'gapseek[eval]'" in page(found)
    assert not [block for section in found.sections for block in section.blocks if isinstance(block, Plot)]
    assert "Every mode" in tables(found)


def test_modes_are_compared_with_one_good_pass() -> None:
    assert base_of(["loop", "bm25", "hybrid"]) == "hybrid"
    assert base_of(["loop", "one_pass", "first_round"]) == "first_round"
    assert base_of(["self_query", "loop"]) == "self_query"
