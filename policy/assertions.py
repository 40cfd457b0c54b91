"""Do two sentences say different things of the same subject? By code alone, and rather not than wrongly.

See docs/decisions/0027 for what the constants were chosen on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from policy.claims import LIST_NUMBER
from policy.drift import CODE
from text.days import Date
from text.months import MONTH_NAME
from text.negation import Negated, negations
from text.normalise import clean
from text.quantities import Amount, stated, unquantified
from text.sentences import sentences
from text.tokens import content_tokens

ALIKE: Final = 0.75
"""Dice's coefficient of the words of two sentences from which they speak of the same."""
ALIKE_UNNAMED: Final = 0.85
"""The same where the value is a number without a unit of ours, or a negation: words alone say what it is of."""
ON_THE_QUESTION: Final = 0.4
"""The share of the question's words that a sentence must have to speak to it."""
UNNAMED_WORDS: Final = 2
"""The fewest words of a sentence that say what a number without a unit is of."""

_IN_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_IN_MONTHS: Final = {"month": 1, "year": 12}
_NOT_COMPARED: Final = "article"
_UNNAMED: Final = "number"
_MANNER: Final = frozenset(
    "应当 应 须 必须 可以 可 需 需要 均 一般 至少 最少 不得 不少 少于 不低于 低于 不超过 超过 最多 最长 以内 之内 期限 时间 "
    "shall must may should will can least most more less than within up period maximum minimum".split()
)
"""Words of duty and of bounds: two wordings of one rule differ in them."""
_BOUND: Final = re.compile(r"少于|低于|超过|多于|高于|迟于|晚于|早于|less|fewer|more|later|earlier|exceed|over|below")
_EXCEPTION: Final = re.compile(r"但|除|例外|另有|否则|\b(?:but|except|unless|however|otherwise|other than)\b", re.IGNORECASE)
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

    `is_rule` is false of a list's item and of what makes or is an exception: neither denies another sentence.
    """

    text: str
    words: frozenset[str]
    values: Mapping[str, Mapping[str, str]]
    dates: tuple[Date, ...]
    names: frozenset[str]
    denials: int
    is_rule: bool


@dataclass(frozen=True)
class Contrast:
    """Two sentences that disagree and their values as they are written, empty where a negation or a reasoner says so.

    `are_rules` is false where one is a list's item, or makes or is an exception.
    """

    sentences: tuple[str, str]
    values: tuple[str, str] = ("", "")
    are_rules: bool = True


def contrast(first: str, second: str, question: str, *, first_about: str = "", second_about: str = "") -> Contrast | None:
    """Where two texts assert different values for what the question asks, the first such place; None if nowhere.

    `first_about` and `second_about` are the titles above them.
    """
    asked = _words(unquantified(question))
    ours = [(a, _named(a, first_about, asked)) for a in assertions(first) if _speaks_to(a, asked)]
    theirs = [(b, _named(b, second_about, asked)) for b in assertions(second) if _speaks_to(b, asked)]
    # Where a text says what the other does, it does not contradict it with what else it says.
    said = {_said(a) for a, _ in ours} & {_said(b) for b, _ in theirs}
    pairs = ((a, b) for a, named in ours for b, also in theirs if named == also and not said & {_said(a), _said(b)})
    return next((found for a, b in pairs if (found := _disagreement(a, b)) is not None), None)


@lru_cache(maxsize=512)
def assertions(text: str) -> tuple[Assertion, ...]:
    """The sentences of a text that give a value, or that could be denied."""
    pieces = (text[start:end] for start, end in sentences(text))
    return tuple(one for piece in pieces if (one := _assertion(piece)).words)


def _assertion(sentence: str) -> Assertion:
    plain = _CODE.sub(" ", clean(LIST_NUMBER.sub("", sentence)))
    numbers = stated(plain)
    values: dict[str, dict[str, str]] = {}
    for amount in numbers.amounts:
        dimension, value = _measured(amount)
        if dimension != _NOT_COMPARED:
            values.setdefault(dimension, {})[value] = amount.written
    return Assertion(
        text=sentence,
        words=_words(unquantified(plain)) | {code.lower() for code in _CODE.findall(sentence)},
        values=values,
        dates=numbers.dates,
        names=_words(" ".join(_NAME.findall(_MONTH.sub(" ", plain)))),
        denials=sum(_denies(one) for one in negations(sentence)),
        is_rule=not _PART.search(sentence) and not _EXCEPTION.search(sentence),
    )


def _measured(amount: Amount) -> tuple[str, str]:
    """Dimension and value: 24 hours are 1 day and 12 months are 1 year, but no month is 30 days."""
    if amount.unit in (None, "year") and _A_YEAR.fullmatch(amount.number):
        return "calendar year", amount.number
    if amount.unit in _IN_SECONDS:
        return "time", _times(amount.number, _IN_SECONDS[amount.unit])
    if amount.unit in _IN_MONTHS:
        return "months", _times(amount.number, _IN_MONTHS[amount.unit])
    return amount.unit or _UNNAMED, amount.number


def _times(number: str, factor: int) -> str:
    return str((Decimal(number) * factor).normalize())


def _denies(negated: Negated) -> bool:
    """Whether it turns the sentence: not the 不 of 不少于, which bounds, nor the 非 of 非业主, which names."""
    return _TURNS.match(negated.sign) is not None and not _BOUND.match(negated.word)


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text)) - _MANNER


def _speaks_to(assertion: Assertion, asked: frozenset[str]) -> bool:
    return len(assertion.words & asked) >= ON_THE_QUESTION * len(asked)


def _named(assertion: Assertion, about: str, asked: frozenset[str]) -> frozenset[str]:
    """What the question names and the sentence, or the title above it, names too: its subject."""
    return (assertion.words | _words(about)) & asked


def _said(assertion: Assertion) -> tuple[object, ...]:
    numbers = frozenset((name, frozenset(found)) for name, found in assertion.values.items())
    return assertion.words, numbers, frozenset(assertion.dates), assertion.denials


def alike(first: Assertion, second: Assertion) -> float:
    """Dice's coefficient of their words."""
    shared = len(first.words & second.words)
    return 2 * shared / (len(first.words) + len(second.words))


def _disagreement(a: Assertion, b: Assertion) -> Contrast | None:
    """One kind of value apart and all others equal: where several differ, or the names that each gives, two cases are
    told, not one in two ways."""
    likeness = alike(a, b)
    sure = likeness >= ALIKE_UNNAMED and len(a.words) >= UNNAMED_WORDS
    if likeness < ALIKE or (a.names - b.words and b.names - a.words):
        return None
    apart = list(_apart(a, b))
    if not apart and sure and {a.denials, b.denials} == {0, 1} and a.is_rule and b.is_rule:
        return Contrast((a.text, b.text))
    if len(apart) != 1:
        return None
    name, ours, theirs = apart[0]
    if name == _UNNAMED and (not sure or len(ours) > 1 or len(theirs) > 1):
        return None
    return Contrast((a.text, b.text), (", ".join(ours), ", ".join(theirs)), a.is_rule and b.is_rule)


def _apart(a: Assertion, b: Assertion) -> Iterator[tuple[str, list[str], list[str]]]:
    """Dimensions in which each gives a value that the other does not, with those values as they are written."""
    for name in sorted(a.values.keys() & b.values.keys()):
        ours, theirs = a.values[name], b.values[name]
        if ours.keys() - theirs.keys() and theirs.keys() - ours.keys():
            yield name, [ours[v] for v in ours if v not in theirs], [theirs[v] for v in theirs if v not in ours]
    if a.dates and b.dates and not any(mine.agrees(theirs) for mine in a.dates for theirs in b.dates):
        yield "date", [date.written for date in a.dates], [date.written for date in b.dates]
