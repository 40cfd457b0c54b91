"""From when to when a document says that it holds; what it says of other documents is not taken for its own."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import Final

from corpus.ingest.kinds import KINDS
from text.dates import DATE, date_of, in_digits
from text.normalise import clean, fold

_FROM: Final = (
    rf"自\s?{DATE}\s?(?:起|之日起)\s?(?:正式)?(?:施行|实施|执行|生效)",
    rf"(?:施行|实施|生效)(?:日期|时间)\s?:\s?{DATE}",
    rf"\b(?:effective|takes effect|(?:comes|enters) into (?:force|effect))"
    rf"(?:\s(?:date|from|on|as of|as from))*:?\s{DATE}",
)
_TO: Final = (
    rf"有效期(?:限)?(?:截)?(?:至|到)\s?{DATE}",
    rf"\b(?:valid until|valid through|expires on|expiry date:?)\s{DATE}",
)
_BEFORE: Final = 80
"""Characters before a date in which its subject is looked for."""
_BREAK: Final = re.compile(r"[\n。;,:、()|]|\.\s|第\s?\d+\s?条")
_ITSELF: Final = re.compile(r"[本此现并均应特]|(?:this|these|it|and|is|it's|version|v)\b")
_NAMED: Final = re.compile(rf"(?:the )?(?:{'|'.join(sorted(KINDS, key=len, reverse=True))})(?: (?:is|shall be|be))?")


def effect(text: str, title: str) -> tuple[dt.date | None, dt.date | None]:
    """First and last day; a side with two different dates is not clear, nor is an end before the start."""
    read = in_digits(clean(text))
    start, end = (_only(_dates(read, fold(title), patterns)) for patterns in (_FROM, _TO))
    return (None, None) if start and end and end < start else (start, end)


def _dates(text: str, title: str, patterns: Sequence[str]) -> Iterator[dt.date | None]:
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if _of_itself(text[max(0, match.start() - _BEFORE) : match.start()], title):
                yield date_of(match)


def _of_itself(before: str, title: str) -> bool:
    """Whether the clause before a date has no subject, says 本办法 or this policy, or names the document."""
    subject = fold(_BREAK.split(before)[-1]).strip(" \t*_#-《》\"'")
    return not subject or bool(_ITSELF.match(subject) or _NAMED.fullmatch(subject)) or subject == title.strip("《》 ")


def _only(dates: Iterator[dt.date | None]) -> dt.date | None:
    found = set(dates)
    return found.pop() if len(found) == 1 else None
