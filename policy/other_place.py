"""Is a document of another place than the one that the question names?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from text.regions import narrowest, overlap, regions

_NAMES: Final = """
place city province region district jurisdiction location area 地区 地域 区域 城市 省份 省 市 辖区 适用地区 适用范围
"""
FIELDS: Final = frozenset(_NAMES.split())
"""Metadata fields that say where a document holds."""


def other_place(
    sub_question: str, question: str, title: str, heading: str, metadata: Mapping[str, Any]
) -> tuple[str, str] | None:
    """The document's place and the one asked about; None when nothing contradicts.

    A province's document may hold in its cities, and a city's tells something of its province; a national document,
    one that names no place, and one whose title or heading names the place that is asked about are not contradicted.
    """
    asked = regions(sub_question) or regions(question)
    if not asked:
        return None
    held = _held(metadata) or regions(title)
    named = regions(f"{title}\n{heading}")
    if not held or any(overlap(one, other) for one in asked for other in held | named):
        return None
    return "、".join(sorted(held)), "、".join(sorted(asked))


def _held(metadata: Mapping[str, Any]) -> frozenset[str]:
    """The places that the fields give, and no province of a city among them."""
    values = (value for field, value in metadata.items() if field.lower() in FIELDS)
    flat = (str(one) for value in values for one in (value if isinstance(value, list) else [value]))
    return narrowest({name for text in flat for name in regions(text)})
