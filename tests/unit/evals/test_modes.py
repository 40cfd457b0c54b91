from __future__ import annotations

import pytest

from errors import BadRequest
from evals.modes import MODES, chosen, first_round, one_pass, plain
from runs import engine
from tests.fakes.run import dials


def test_the_loop_is_what_is_deployed() -> None:
    assert MODES["loop"](dials()) == dials()


def test_one_pass_may_use_what_all_rounds_may() -> None:
    given = dials(max_retries=3, top_k=30, grades_per_sub_question=3, grades_per_round=9)
    more = {"top_k": 120, "grades_per_sub_question": 12, "grades_per_round": 36}
    assert one_pass(given) == {**given, "max_retries": 0, **more}
    assert first_round(given) == {**given, "max_retries": 0}


def test_every_built_mode_is_a_position_and_so_are_two_of_the_loop() -> None:
    assert set(MODES) == {*engine.MODES, "first_round", "one_pass"}
    assert {name: plain(name).mode for name in engine.MODES} == {mode: mode for mode in engine.MODES}
    assert plain("one_pass").mode == "loop"


def test_names_are_taken_once_and_unknown_ones_refused() -> None:
    assert chosen("loop, one_pass,loop", ()) == ("loop", "one_pass")
    assert chosen(None, ("loop",)) == ("loop",)
    for wrong in ("", "loop,", "magic"):
        with pytest.raises(BadRequest, match=r"there are .*one_pass"):
            chosen(wrong, ())
