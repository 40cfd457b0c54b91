"""Provinces of China and the cities in them, as a text names them: 杭州市, 杭州 and 浙江省杭州市."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final

from text.normalise import fold

_ENDINGS: Final = re.compile("(?:特别行政区|壮族自治区|回族自治区|维吾尔自治区|自治区|省|市|地区|盟)$")
_EVERYDAY: Final = """
大同 开封 来宾 白银 日照 三明 安康 朝阳 中山 孝感 周口 黄山 黄石 和田 阿里 玉树 吉林 长治 平凉 东营 怀化 茂名 海东 山南
大理 文山 安顺 河源 天水 通化 白山 伊春 四平 大庆 宝鸡 保定 营口 包头 自贡 本溪 金华 烟台 南通 宁德 清远 吴忠 遵义
"""
_WORDS: Final = frozenset(_EVERYDAY.split())
"""Names that are everyday words, or parts of them, without 市."""
_GOES_ON: Final = "(?![路街道巷弄里桥港岛仔宫话菜饭]|大学|大道|银行|东路|西路|南路|北路|中路)"
"""What makes of a name without 市 another name: 南京路, 北京大学."""


def regions(text: str) -> frozenset[str]:
    """The provinces and cities that a text names, in full (杭州市); a province only where none of its cities is named.

    Counties, districts and places outside China are not known.
    """
    found = {_named()[match[0]] for match in _pattern().finditer(fold(text))}
    return narrowest(found)


def narrowest(found: set[str]) -> frozenset[str]:
    """Without the provinces of cities that are among them: 浙江省杭州市 is one place."""
    return frozenset(found - {province_of(name) for name in found if province_of(name) != name})


def province_of(name: str) -> str:
    """The province that a city is in; a province's own name."""
    return _provinces()[name]


def overlap(one: str, other: str) -> bool:
    """Whether what holds in one place may hold in the other: the same, or a city and its province."""
    return one == other or province_of(one) == other or province_of(other) == one


@lru_cache(maxsize=1)
def _provinces() -> dict[str, str]:
    """Every name and its province; the divisions of 2023, and 莱芜市, which was one of its own until 2019."""
    rows = [line.split() for line in (files("text") / "regions.txt").read_text("utf-8").splitlines()]
    return {name: row[0] for row in rows for name in row}


@lru_cache(maxsize=1)
def _named() -> dict[str, str]:
    """Every way to write a name, and the name."""
    full = {name: name for name in _provinces()}
    short = {_ENDINGS.sub("", name): name for name in reversed(full)}
    return {bare: name for bare, name in short.items() if bare not in _WORDS} | full


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    ways = sorted(_named(), key=len, reverse=True)
    return re.compile("|".join(way if way in _provinces() else way + _GOES_ON for way in ways))
