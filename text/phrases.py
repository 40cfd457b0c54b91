"""Dictionary entries that are not plain Chinese words, found in a text whatever stands around their blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from text.scripts import CJK, WORD

_HEAD: Final = re.compile(rf"{WORD}|[{CJK}]")
_SEAM: Final = re.compile(rf"\s+|(?<=[{CJK}])(?=[^\W_{CJK}])|(?<=[^\W_{CJK}])(?=[{CJK}])")
"""Where a blank may stand or not: at blanks, and between Chinese and other letters."""
_BLANK: Final = r"\s{0,3}"


class Phrases:
    """Entries by the word they begin with, so that a text is looked through once however many there are."""

    def __init__(self, entries: Iterable[str]) -> None:
        """`entries` are folded, as is every text to come."""
        self._by_head: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for entry in sorted(entries, key=lambda entry: (-len(entry), entry)):
            if (head := _HEAD.search(entry)) is not None:
                self._by_head.setdefault(head[0], []).append((re.compile(_pattern(entry, head.start())), entry))

    def find(self, text: str) -> Iterator[str]:
        """The entries in the text, in order and as they were given: the longest at each word."""
        if not self._by_head:
            return
        for head in _HEAD.finditer(text):
            known = self._by_head.get(head[0], ())
            entry = next((entry for pattern, entry in known if pattern.match(text, head.start())), None)
            if entry is not None:
                yield entry


def _pattern(entry: str, start: int) -> str:
    """Matches from the entry's first word on; what ends in a letter or digit must end a word there."""
    before = f"(?<={re.escape(entry[:start])})" if start else ""
    body = _BLANK.join(re.escape(part) for part in _SEAM.split(entry[start:]))
    after = rf"(?![^\W_{CJK}])" if re.match(rf"[^\W_{CJK}]", entry[-1]) else ""
    return f"{before}{body}{after}"
