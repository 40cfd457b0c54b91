"""Proper names in a text, as far as their form shows them: Latin words by capitals; Chinese places, persons, companies.

A Chinese person who is called by the bare name looks like any other word and is not found.
"""

from __future__ import annotations

import re
from typing import Final

from text.months import MONTH_NAME
from text.normalise import clean, fold
from text.places import places_in

_CAPITALISED: Final = re.compile(r"\b[A-Z][A-Za-z]+\b")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?]\s+)[A-Z]")
_MONTH: Final = re.compile(MONTH_NAME)
"""No name: a date in digits may say the same month."""
_SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪"
    "廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_PERSON: Final = re.compile(
    rf"[{_SURNAMES}](?:[\u3400-\u9fff]{{1,2}})?(?:先生|女士|小姐)|[{_SURNAMES}]某(?:[某甲乙丙丁])?(?![些种个一地项处年月日时])"
)
_COMPANY: Final = re.compile(
    r"((?:(?!什么|哪|[由向给对与和的在为被把是及或到将从])[\u3400-\u9fff]){2,8})(?:股份|责任)?(?:有限责任公司|有限公司|集团)"
)


def names(text: str) -> list[str]:
    """The names in order of their kind: Latin words as written, Chinese names folded, each without its kind of company.

    The first Latin word of a sentence may be an ordinary one and does not count.
    """
    starts = {match.end() - 1 for match in _SENTENCE_START.finditer(text)}
    latin = (m.group() for m in _CAPITALISED.finditer(clean(text)) if m.start() not in starts)
    folded = fold(text)
    chinese = [
        *places_in(folded),
        *_PERSON.findall(folded),
        *filter(None, map(_company, _COMPANY.finditer(folded))),
    ]
    return list(dict.fromkeys([*(name for name in latin if not _MONTH.fullmatch(name)), *chinese]))


def _company(match: re.Match[str]) -> str:
    """The company's own name: where it sits is a name of its own."""
    name = match[1]
    for place in places_in(name):
        name = name.replace(place, "")
    return name.lstrip("市省")
