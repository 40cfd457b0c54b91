"""A user dictionary: words that the keyword lane keeps whole, one a line in the format of jieba: word [freq] [tag].

The word may hold blanks, hyphens, capitals; the line is split at tabs where it has any. `#` begins a comment line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import errors
from text.normalise import fold, printable
from text.numbers import normalise_numbers
from text.scripts import CJK

_CLASSES: Final = """
a ad ag al an b bg c d dg df e eng f g h i j k l m mg mq n ng nr nrfg nrt ns nt nz o p q r rg rr rz s t tg u ud ug uj ul
uv uz v vd vg vi vn vq x y z zg
"""
_TAGS: Final = frozenset(_CLASSES.split())
"""The word classes of jieba's own dictionary. A last word that is none of these belongs to the entry."""
_LINE: Final = re.compile(rf"(?P<word>\S.*?)(?:\s+(?P<frequency>\d+))?(?:\s+(?P<tag>{'|'.join(sorted(_TAGS))}))?")
_NEARLY: Final = re.compile(r"\s[+-]?\d*\.\d+$|\s[+-]\d+$")
"""A number in the frequency's place that cannot be one."""
_HAN: Final = re.compile(f"[{CJK}]+")
_LONGEST: Final = 60
_MOST_FREQUENT: Final = 1_000_000_000
_SHOWN: Final = 3
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True)
class Dictionary:
    """Entries as `text.tokens` sees a text, folded: Chinese `words` with their frequency, and all other `phrases`."""

    words: Mapping[str, int | None] = field(default_factory=dict)
    phrases: frozenset[str] = frozenset()

    def digest(self) -> str:
        """The same for the same entries, whatever their order, encoding and comments; empty without entries."""
        if not self.words and not self.phrases:
            return ""
        content = json.dumps([sorted(self.words.items()), sorted(self.phrases)], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:12]


class _BadLineError(ValueError):
    """What is wrong with one line."""


def parse(data: bytes) -> Dictionary:
    """The dictionary in a file's bytes. Raises `errors.BadRequest` that names the lines that cannot be used."""
    words: dict[str, int | None] = {}
    phrases: set[str] = set()
    bad: list[str] = []
    for number, line in _lines(_decoded(data)):
        try:
            word, frequency = _entry(line)
        except _BadLineError as problem:
            bad.append(f"line {number} {problem}")
            continue
        if _HAN.fullmatch(word):
            words[word] = frequency
        else:
            phrases.add(word)
    if bad:
        more = f", and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
        raise errors.BadRequest(f"The dictionary cannot be used: {'; '.join(bad[:_SHOWN])}{more}.")
    return Dictionary(words, frozenset(phrases))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without comments and empty ones."""
    for number, line in enumerate(printable(text).split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _entry(line: str) -> tuple[str, int | None]:
    """Word, folded, and frequency."""
    word, frequency = _fields(line)
    if frequency is not None and not (frequency.isdecimal() and 1 <= int(frequency) <= _MOST_FREQUENT):
        raise _BadLineError("has a frequency that is not a whole number from 1")
    folded = " ".join(normalise_numbers(fold(word)).split())
    if not any(character.isalnum() for character in folded):
        raise _BadLineError("has a word without a letter or digit")
    if len(folded) > _LONGEST:
        raise _BadLineError(f"has a word of more than {_LONGEST} characters")
    return folded, None if frequency is None else int(frequency)


def _fields(line: str) -> tuple[str, str | None]:
    if "\t" in line:
        word, _, rest = line.partition("\t")
        frequency = next(iter(rest.split()), None)
        return word, None if frequency in _TAGS else frequency
    match = _LINE.fullmatch(line)
    if match is None or _NEARLY.search(match["word"]):
        raise _BadLineError("has a frequency that is not a whole number from 1")
    return match["word"], match["frequency"]


def _decoded(data: bytes) -> str:
    """Text by byte order mark, else UTF-16 where zero bytes show it, else UTF-8, else GB 18030 (a superset of GBK)."""
    marked = [encoding for mark, encoding in _MARKS if data.startswith(mark)]
    for encoding in marked or (_utf_16(data) if b"\0" in data else ["utf-8", "gb18030"]):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise errors.BadRequest("The dictionary is not text in UTF-8, UTF-16 or GB 18030.")


def _utf_16(data: bytes) -> list[str]:
    """Line ends and Latin letters leave their zero byte second in little-endian text, first in big-endian."""
    little = data[1::2].count(0) >= data[0::2].count(0)
    return ["utf-16-le"] if little else ["utf-16-be"]
