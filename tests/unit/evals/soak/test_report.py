from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from evals.markdown import fill
from evals.soak.memory import MB, Sample
from evals.soak.phases import Disturbed, Watched, by_thread
from evals.soak.report import blocks, complaints, counts, lines
from evals.soak.turn import Turn
from evals.soak.verdict import KINDS, Fault
from tests.unit.evals.soak.made import STAYS, THREAD, turn


def disturbed(*more: Turn) -> Disturbed:
    return Disturbed(
        turns=[turn(1), turn(2), *more],
        threads=1,
        ends=Counter({"SIGKILL": 2, "SIGTERM": 1}),
        stopped_in_s=[1.0],
        faults=[],
        wrong=[],
        held=0,
        unsound={},
    )


def watched(mb_a_minute: float) -> Watched:
    steps = [Sample(float(s), 400 * MB + int(s * mb_a_minute * MB / 60), 0, 10 * s) for s in range(120)]
    return Watched(warm_up_asks=100, warm_up_s=30, samples=steps)


def failed(found: Disturbed, seen: Watched | None = None) -> list[str]:
    return [line.name for line in lines(found, seen) if not line.held]


def test_all_holds_when_nothing_is_wrong() -> None:
    assert failed(disturbed(), watched(0.4)) == []


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_fault_of_any_kind_fails_its_line_and_is_told(kind: str) -> None:
    found = replace(disturbed(), faults=[Fault(kind, THREAD, "So it was.")])  # type: ignore[arg-type]  # of KINDS
    assert failed(found) == [KINDS[kind]]  # type: ignore[index]  # of KINDS
    assert list(complaints(found)) == [f"{kind}, thread {THREAD}: So it was."]


@pytest.mark.parametrize(
    "spoilt",
    [
        {"held": 1},
        {"unsound": {"threads.sqlite": "row 1 missing"}},
        {"wrong": ["Life 1 did not end."]},
        {"ends": Counter({"SIGTERM": 3})},
        {"turns": []},
    ],
)
def test_each_other_line_can_fail(spoilt: dict[str, object]) -> None:
    assert len(failed(replace(disturbed(), **spoilt))) == 1  # type: ignore[arg-type]  # fields by name


def test_a_refusal_that_nothing_explains_fails() -> None:
    busy, full = turn(3, ended=False), turn(4, ended=False)
    busy.refused, full.refused = "thread_busy", "disk_full"
    assert failed(disturbed(busy)) == []
    assert failed(disturbed(busy, full)) == ["kinds of refusal that nothing explains"]


def test_memory_that_grows_too_fast_fails() -> None:
    (name,) = failed(disturbed(), watched(1.2))
    assert name.startswith("resident memory")


def test_counts_tell_who_left_and_came_back() -> None:
    gone = turn(3, plan=replace(STAYS, on_disconnect="continue", leaves_after=1), ended=False)
    gone.left = gone.came_back = True
    told = counts(disturbed(gone))
    assert (told["left by their asker, to go on"], told["of these come back to with `Last-Event-ID`"]) == (1, 1)
    assert (told["questions sent"], told["answered to their asker"]) == (3, 2)


def test_the_page_gets_every_table() -> None:
    page = "".join(f"<!-- table: soak-{name} -->\n<!-- end -->\n" for name in ("run", "lines", "counts", "memory"))
    found = disturbed()
    written = fill(page, blocks(lines(found, watched(0.4)), found, watched(0.4), {"date": "today"}))
    assert "| date | today |" in written
    assert "| growth, MB a minute | +0.40 |" in written
    assert "Not measured." in fill(page, blocks(lines(found, None), found, None, {}))


def test_a_turn_that_never_learnt_of_its_thread_is_in_none() -> None:
    unknown = Turn(turn(5).question, STAYS, None, 0)
    assert list(by_thread([turn(1), unknown])) == [THREAD]
