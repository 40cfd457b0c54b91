"""Names of provinces, cities, counties and districts of China, as jieba's own dictionary lists them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final

_LISTED: Final = re.compile(r"^(\S{2,9}(?:省|市|自治区|特别行政区|自治州|自治县|县|区)) \d+ n[st]$", re.MULTILINE)
_WIDE: Final = ("省", "市", "自治区", "特别行政区", "自治州")
_GENERAL: Final = re.compile(r".{2,}[城都]市|[大新][都城]市|三街六市")
"""What the list calls places and are kinds of places: 宜居城市, 大都市. 城市 and 上市 are too short for it anyway."""
_NOT_ENDED: Final = re.compile(r"市场(?![地馆])")
"""上海市场 is the market of Shanghai."""
_LONGEST: Final = 10
_SHORTEST: Final = 3


def leading_places(text: str) -> list[str]:
    """The places that a text begins with, widest first: 浙江省杭州市住宅管理条例 → 浙江省, 杭州市.

    A county or district counts after its province or city only: 中心区 and 加工区 are on the list too.
    """
    found: list[str] = []
    while name := _longest(text):
        if not found and not name.endswith(_WIDE):
            break
        found.append(name)
        text = text[len(name) :]
    return found


def _longest(text: str) -> str:
    ends = range(_LONGEST, _SHORTEST - 1, -1)
    return next((text[:n] for n in ends if text[:n] in _places() and not _NOT_ENDED.match(text, n - 1)), "")


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    listed = _LISTED.findall((files("jieba") / "dict.txt").read_text("utf-8"))
    return frozenset(name for name in listed if not _GENERAL.fullmatch(name))
