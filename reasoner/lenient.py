"""One JSON object out of what a model wrote around and inside it. Repairs how it is written, never what it says.

Everything is linear in the text. Nothing is completed: an object without its end counts as none, since what is missing
from a grade might have been its "no".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

LONGEST: Final = 50_000
"""Characters that are looked at, more than any form needs."""
DEEPEST: Final = 20
MOST_STARTS: Final = 8
"""Opening braces from which an object is tried; prose before one may hold some."""

_PLAIN: Final = str.maketrans("｛｝［］：，", "{}[]:,")
_OPENING: Final = re.compile(r"[{｛]")
_BARE: Final = re.compile(r"[^\s,:{}\[\]，：｛｝［］\"'“”‘’]+")
_CLOSING: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "＂": "＂"}
_ENDS_VALUE: Final = re.compile(r"\s*(?:[,:}\]，：｝］]|$)")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
"""Python's names for what JSON calls otherwise."""


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that the text holds outside of each other, in order; those that cannot be read are passed over.

    Read besides strict JSON: raw line breaks in strings, single and typographic quotes, full-width punctuation,
    trailing commas, unquoted keys, and Python's True, False and None.
    """
    text, position = text[:LONGEST], 0
    for _ in range(MOST_STARTS):
        if (opening := _OPENING.search(text, position)) is None:
            return
        read = _strictly(text, opening.start()) or _leniently(text, opening.start())
        position = read[1] if read else opening.end()
        if read:
            yield read[0]


def _strictly(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def _leniently(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """The object as strict JSON would write it."""
    written: list[str] = []
    depth, position = 0, start
    while position < len(text):
        piece, position = _piece(text, position)
        if piece is None:
            return None
        depth += (piece in ("{", "[")) - (piece in ("}", "]"))
        if depth > DEEPEST:
            return None
        _append(written, piece)
        if depth == 0:
            whole = _strictly("".join(written), 0)
            return (whole[0], position) if whole else None
    return None


def _piece(text: str, position: int) -> tuple[str | None, int]:
    """The next token as strict JSON writes it, and where it ends; None for a string without an end."""
    character = text[position]
    if character.isspace():
        return "", position + 1
    if character in _CLOSING:
        return _string(text, position)
    if bare := _BARE.match(text, position):
        return _WORDS.get(bare.group(), bare.group()), bare.end()
    return character.translate(_PLAIN), position + 1


def _string(text: str, position: int) -> tuple[str | None, int]:
    """A string ends at its quote where something follows that may follow a value: `'the owner's'` is one string."""
    for found in _inside(_CLOSING[text[position]]).finditer(text, position + 1):
        if found.group()[0] != "\\" and _ENDS_VALUE.match(text, found.end()):
            return _quoted(text[position + 1 : found.start()]), found.end()
    return None, len(text)


@cache
def _inside(closing: str) -> re.Pattern[str]:
    """Where a string may end, and the escaped characters that are passed over on the way."""
    return re.compile(rf"\\.|{closing}", re.DOTALL)


def _quoted(inside: str) -> str:
    """The inside of a string in double quotes, its escapes kept."""
    return '"' + re.sub(r"\\(.)|\"", lambda found: _escaped(found.group()), inside, flags=re.DOTALL) + '"'


def _escaped(found: str) -> str:
    return {'"': '\\"', "\\'": "'"}.get(found, found)


def _append(written: list[str], piece: str) -> None:
    """Add a token; a comma before a closing bracket goes, a bare word before a colon becomes a key."""
    if piece in ("}", "]") and written and written[-1] == ",":
        written.pop()
    if piece == ":" and written and _BARE.fullmatch(written[-1]):
        written[-1] = json.dumps(written[-1], ensure_ascii=False)
    if piece:
        written.append(piece)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_no_number)
