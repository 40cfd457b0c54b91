"""What a sentence asserts: the words that say of what, and the values that it gives, comparable over notations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from policy.claims import LIST_NUMBER
from policy.drift import CODE
from text.clock import times, without_times
from text.days import Date
from text.months import MONTH_NAME
from text.negation import Negated, negations
from text.normalise import clean
from text.numbers import normalise_numbers
from text.quantities import Amount, stated, unquantified
from text.sentences import sentences
from text.stems import stem
from text.tokens import content_tokens

_IN_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_IN_MONTHS: Final = {"month": 1, "year": 12}
_NOT_COMPARED: Final = "article"
UNNAMED: Final = "number"
"""The dimension of a number without one of our units."""
_MANNER_WORDS: Final = """
应当 应 须 必须 可以 可 需 需要 均 一般 至少 最少 不得 不少 少于 不低于 低于 不超过 超过 最多 最长 以内 之内 期限 时间
shall must may should will can least most more less than within up period maximum minimum
不 允许 准许 许可 容许 禁止 严禁 不准 不许 不能 能 必需 强制 无须 无需 不必 毋须 自愿 选填 必填
permitted allowed forbidden prohibited banned required requires mandatory compulsory obligatory optional voluntary need
"""
_MANNER: Final = frozenset({*_MANNER_WORDS.split(), *map(stem, _MANNER_WORDS.split())})
"""Words of duty, of leave and of bounds: two wordings of one rule, and two opposite ones, differ in them."""
_FORBIDS: Final = re.compile(r"\b(?:forbidden|prohibit(?:s|ed)?|bann?ed|disallowed)\b", re.IGNORECASE)
_EXEMPTS: Final = re.compile(
    r"无须|无需|毋须|不必|不需|不用|自愿|可选|选填|\b(?:optional|voluntary)\b"
    r"|\b(?:not|n't)\s(?:have to|need|required|mandatory|compulsory|obligatory)\b|\bneed not\b|n't need\b",
    re.IGNORECASE,
)
_OBLIGES: Final = re.compile(
    r"必须|应当|强制|必填|务必|(?<![无毋必])须|(?<![无不])需要?(?!求)"
    r"|\b(?:must|shall|required|mandatory|compulsory|obligatory|ha(?:ve|s) to)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"如果|如有|若|倘|经.{0,10}(?:同意|批准|许可|允许)|期间|时[段，,]|情况下|情形|以前|之前|以后|之后|以外|(?<=[点分日月时])[前后]|仅|只"
    r"|\b(?:if|when|while|where|during|after|before|only|between)\b"
    r"|\bwith(?:out)? (?:\w+ ){0,3}(?:permission|consent|approval)\b",
    re.IGNORECASE,
)
"""What is forbidden under one may be allowed elsewhere."""
_SERIES: Final = re.compile(
    r"班次|班车|发车|航班|列车|火车|公交|轮渡|场次|班会"
    r"|\b(?:trains?|bus(?:es)?|flights?|ferr(?:y|ies)|shuttles?|depart\w*|leaves?|sessions?|shows?|screenings?)\b",
    re.IGNORECASE,
)
"""What takes place at several times a day."""
CLOCK: Final = "time of day"
_BOUND: Final = re.compile(r"少于|低于|超过|多于|高于|迟于|晚于|早于|less|fewer|more|later|earlier|exceed|over|below")
_EXCEPTION: Final = re.compile(
    r"但|除|例外|另有|否则|\b(?:but|except|unless|however|otherwise|other than)\b", re.IGNORECASE
)
_PART: Final = re.compile(r"^\s*[(（][一二三四五六七八九十\d]{1,3}[)）]|[；;]\s*$")
_TURNS: Final = re.compile(r"不|没|禁|严禁|勿|莫|拒|not|n't|no|never|cannot")
_NAME: Final = re.compile(r"(?<=[^.!?\s]\s)[A-Z][A-Za-z]+")
"""A capitalised word within a sentence."""
_MONTH: Final = re.compile(MONTH_NAME)
_A_YEAR: Final = re.compile(r"1\d{3}|20\d\d")
_CODE: Final = re.compile(CODE.pattern, re.IGNORECASE)


@dataclass(frozen=True)
class Assertion:
    """One sentence: what it speaks of, and the values that it gives, by dimension, each with how it is written.

    `is_rule` is false of a list's item and of what makes or is an exception: neither denies another sentence. Nor does
    one that is not `unconditional`. One that `exempts` from a duty denies only what `obliges`.
    """

    text: str
    words: frozenset[str]
    values: Mapping[str, Mapping[str, str]]
    dates: tuple[Date, ...]
    names: frozenset[str]
    denials: int
    is_rule: bool
    unconditional: bool
    exempts: bool
    obliges: bool


@lru_cache(maxsize=512)
def assertions(text: str) -> tuple[Assertion, ...]:
    """The sentences of a text that give a value, or that could be denied."""
    pieces = (text[start:end] for start, end in sentences(text))
    return tuple(one for piece in pieces if (one := _assertion(piece)).words)


def _assertion(sentence: str) -> Assertion:
    whole = normalise_numbers(_CODE.sub(" ", clean(LIST_NUMBER.sub("", sentence))))
    plain = without_times(whole)
    numbers = stated(plain)
    values = {CLOCK: clock} if (clock := _clock(whole)) else {}
    for amount in numbers.amounts:
        dimension, value = _measured(amount)
        if dimension != _NOT_COMPARED:
            values.setdefault(dimension, {})[value] = amount.written
    return Assertion(
        text=sentence,
        words=subject(unquantified(plain)) | {code.lower() for code in _CODE.findall(sentence)},
        values=values,
        dates=numbers.dates,
        names=subject(" ".join(_NAME.findall(_MONTH.sub(" ", plain)))),
        denials=_denials(sentence),
        is_rule=not _PART.search(sentence) and not _EXCEPTION.search(sentence),
        unconditional=not _CONDITION.search(sentence),
        exempts=bool(_EXEMPTS.search(sentence)),
        obliges=bool(_OBLIGES.search(sentence)) and not _EXEMPTS.search(sentence),
    )


def _clock(text: str) -> dict[str, str]:
    """Times of day, each with how it is written; none of what takes place at several."""
    return {} if _SERIES.search(text) else {time: text[start:end].strip() for time, (start, end) in times(text)}


def _denials(sentence: str) -> int:
    """How often it says that something is not, may not be, or need not be."""
    exempt = _EXEMPTS.search(sentence)
    rest = _EXEMPTS.sub(" ", sentence)
    return sum(_denies(one) for one in negations(rest)) + len(_FORBIDS.findall(rest)) + bool(exempt)


def _measured(amount: Amount) -> tuple[str, str]:
    """Dimension and value: 24 hours are 1 day and 12 months are 1 year, but no month is 30 days."""
    if amount.unit in (None, "year") and _A_YEAR.fullmatch(amount.number):
        return "calendar year", amount.number
    if amount.unit in _IN_SECONDS:
        return "time", _times(amount.number, _IN_SECONDS[amount.unit])
    if amount.unit in _IN_MONTHS:
        return "months", _times(amount.number, _IN_MONTHS[amount.unit])
    return amount.unit or UNNAMED, amount.number


def _times(number: str, factor: int) -> str:
    return f"{(Decimal(number) * factor).normalize():f}"


def _denies(negated: Negated) -> bool:
    """Whether it turns the sentence: not the 不 of 不少于, which bounds, nor the 非 of 非业主, which names."""
    return _TURNS.match(negated.sign) is not None and not _BOUND.match(negated.word)


@lru_cache(maxsize=1024)
def subject(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without those of duty and of bounds."""
    return frozenset(content_tokens(text)) - _MANNER
