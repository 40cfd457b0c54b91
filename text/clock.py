"""Times of day however they are written: 9 am, 9:00, 9点 and 上午九点 are one; 10:30 and 10点半 are another."""

from __future__ import annotations

import re
from typing import Final

from text.numbers import parse_numeral

_TIME: Final = re.compile(
    r"""
    (?<![\d.:])(?:(?:上午|早上|早晨|清晨|凌晨|中午|下午|傍晚|晚上|晚间?)\s*)?
    (?:
        (?P<h1>[01]?\d|2[0-4]|十[一二]?|[二两三四五六七八九])\s?[点时]
            (?:钟|整|(?P<half>半)|(?P<m1>[0-5]?\d)\s?分)?(?=[^\w]|[开关闭至到以之前后起止上下]|$)
      | (?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?![\d:])(?:\s?(?:[ap]m\b|[ap]\.m\b\.?))?
      | (?P<h3>1[0-2]|0?[1-9])(?:\.(?P<m3>[0-5]\d))?\s?(?:[ap]m\b|[ap]\.m\b\.?|o'clock\b)
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HALF_DAY: Final = 12


def times(text: str) -> list[tuple[str, tuple[int, int]]]:
    """The times of day of a text whose numbers are in digits, as 9:00 on a dial of twelve hours, each with its span.

    Twelve, since 5点 may be 17:00: two times that are twelve hours apart pass for the same.
    """
    return [(_on_the_dial(match), match.span()) for match in _TIME.finditer(text)]


def without_times(text: str) -> str:
    """The text with blanks for its times of day."""
    return _TIME.sub(lambda match: "\n" * len(match[0]), text)


def _on_the_dial(match: re.Match[str]) -> str:
    written = match["h1"] or match["h2"] or match["h3"]
    hour = (int(written) if written.isdecimal() else parse_numeral(written) or 0) % _HALF_DAY
    minute = 30 if match["half"] else int(match["m1"] or match["m2"] or match["m3"] or 0)
    return f"{hour}:{minute:02}"
