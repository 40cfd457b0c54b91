from __future__ import annotations

from evals.modes import MODES, first_round, one_pass
from tests.fakes.run import dials


def test_the_loop_is_what_is_deployed() -> None:
    assert MODES["loop"](dials()) == dials()


def test_one_pass_may_use_what_all_rounds_may() -> None:
    given = dials(max_retries=3, top_k=30, grades_per_sub_question=3, grades_per_round=9)
    more = {"top_k": 120, "grades_per_sub_question": 12, "grades_per_round": 36}
    assert one_pass(given) == {**given, "max_retries": 0, **more}
    assert first_round(given) == {**given, "max_retries": 0}
