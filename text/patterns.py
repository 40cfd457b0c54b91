"""Matching a pattern of a stranger: in time linear in the text, whatever the pattern (docs/decisions/0039)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import re2

from errors import BadRequest

MEMORY: Final = 1 << 20
"""Bytes that a pattern may take compiled; one of more is refused."""
SECONDS: Final = 1.0
"""Of matching altogether, looked at between two texts."""
LONGEST_FAULT: Final = 80


class Matcher:
    """A compiled pattern; upper and lower case are the same. `texts` counts those that were looked at.

    Raises `errors.BadRequest` with what is wrong with the pattern.
    """

    def __init__(self, pattern: str, *, regex: bool) -> None:
        options = re2.Options()
        options.max_mem = MEMORY
        options.log_errors = False
        options.case_sensitive = False
        try:
            self._compiled = re2.compile(pattern if regex else re2.escape(pattern), options)
        except re2.error as error:
            raise BadRequest(_fault(error), code="bad_pattern") from error
        self._left = SECONDS
        self.texts = 0

    @property
    def timed_out(self) -> bool:
        """Whether matching took so long that no further text is looked at."""
        return self._left <= 0

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the pattern stands, in characters; an empty match is none."""
        if self.timed_out:
            return
        started = time.monotonic()
        found = [match.span() for match in self._compiled.finditer(text)]
        self._left -= time.monotonic() - started
        self.texts += 1
        yield from ((start, end) for start, end in found if end > start)


def _fault(error: Exception) -> str:
    """RE2 says it in bytes."""
    told = error.args[0] if error.args else ""
    words = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
    return " ".join(words.split())[:LONGEST_FAULT].rstrip(".")
