"""Names of provinces, cities, counties and districts of China, as jieba's own dictionary lists them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Final

from text.tokens import is_word

_KINDS: Final = ("省", "市", "自治区", "特别行政区", "自治州", "自治县", "县", "区")
_TAGS: Final = (" ns\n", " nt\n")
"""How the lines of places and institutions end: a word, its frequency, its tag."""
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


_BY_NAME: Final = """
中国 美国 英国 法国 德国 日本 韩国 朝鲜 印度 俄罗斯 加拿大 澳大利亚 新加坡 马来西亚 泰国 越南 意大利 西班牙 巴西
香港 澳门 内蒙古 广西 西藏 宁夏 新疆 唐山 岳阳 高雄
"""
"""Countries that business is done with, and what the list has in its full form only."""
_WORDS_TOO: Final = """
江山 朝阳 中和 永安 安宁 长乐 平湖 临江 新店 新庄 新乐 兴安 日照 开封 包头 海口 高明 安达 官庄 各省 各县 大牛 吉安
保山 安国 宁国 固原 永康 高州 永城 池州 天门 阳泉 东方 北方 温泉 珠宝 自治 新民 灯塔 白银 仙桃 樟树 磐石 界首 阳春 外务
诸行 石狮 福泉 乔治 海伦 格雷 丰田 孝义 大丰 黄石 天水 河源 清远 板桥 永和 三水 下关 文昌
"""
"""Without 市 or 省 these are everyday words, persons or brands as well."""


def places_in(text: str) -> list[str]:
    """Provinces and cities, with or without 省 and 市, and countries that a folded text names, in its order."""
    found: list[str] = []
    place = 0
    while place < len(text):
        name = _named_at(text, place)
        found += [name] if name else []
        place += len(name) or 1
    return found


def _named_at(text: str, start: int) -> str:
    """The longest name that begins there."""
    ends = range(min(len(text), start + _LONGEST), start + 1, -1)
    names = (text[start:end] for end in ends if not _NOT_ENDED.match(text, end - 1))
    return next((name for name in names if name in _wide()), "")


@lru_cache(maxsize=1)
def _wide() -> frozenset[str]:
    """Names of provinces and cities, each also without its kind where that is a word of the dictionary."""
    whole = {name for name in _places() if name.endswith(_WIDE)}
    bare = {name[:-1] for name in whole if name.endswith(("省", "市")) and is_word(name[:-1])}
    return frozenset(whole | (bare - set(_WORDS_TOO.split())) | set(_BY_NAME.split()))


def _longest(text: str) -> str:
    ends = range(_LONGEST, _SHORTEST - 1, -1)
    return next((text[:n] for n in ends if text[:n] in _places() and not _NOT_ENDED.match(text, n - 1)), "")


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    lines = (files("jieba") / "dict.txt").read_text("utf-8")
    before = [piece.rpartition("\n")[2] for tag in _TAGS for piece in lines.split(tag)[:-1]]
    listed = [name for line in before if (name := line.partition(" ")[0]).endswith(_KINDS) and len(name) >= _SHORTEST]
    return frozenset(name for name in listed if name not in _KINDS and not _GENERAL.fullmatch(name))
