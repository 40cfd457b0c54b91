"""What a failure says of itself."""

from __future__ import annotations

import errno
import logging
import sqlite3

import pytest

from errors import NotFound
from runs.failure import failure


def full_database() -> Exception:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("PRAGMA max_page_count = 2")
    try:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    except sqlite3.OperationalError as error:
        return error
    finally:
        connection.close()
    raise AssertionError("there was room")


@pytest.mark.parametrize("error", [full_database(), OSError(errno.ENOSPC, "No space left on device", "/secret")])
def test_a_full_disk_is_503_with_a_sentence(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    told = failure(error, "run 1")
    assert (told.status, told.code, told.retryable) == (503, "disk_full", True)
    assert told.sentence == "The disk is full: make room and try again."


def test_our_own_errors_speak_for_themselves_and_others_say_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    assert failure(NotFound("There is no such thread."), "run 1").sentence == "There is no such thread."
    for error in (OSError(errno.EACCES, "denied", "/secret"), sqlite3.OperationalError("no such table: secret")):
        told = failure(error, "run 1")
        assert (told.status, told.code) == (500, "internal")
        assert "secret" not in told.sentence
