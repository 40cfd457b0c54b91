from __future__ import annotations

from graph.routes import after_evaluate, after_rewrite, after_route
from policy.modes import SEARCHES, WAYS
from tests.fakes.run import state

TRIED = [{"text": "fee", "gap": None, "round": 0, "new_hits": 1}]
GRADED = [{"sub_question_id": "q1", "chunk_id": "c", "score": 0.1}]


def test_a_stop_reason_always_leads_to_the_answer() -> None:
    stopped = state(stop_reason="deadline")
    assert {after_route(stopped), after_rewrite(stopped), after_evaluate(stopped)} == {"generate"}


def test_what_has_no_answer_goes_to_a_person_only_where_it_may_be_handed_over() -> None:
    for handoff, reason, where in (
        (True, "max_retries", "handoff"),
        (False, "max_retries", "generate"),
        (True, "sufficient", "generate"),
        (True, "source_unavailable", "generate"),
    ):
        stopped = state(stop_reason=reason, handoff=handoff, tried=TRIED, graded=GRADED)
        assert after_rewrite(stopped) == after_evaluate(stopped) == where
    assert after_route(state(stop_reason="empty_corpus", handoff=True)) == "generate"


def test_what_looked_at_no_document_is_for_no_person() -> None:
    for tried in ([], TRIED):
        stopped = state(stop_reason="call_budget", handoff=True, tried=tried)
        assert after_rewrite(stopped) == after_evaluate(stopped) == "generate"


def test_both_sides_of_a_conflict_are_for_the_asker_and_no_person() -> None:
    sides = [{"chunk_id": "c"}, {"chunk_id": "d"}]
    stopped = state(
        stop_reason="call_budget",
        handoff=True,
        tried=TRIED,
        graded=GRADED,
        sub_questions=[{"id": "q1", "text": "t", "required": True}],
        conflicts=[{"sub_question_id": "q1", "sides": sides}],
    )
    assert after_evaluate(stopped) == "generate"
    assert after_evaluate({**stopped, "conflicts": []}) == "handoff"


def test_a_thread_of_before_there_was_a_handover_is_not_handed_over() -> None:
    old = state(stop_reason="max_retries")
    del old["handoff"]
    assert after_evaluate(old) == "generate"


def test_otherwise_the_round_goes_on() -> None:
    going = state()
    assert (after_route(going), after_rewrite(going), after_evaluate(going)) == ("rewrite", "retrieve", "rewrite")


def test_the_mode_says_where_the_route_leads_and_whether_a_gap_leads_back() -> None:
    first = {mode: after_route(state(mode=mode)) for mode in WAYS}
    assert first == {**dict.fromkeys(WAYS, "rewrite"), **dict.fromkeys(SEARCHES, "retrieve")}
    assert [mode for mode in WAYS if after_evaluate(state(mode=mode)) == "rewrite"] == ["loop"]


def test_a_stop_reason_leads_to_the_answer_in_every_mode() -> None:
    for mode in WAYS:
        stopped = state(mode=mode, stop_reason="single_pass")
        assert {after_route(stopped), after_rewrite(stopped), after_evaluate(stopped)} == {"generate"}
