"""Do a passage's own words tie what is asked about to another year than the question does?

"The marketing budget for 2025" says nothing of the budget for 2023. Only a year in the same role counts: one that
belongs to the same noun, or begins its sentence, or stands in the day that is asked for. The year of an event does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from policy.other_year import EVENT, PERIODIC, STANDING, YEAR
from text.dates import in_digits
from text.days import dates
from text.normalise import fold
from text.sentences import sentences
from text.tokens import content_tokens

_PHRASE: Final = r"[^\d\s,。?!;:、()的是为在应于由从至与和及或]{2,12}"
_OF_YEAR: Final = r"(?:the\s)?(?:(?:fiscal|financial|calendar|academic|school)?\s?year\s|fy\s?)?"
_BEFORE_A_TIME: Final = "in during since until before after from by to and"
_NO_TIME: Final = "".join(rf"(?<!\b{word}\s)" for word in _BEFORE_A_TIME.split())
_TIED: Final = (
    rf"(?<![自从至到在于]){YEAR}\s?(?:年度|学年|年)(?:的)?{EVENT}(?P<after>{_PHRASE})",
    rf"{_NO_TIME}{YEAR}\s(?P<after>[a-z]+(?:\s[a-z]+){{0,2}})",
    rf"(?P<before>[a-z]+(?:\s[a-z]+)?)\sfor\s{_OF_YEAR}{YEAR}",
    rf"(?P<before>(?:[a-z]+\s)?(?:{PERIODIC}))\s(?:of|in)\s{_OF_YEAR}{YEAR}",
)
"""A year that belongs to a noun: 2025年奖学金, the 2025 budget, the budget for 2025."""
_STANDS: Final = re.compile(rf"(?<![a-z])(?:{STANDING})(?![a-z])")
_OPENS: Final = re.compile(rf"(?:在|in\s)?{YEAR}\s?(?:年度|年)?\s?,")
_ASKS_FOR_A_DAY: Final = re.compile(
    r"哪[一]?[天日]|几[月号日]|什么时[候间]|何时|截止|\bwhen\b|\b(?:what|which) (?:day|date)\b|deadline"
)
_DAY_WORDS: Final = frozenset(content_tokens("截止 日期 时间 deadline date time"))
_OF_THE_TEXT: Final = re.compile(r"\s?(?:起|公布|发布|印发|修订|修正|通过|施行|实施)|[^,。;]{0,6}(?:起施行|公布|印发)")
_RELATIVE: Final = re.compile(
    "上一?年|去年|前年|次年|下一?年|翌年|同比|每年|历年|逐年|各年|"
    r"\b(?:previous|prior|last|preceding|next|following|each|every|any) (?:fiscal |financial )?year\b"
    r"|\byear (?:before|earlier|later|after)\b|\bannually\b|\byearly\b"
)
"""What may tell of the year asked about without naming it."""
_SPAN: Final = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?年?度?\s?(?:[-–—~/至到]|to|through|until|and)\s?((?:19|20)?\d\d)(?!\d)"
)
_OPEN: Final = re.compile(
    r"(?:自|从|since\s|from\s)((?:19|20)\d\d)|((?:19|20)\d\d)\s?年?度?(?:起|以来|以后|之后|\sonwards?)"
)


def other_period(
    sub_question: str, question: str, text: str, title: str, heading: str, metadata: Mapping[str, Any]
) -> tuple[str, str] | None:
    """The passage's year and those asked for; None when nothing contradicts, as where an asked year stands anywhere."""
    whole = next((one for one in (_folded(sub_question), _folded(question)) if list(_tied(one))), "")
    asked = _years(whole)
    if not asked or _STANDS.search(whole):
        return None
    said = _folded(text)
    around = _folded("\n".join([title, heading, *(str(value) for value in metadata.values())]))
    if asked & (_years(said) | _years(around)) or _RELATIVE.search(said) or _reaches(said, asked):
        return None
    wanted = [words - _DAY_WORDS or words for _, words in _tied(whole)]
    days = bool(_ASKS_FOR_A_DAY.search(whole))
    found = {year for year, words in _roles(said, days=days) if any(_same(words, one) for one in wanted)}
    return ("、".join(map(str, sorted(found))), "、".join(map(str, sorted(asked)))) if found else None


@lru_cache(maxsize=1024)
def _folded(text: str) -> str:
    return in_digits(fold(text))


def _tied(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Years with the words of the noun that each belongs to."""
    for pattern in _TIED:
        for found in re.finditer(pattern, text):
            parts = found.groupdict()
            if words := frozenset(content_tokens(parts.get("after") or parts.get("before") or "")):
                yield int(found["year"]), words


def _roles(said: str, *, days: bool) -> Iterator[tuple[int, frozenset[str]]]:
    """What is tied to a year, and whole sentences that begin with one or, where a day is asked for, give one."""
    yield from _tied(said)
    for start, end in sentences(said):
        sentence = said[start:end]
        if opening := _OPENS.match(sentence):
            yield int(opening["year"]), _words(sentence)
        for date, (_, after) in dates(sentence.title()) if days else ():
            if date.year and date.day and not _OF_THE_TEXT.match(sentence, after):
                yield date.year, _words(sentence)


def _words(sentence: str) -> frozenset[str]:
    return frozenset(content_tokens(sentence))


def _same(said: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether more than half of the shorter one's words stand in the other."""
    return 2 * len(said & asked) > min(len(said), len(asked))


def _years(text: str) -> set[int]:
    """The years that a text names, those inside a span of them (2019-2021, 2023/24) too."""
    named = {int(found["year"]) for found in re.finditer(rf"(?<!\d){YEAR}", text)}
    for first, last in _SPAN.findall(text):
        end = int(last) if len(last) > 2 else int(first[:2] + last)
        named |= set(range(int(first), end + 1))
    return named


def _reaches(said: str, asked: set[int]) -> bool:
    """Whether it holds from some year on that is not after the last one asked for (自2020年起)."""
    begun = (int(year) for found in _OPEN.findall(said) for year in found if year)
    return any(year <= max(asked) for year in begun)
