"""What Python itself would write to stderr, as log lines: warnings of libraries, and failures that nobody waits for.

Its own form has paths of the machine and the words of exceptions.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from pathlib import PurePath
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

log = logging.getLogger("gapseek.strays")


def capture() -> None:
    """Take them from now on."""
    warnings.showwarning = _warned
    threading.excepthook = _thread_failed
    sys.unraisablehook = _unraisable


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    log.warning("%s at %s:%d", category.__name__, PurePath(filename).name, lineno)


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_type is not SystemExit and failed.exc_value is not None:
        log.error("A thread failed", exc_info=(failed.exc_type, failed.exc_value, failed.exc_traceback))


def _unraisable(failed: UnraisableHookArgs) -> None:
    if failed.exc_value is not None:
        log.error("A failure while cleaning up", exc_info=(failed.exc_type, failed.exc_value, failed.exc_traceback))
