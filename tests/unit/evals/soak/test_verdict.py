from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from evals.soak.kept import Kept
from evals.soak.turn import Turn
from evals.soak.verdict import faults, is_of_another
from tests.unit.evals.soak.made import STAYS, THREAD, answer_to, kept, turn

KILLED = {0: signal.SIGKILL}


def kinds(turns: list[Turn], found: Kept, ended_by: Mapping[int, signal.Signals] = KILLED) -> set[str]:
    return {fault.kind for fault in faults(THREAD, turns, found, ended_by)}


def test_what_is_as_it_has_to_be_has_no_fault() -> None:
    turns = [turn(1), turn(2), turn(3)]
    assert kinds(turns, kept(turns)) == set()


def test_a_turn_that_a_kill_cut_off_is_unfinished_and_no_fault() -> None:
    turns = [turn(1), turn(2, ended=False)]
    turns[1].broken = True
    assert kinds(turns, kept(turns, unfinished=True, status=None)) == set()


def test_a_question_that_nobody_knows_to_be_accepted_may_be_there_or_not() -> None:
    asked, doubtful = turn(1), turn(2, ended=False)
    doubtful.run_id, doubtful.broken, doubtful.seen = None, True, []
    told = kept([asked, doubtful], unfinished=True, status=None)
    assert kinds([asked, doubtful], told) == set()
    assert kinds([asked, doubtful], kept([asked, doubtful], without=[doubtful])) == set()


def lost(turns: list[Turn]) -> Kept:
    return kept(turns, without=turns[:1])


def answer_lost(turns: list[Turn]) -> Kept:
    whole = kept(turns)
    return replace(
        whole, answers={text: said for text, said in (whole.answers or {}).items() if text != turns[0].question.text}
    )


def doubled(turns: list[Turn]) -> Kept:
    whole = kept(turns)
    return replace(whole, begun=[whole.begun[0], *whole.begun])


def other_order(turns: list[Turn]) -> Kept:
    whole = kept(turns)
    return replace(whole, begun=[whole.begun[1], whole.begun[0], whole.begun[2]])


def a_stranger(turns: list[Turn]) -> Kept:
    whole = kept(turns)
    return replace(whole, begun=[*whole.begun, turn(50).question.text])


def answers_swapped(turns: list[Turn]) -> Kept:
    first, second = (one.question.text for one in turns)
    whole = kept(turns)
    answers = whole.answers or {}
    return replace(whole, answers={**answers, first: answers[second], second: answers[first]})


def no_last(turns: list[Turn]) -> Kept:
    refused = turn(999, ended=False)
    refused.run_id, refused.refused = None, "thread_busy"
    whole = kept(turns)
    return replace(whole, last=refused, begun=whole.begun[:-1])


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lost, "lost"),
        (answer_lost, "lost"),
        (doubled, "doubled"),
        (other_order, "mixed"),
        (a_stranger, "mixed"),
        (answers_swapped, "mixed"),
        (no_last, "stuck"),
        (lambda turns: kept(turns, running="a run"), "stuck"),
        (lambda turns: kept(turns, unfinished=True, status=None), "untold"),
        (lambda turns: kept(turns, question="Another?"), "untold"),
    ],
)
def test_each_fault_is_seen(spoil: Callable[[list[Turn]], Kept], kind: str) -> None:
    turns = [turn(1), turn(2)]
    assert kind in kinds(turns, spoil(turns))


def test_a_thread_that_is_gone_is_lost_with_its_turns() -> None:
    assert kinds([turn(1)], Kept(None)) == {"lost"}


def test_a_refused_question_must_not_be_in_the_history() -> None:
    refused = turn(2, ended=False)
    refused.run_id, refused.refused, refused.seen = None, "thread_busy", []
    turns = [turn(1), refused]
    assert kinds(turns, kept(turns, without=[refused])) == set()
    assert "doubled" in kinds(turns, kept(turns))


def test_a_turn_cut_by_a_kill_that_is_told_as_cancelled_is_told_wrongly() -> None:
    turns = [turn(1), turn(2, ended=False)]
    turns[1].broken = True
    assert kinds(turns, kept(turns, status="cancelled")) == {"untold"}
    assert kinds(turns, kept(turns, status="cancelled"), {0: signal.SIGTERM}) == set()


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_a_kill_before_the_first_step_of_a_question_that_nobody_was_told_of_is_unfinished(by: signal.Signals) -> None:
    asked, doubtful = turn(1), turn(2, ended=False, life=1)
    doubtful.run_id, doubtful.broken, doubtful.seen = None, True, []
    told = kept([asked, doubtful], without=[doubtful], unfinished=True, status=None, question=doubtful.question.text)
    assert kinds([asked, doubtful], told, {1: by}) == (set() if by == signal.SIGKILL else {"untold"})


def test_a_stop_before_the_first_step_of_such_a_question_may_be_told_as_its_end() -> None:
    asked, doubtful = turn(1), turn(2, ended=False, life=1)
    doubtful.run_id, doubtful.broken, doubtful.seen = None, True, []
    both = [asked, doubtful]
    told = kept(both, without=[doubtful], status="cancelled", question=doubtful.question.text)
    assert kinds(both, told, {1: signal.SIGTERM}) == set()
    doubtful.refused = "thread_busy"
    assert kinds(both, told, {1: signal.SIGTERM}) == {"untold"}


def test_unfinished_needs_a_kill() -> None:
    turns = [turn(1, ended=False)]
    assert kinds(turns, kept(turns, unfinished=True, status=None), {}) == {"untold"}


@pytest.mark.parametrize("seen", [[1, 2, 4], [1, 2, 2, 3], [2, 3]])
def test_an_event_lost_or_told_twice_is_seen(seen: list[int]) -> None:
    turns = [turn(1)]
    turns[0].seen = seen
    assert kinds(turns, kept(turns)) == {"gapped"}


def test_tokens_are_the_answer() -> None:
    turns = [turn(1)]
    turns[0].text += "!"
    assert kinds(turns, kept(turns)) == {"gapped"}


def test_an_answer_cut_short_is_nobody_elses() -> None:
    asked, other = turn(1), turn(2)
    assert not is_of_another(asked, answer_to(asked))
    assert not is_of_another(asked, "Stopped before anything was searched.")
    assert is_of_another(asked, answer_to(other))


def test_a_json_ask_has_no_events_to_count() -> None:
    json = turn(1, plan=replace(STAYS, streamed=False), ended=False)
    json.seen = []
    json.answered({"thread_id": THREAD, "run_id": "r", "answer": answer_to(json), "status": "answered"})
    assert kinds([json], kept([json])) == set()
