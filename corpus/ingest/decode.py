"""Bytes of a text file to text: by its mark, by UTF-8, and else by the one encoding that makes common characters of it.

A wrong guess puts garbage into every answer, so text that no encoding makes plainly readable is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import errors
from corpus.ingest.western import western

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_GUESSED: Final = ("utf-16-le", "utf-16-be", "gb18030", "big5hkscs")
_SAMPLE: Final = 4_000
"""Characters that are looked at; enough to tell encodings apart, and quick for any size."""

_READABLE: Final = 0.9
"""Least share of common characters: on 3,200 real texts .94 or more of the right encoding, .62 at most of others."""

_LEAST_GUESSED: Final = 3
_LEAST_UTF16: Final = 8
_LEAST_KOREAN: Final = 16
"""Characters under which there is no evidence for any of them, for UTF-16, and against Chinese."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_MARKS_OF_TEXT: Final = re.compile(r"[\u00b7\u2010-\u2027\u2030-\u203b\u3000-\u3029\uff01-\uff5e\uffe5]")
_KANA: Final = re.compile(r"[\u3041-\u30fa]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NOT_TEXT: Final = "The file is not text in UTF-8, UTF-16, GB 18030, Big5 or Windows-1252."
WESTERN: Final = "The file names no encoding and was read as Windows-1252."


@dataclass(frozen=True)
class Decoded:
    """A text, and what is to be said where its encoding was the last one to be thought of."""

    text: str
    note: str | None = None


def decode(data: bytes, *, last: bool = True) -> Decoded:
    """The text of the bytes; Windows-1252 comes last, and not at all where something else may name the encoding.

    Raises `errors.BadRequest` for what is no text or in no encoding that can be told.
    """
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    text = _decoded(data, marked or "utf-8")
    if marked is None and (text is None or "\0" in text):
        text = _guessed(data)
        if text is None and last and (text := western(data)) is not None:
            return Decoded(text, WESTERN)
    if text is None or "\0" in text or _is_binary(text):
        raise errors.BadRequest(_NOT_TEXT)
    return Decoded(text)


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _guessed(data: bytes) -> str | None:
    """The one readable text among the encodings that have no mark, None when there is none or more than one."""
    decoded = {encoding: _decoded(data, encoding) for encoding in _GUESSED}
    readable = {text for encoding, text in decoded.items() if text and _readable(text, encoding) >= _READABLE}
    return readable.pop() if len(readable) == 1 else None


def _is_binary(text: str) -> bool:
    return len(_CONTROL.findall(text[:_SAMPLE])) * 20 > min(len(text), _SAMPLE)


def _readable(text: str, encoding: str) -> float:
    """Share of common characters, 0 to 1, among those that the encoding decides about."""
    if encoding.startswith("utf-16"):
        decided = text[:_SAMPLE]
        if len(decided) < _LEAST_UTF16:
            return 0.0
    else:
        decided = "".join(_FOREIGN.findall(text[: 10 * _SAMPLE])[:_SAMPLE])
    if (
        len(decided) < _LEAST_GUESSED
        or len(_KANA.findall(decided)) * 10 > len(decided)
        or _may_be_korean(decided, encoding)
    ):
        return 0.0
    return sum(map(_is_common, decided)) / len(decided)


def _is_common(char: str) -> bool:
    """Whether writers use it daily: printable ASCII, Chinese punctuation, level 1 of GB 2312 or of Big5."""
    if char < "\x80":
        return char.isprintable() or char in "\t\n\r"
    if _MARKS_OF_TEXT.match(char):
        return True
    return (
        b"\xb0" <= char.encode("gb2312", "ignore")[:1] < b"\xd8"
        or b"\xa4" <= char.encode("big5", "ignore")[:1] < b"\xc7"
    )


def _may_be_korean(decided: str, encoding: str) -> bool:
    """Hangul of EUC-KR lies where GB 2312 has the first half of its level 1, which no Chinese text keeps to."""
    if encoding != "gb18030" or len(decided) < _LEAST_KOREAN:
        return False
    leads = [char.encode("gb18030")[0] for char in decided if "\u4e00" <= char <= "\u9fff"]
    return bool(leads) and sum(lead > 0xC8 for lead in leads) * 10 < len(leads)
