import pytest
from langgraph.types import Interrupt, PregelTask, StateSnapshot

from errors import Conflict
from runs.waiting import awaited, refuse_waiting


def snapshot(*interrupts: Interrupt) -> StateSnapshot:
    task = PregelTask("t", "handoff", (), interrupts=interrupts)
    return StateSnapshot({}, ("handoff",), {}, None, None, None, (task,), interrupts)


def test_a_pending_interrupt_is_what_is_awaited() -> None:
    assert awaited(snapshot(Interrupt({"question": "q"}, id="i"))) == {"question": "q"}
    assert awaited(snapshot()) is None


def test_a_thread_that_waits_refuses_with_the_way_out() -> None:
    refuse_waiting(snapshot())
    with pytest.raises(Conflict, match=r"/reply .*decline"):
        refuse_waiting(snapshot(Interrupt({}, id="i")))
