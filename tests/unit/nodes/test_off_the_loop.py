"""Work of the processor runs in a thread, so that other asks of the process go on meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from context.reasoning import Rewrite
from nodes.contradicted import capped
from nodes.evaluate import evaluate
from nodes.rewrite import rewrite
from policy.proposal import propose
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.run import runtime, state
from tests.unit.nodes.test_evaluate import PASSAGES, judge, searched


def watched(real: Callable[..., Any], at: list[int]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        at.append(threading.get_ident())
        return real(*args)

    return call


async def test_grades_are_capped_and_filters_proposed_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    at: list[int] = []
    monkeypatch.setattr("nodes.evaluate.capped", watched(capped, at))
    monkeypatch.setattr("nodes.rewrite.propose", watched(propose, at))
    asked, retriever = await searched(PASSAGES)
    await evaluate(asked, runtime(ScriptedReasoner(grade=[judge]), retriever))
    await rewrite(state(), runtime(ScriptedReasoner(rewrite=[Rewrite((), ())])))
    assert len(at) == 2
    assert threading.get_ident() not in at
