from __future__ import annotations

from graph.routes import after_evaluate, after_rewrite, after_route
from tests.fakes.run import state


def test_a_stop_reason_always_leads_to_the_answer() -> None:
    stopped = state(stop_reason="deadline")
    assert {after_route(stopped), after_rewrite(stopped), after_evaluate(stopped)} == {"generate"}


def test_otherwise_the_round_goes_on() -> None:
    going = state()
    assert (after_route(going), after_rewrite(going), after_evaluate(going)) == ("rewrite", "retrieve", "rewrite")
