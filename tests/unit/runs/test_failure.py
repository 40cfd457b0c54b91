import errno
import logging
import sqlite3

import pytest

from errors import NotFound, Unavailable
from runs.failure import failure


def test_our_own_errors_speak_for_themselves() -> None:
    known = failure(Unavailable("The model does not answer.", code="model_down"), "run 1")
    assert (known.status, known.code, known.sentence, known.retryable) == (
        503,
        "model_down",
        "The model does not answer.",
        True,
    )
    assert failure(NotFound("x"), "run 1").code == "not_found"


def test_a_strangers_exception_says_nothing_but_where_to_look(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        try:
            raise ValueError("password hunter2 in /srv/alice")
        except ValueError as error:
            unknown = failure(error, "run 1")
    assert (unknown.status, unknown.code, unknown.retryable) == (500, "internal", False)
    assert "run 1" in unknown.sentence
    assert "ValueError at test_failure.py:" in caplog.text
    for secret in ("hunter2", "/srv/alice"):
        assert secret not in unknown.sentence + caplog.text


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
