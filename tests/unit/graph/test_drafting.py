from __future__ import annotations

import pytest

from graph.drafting import COST, share
from policy.modes import SEARCHES, WAYS
from state import Mode
from tests.fakes.run import dials, runtime


@pytest.mark.parametrize("mode", WAYS)
def test_a_mode_without_a_rewrite_has_room_for_a_draft_one_call_sooner(mode: Mode) -> None:
    calls, tokens = (4, 15_400) if mode in SEARCHES else (5, 16_800)
    context = runtime().context
    for short in ({"max_model_calls": calls - 1}, {"max_tokens": tokens - 1}):
        assert share(context, dials(**short), mode) is None
    assert share(context, dials(max_model_calls=calls, max_tokens=tokens), mode) == COST
