"""Does a passage name a neighbour of the code that is asked about, and not that code?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from text.identifiers import ARTICLE, Identifier, identifiers, names, readable

_FOR_ALL: Final = re.compile(
    r"(?:所有|全部|各种?|任何|不限|不分)(?:型号|机型|产品|版本|系列)|全系列|全系"
    r"|\b(?:all|every|any|each)\s(?:\w+\s)?(?:models?|versions?|products?|series)\b"
)
"""What holds for every model holds for the one that is asked about."""
_IDENTIFYING: Final = re.compile(
    r"model|product|version|code|error|standard|article|sku|part|型号|机型|产品|版本|代码|编号|标准|条", re.IGNORECASE
)
"""Metadata fields whose value says which model, version or article a document is about."""
_OWN: Final = re.compile(r"\s{0,4}[#*>\s]{0,6}第\s?\d+\s?条")


def other_code(
    sub_question: str, question: str, text: str, title: str, heading: str, metadata: Mapping[str, Any]
) -> tuple[str, str] | None:
    """The neighbours that it names, and what is asked about, as they are shown; None when nothing contradicts.

    What stands nearest decides: the text where it names the code, then the innermost heading that names one of its
    family, the title, the fields. A text that names a neighbour under none of these is about the neighbour.
    """
    wanted = asked_codes(sub_question, question)
    if not wanted or _FOR_ALL.search(readable(text)):
        return None
    levels = [*reversed(heading.split(" > ")), title, *_fields(metadata)]
    for family, asked in wanted.items():
        said = sub_question if asked[0] in identifiers(sub_question) else question
        rivals = _rivals(family, asked, text, levels, said)
        if rivals:
            return "、".join(r.shown for r in rivals[:3]), "、".join(a.shown for a in asked)
    return None


def asked_codes(sub_question: str, question: str) -> dict[str, list[Identifier]]:
    """By family: the sub-question's own, and those of the whole question in families that it does not name."""
    own, whole = _by_family(sub_question), _by_family(question)
    return {**whole, **own}


def _by_family(text: str) -> dict[str, list[Identifier]]:
    found: dict[str, list[Identifier]] = {}
    for one in identifiers(text):
        found.setdefault(one.family, []).append(one)
    return found


def _rivals(family: str, asked: Sequence[Identifier], text: str, levels: Sequence[str], said: str) -> list[Identifier]:
    """The codes that the passage is about instead; none when it is about one that is asked, or about none."""
    if any(names(text, one) for one in asked):
        return []
    for level in levels:
        if any(names(level, one) for one in asked):
            return []
        if others := _others(family, level, said):
            return others
    return _others(family, _own_article(text) if family == ARTICLE else text, said)


def _others(family: str, text: str, said: str) -> list[Identifier]:
    """Codes of the family, without what the asker wrote in another way (X200 Deluxe for X200-Deluxe)."""
    return [one for one in identifiers(text) if one.family == family and not names(said, one)]


def _own_article(text: str) -> str:
    """The article that the text begins with: one inside it is referred to, and not what the text is."""
    opening = _OWN.match(readable(text))
    return opening[0] if opening else ""


def _fields(metadata: Mapping[str, Any]) -> Iterator[str]:
    for field, value in metadata.items():
        if _IDENTIFYING.search(field):
            yield "、".join(map(str, value)) if isinstance(value, list) else str(value)
