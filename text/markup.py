"""Markup in a text that is shown: nothing that runs, and nothing that is fetched from elsewhere."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"(?<![\\`])(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)")
_IMAGE: Final = re.compile(
    r"!\[(?P<alt>[^\[\]]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[(?!\d{1,3}\])[^\[\]\n]*\])"
)
_BEGUN_IMAGE: Final = re.compile(r"!\[(?!\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\](?!\())")
"""Not of `Wow![1]`, which cites."""
_SCRIPT_LINK: Final = re.compile(
    r"\[(?P<alt>[^\[\]]*)\]\(\s*<?\s*(?:javascript|data|vbscript)\s*:[^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)", re.IGNORECASE
)
_TAG: Final = re.compile(r"<(?=/?[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$)|!|\?)")
_OPENING: Final = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$", re.MULTILINE)


class Markup:
    """Text piece by piece, as it is sent, without markup that acts: `<` of a tag becomes `&lt;`, of an image its
    description stays. Code, in backticks or fenced, and comparisons (a < b) stay as they are."""

    def __init__(self) -> None:
        self._fence = ""
        self._line = ""

    def plain(self, piece: str) -> str:
        """The next piece of the text."""
        return "".join(self._plain_line(line) for line in piece.splitlines(keepends=True))

    def _plain_line(self, line: str) -> str:
        begun, self._line = self._line, "" if line.endswith("\n") else self._line + line
        if self._fence:
            if not begun and self._closes(line.strip()):
                self._fence = ""
            return line
        opening = _OPENING.match(line.rstrip("\n")) if not begun else None
        if opening is not None:
            self._fence = opening["fence"]
            return _harmless(line)
        return inert(line)

    def _closes(self, line: str) -> bool:
        return len(line) >= len(self._fence) and set(line) == set(self._fence)


def inert(line: str) -> str:
    """A line without markup that acts, outside of its code."""
    parts, position = [], 0
    for code in _CODE.finditer(line):
        parts += [_harmless(line[position : code.start()]), code.group()]
        position = code.end()
    return "".join([*parts, _harmless(line[position:])])


def _harmless(text: str) -> str:
    without = _SCRIPT_LINK.sub(r"\g<alt>", _BEGUN_IMAGE.sub("[", _IMAGE.sub(r"\g<alt>", text)))
    return _TAG.sub("&lt;", without)
