"""Numbers however they are written: 三十日 is 30日, 第六十一条 is 第61条, 1,000 is 1000."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "兩": 2, "壹": 1, "贰": 2, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9,
}  # fmt: skip
_TENS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}

_DIGIT: Final = "[零〇一二两兩三四五六七八九壹贰叁肆伍陆柒捌玖]"
_TEN: Final = "[十拾百佰千仟]"
_MYRIAD: Final = "[万萬亿億]"
_NUMERAL: Final = f"(?:{_DIGIT}|{_TEN}|{_MYRIAD})"
_SECTION: Final = f"(?:{_DIGIT}?{_TEN}零?)+{_DIGIT}?"
# What makes a single numeral character a number: 七日 and 两倍 count, 一般, 统一 and 一次性 do not.
_MEASURE: Final = "(?:日|天|年|个?月|周|星期|小时|分钟|秒|元|倍)"
_UNIT: Final = f"(?:{_MEASURE}|人|层|楼|部|份|名|次|条|款|项|章|节|编|期|届|号)"
_WHICH: Final = "[哪每某这這那同有任]"
"""哪一年 and 某一天 name one of many and count nothing."""
_NUMBER: Final = re.compile(
    rf"""
    (?:百分之(?P<percent>{_NUMERAL}+))
  | (?P<ordinal>(?<=第){_NUMERAL}+)
  | (?P<year>{_DIGIT}{{4}}(?=年))
  | (?P<long>(?<!{_DIGIT})(?=(?:{_DIGIT}|十){_NUMERAL})
      (?:{_SECTION}|{_DIGIT}{_MYRIAD})(?:{_MYRIAD}零?(?:{_SECTION}|{_DIGIT})?|{_SECTION}|{_DIGIT})*)
  | (?P<short>(?<!{_NUMERAL})(?:(?<!{_WHICH})[一壹](?={_MEASURE})|(?![一壹])(?:{_DIGIT}|十)(?={_UNIT})))
  | (?P<grouped>(?<![\d.,])\d{{1,3}}(?:,\d{{3}})+(?![\d,]))
    """,
    re.VERBOSE,
)
_LONGEST: Final = 4_000
"""Characters of a numeral: Python reads no number of more than 4,300 digits."""
_ARABIC: Final = re.compile(r"\d+(?:\.\d+)?%?")


def parse_numeral(numeral: str) -> int | None:
    """The value of a Chinese numeral (三十 → 30, 二〇二四 → 2024, 一万二千 → 12000), None when it is not one."""
    if not 0 < len(numeral) <= _LONGEST or any(
        c not in _DIGITS and c not in _TENS and c not in _MYRIADS for c in numeral
    ):
        return None
    if all(c in _DIGITS for c in numeral):
        return int("".join(str(_DIGITS[c]) for c in numeral))
    return _positional(numeral)


def _positional(numeral: str) -> int:
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _TENS:
            section, digit = section + (digit or 1) * _TENS[c], 0
        elif _MYRIADS[c] > total > 0:
            total, section, digit = (total + section + digit) * _MYRIADS[c], 0, 0
        else:
            total, section, digit = total + (section + digit or 1) * _MYRIADS[c], 0, 0
    return total + section + digit


def normalise_numbers(text: str) -> str:
    """The text with its numbers in digits. Words that only contain a numeral (一般, 统一, 万一) stay as they are."""
    return _NUMBER.sub(_in_digits, text)


def _in_digits(match: re.Match[str]) -> str:
    if match["percent"]:
        value = parse_numeral(match["percent"])
        return match[0] if value is None else f"{value}%"
    if match["grouped"]:
        return match[0].replace(",", "")
    value = parse_numeral(match[0])
    return match[0] if value is None else str(value)


def numbers(text: str) -> list[str]:
    """Every number of the text in order, in digits, with its per cent sign: '三十日内付 1,000 元' → 30, 1000."""
    return _ARABIC.findall(normalise_numbers(text))
