"""Drafts without a model: a number that a sentence states is asked for, or what a document says under a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evals.drafting import Draft, Source
from text.sentences import stated

BY_RULES: Final = "Drafted by rules: make it what a person would ask."
_SHORTEST: Final = 10
_LONGEST: Final = 160
"""Characters of a sentence that a question can be made of."""
_ZH: Final = re.compile(
    r"(?<![第〇零一二两三四五六七八九十百千\d.．-])(?P<n>\d[\d,.]*|(?!一\D)[一二两三四五六七八九十百千]+)"
    r"(?P<unit>个月|个?(?:小时|工作日)|分钟|平方米|公里|毫米|厘米|万元|[日天年元米人次层户倍岁名台])"
)
"""一 alone is as often an article as a number."""
_EN: Final = re.compile(
    r"\b(?P<n>\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve) "
    r"(?P<unit>(?:day|hour|minute|second|week|month|year|metre|meter|mile|employee|time)s?|people|percent|km|kg|GB|MB)\b"
)
_DATE: Final = re.compile(r"\d{4}年|\d月\d|\b(?:19|20)\d\d\b")

_NUMBERED: Final = re.compile(r"^(?:第[\d零一二三四五六七八九十百千]+条|[（(]?[\d一二三四五六七八九十]+[.、)）])\s*")
"""What numbers a sentence in its document, and nobody would say in a question."""
_ABOUT: Final = {
    "zh": "《{title}》里关于“{heading}”是怎么说的？",
    "en": "What does “{title}” say about “{heading}”?",
}


class RuleDrafter:
    """Implements `Drafter`. The same passage gives the same draft."""

    async def draft(self, source: Source) -> Draft | None:
        return next((draft for make in (_of_a_number, _of_a_heading) if (draft := make(source))), None)


def _of_a_number(source: Source) -> Draft | None:
    for sentence in _sentences(source):
        number = _number(sentence, source)
        if number is None:
            continue
        asked = f"{sentence[: number.start()]}{_asking(number, source)}{sentence[number.end() :]}"
        asked = _NUMBERED.sub("", asked)
        question = _about(source) + asked.rstrip("。.；;！!") + ("？" if source.language == "zh" else "?")
        return Draft(question, cell(sentence), (source.doc_id,), (cell(number[0]),), "number", BY_RULES)
    return None


def _number(sentence: str, source: Source) -> re.Match[str] | None:
    """The only number with a unit in a sentence: of several nobody knows which is asked for. A date is none."""
    if _DATE.search(sentence):
        return None
    found = list((_ZH if source.language == "zh" else _EN).finditer(sentence))
    return found[0] if len(found) == 1 else None


def _asking(number: re.Match[str], source: Source) -> str:
    return f"多少{number['unit']}" if source.language == "zh" else f"how many {number['unit']}"


def _of_a_heading(source: Source) -> Draft | None:
    heading = source.heading.split(" > ")[-1].strip("# ") or source.title
    sentence = next(_sentences(source), None)
    if not heading or sentence is None:
        return None
    zh = source.language == "zh"
    asked = (
        f"《{source.title}》里关于“{heading}”是怎么说的？"
        if zh
        else f"What does “{source.title}” say about “{heading}”?"
    )
    return Draft(asked, cell(sentence), (source.doc_id,), (), "heading", BY_RULES)


def _about(source: Source) -> str:
    """The document's name in front: a sentence alone seldom says what it is about."""
    return f"按《{source.title}》，" if source.language == "zh" else f"According to “{source.title}”: "


def _sentences(source: Source) -> Iterator[str]:
    for start, end in stated(source.text):
        sentence = " ".join(source.text[start:end].split()).lstrip("#*->• ")
        if _SHORTEST <= len(sentence) <= _LONGEST and sentence[-1] in "。.！!？?；;" and "|" not in sentence:
            yield sentence


def cell(text: str) -> str:
    """Text for a cell, whose separators mean several answers or points."""
    return re.sub(r"[|｜]", "/", re.sub(r"[;；]", "，", text))
