import pytest

from errors import Conflict
from runs.locks import ThreadLocks


def test_a_second_run_of_a_thread_is_refused_and_told_which_run_has_it() -> None:
    locks = ThreadLocks()
    with locks.hold("t", "first"):
        with pytest.raises(Conflict, match="first"), locks.hold("t", "second"):
            pass
        assert locks.running("t") == "first"


def test_threads_do_not_wait_for_one_another() -> None:
    locks = ThreadLocks()
    with locks.hold("a", "1"), locks.hold("b", "2"):
        assert (locks.running("a"), locks.running("b")) == ("1", "2")


def test_a_run_that_fails_lets_go() -> None:
    locks = ThreadLocks()
    with pytest.raises(ZeroDivisionError), locks.hold("t", "1"):
        raise ZeroDivisionError
    with locks.hold("t", "2"):
        assert locks.running("t") == "2"
    assert locks.running("t") is None
