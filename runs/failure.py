"""What a failed run may say of itself: a code and a sentence, never the text of a stranger's exception."""

from __future__ import annotations

import errno
import logging
import sqlite3
from dataclasses import dataclass
from pathlib import PurePath
from traceback import extract_tb

from errors import GapseekError

log = logging.getLogger("gapseek")


@dataclass(frozen=True)
class Failure:
    """An error as a client may see it, in an event or in a problem+json."""

    status: int
    code: str
    sentence: str
    retryable: bool


def failure(error: Exception, reference: str) -> Failure:
    """Our own errors speak for themselves; any other becomes `internal` and is logged under the reference."""
    if isinstance(error, GapseekError):
        if error.status >= 500:
            log.warning("%s failed: %s", reference, error.reason)
        return Failure(error.status, error.reason, error.sentence, error.retryable)
    if _disk_full(error):
        log.error("%s failed: the disk is full", reference)
        return Failure(503, "disk_full", "The disk is full: make room and try again.", True)
    log.error("%s failed: %s at %s", reference, type(error).__name__, _where(error))
    return Failure(500, "internal", f"Something failed inside the service; the log names it under {reference}.", False)


def _disk_full(error: Exception) -> bool:
    """As a saver of checkpoints, which is not ours, says it."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno == errno.ENOSPC


def _where(error: Exception) -> str:
    """File name and line that raised: enough to find it, without the message, which may hold data or a path."""
    frames = extract_tb(error.__traceback__)
    return f"{PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown line"
