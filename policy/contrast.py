"""Do two texts assert different values of the same subject? By code alone, and rather not than wrongly.

See docs/decisions/0027 for what the constants were chosen on, and for what this misses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from policy.assertions import UNNAMED, Assertion, assertions, subject
from text.clock import without_times
from text.numbers import normalise_numbers
from text.quantities import unquantified
from text.stems import stem
from text.tokens import content_tokens

ALIKE: Final = 0.75
"""Dice's coefficient of the words of two sentences from which they speak of the same."""
ALIKE_BUT_FOR_A_WORD: Final = 0.9
"""The same where each has a word that the other has not: 普通快件 and 加急快件 are two cases."""
ALIKE_UNNAMED: Final = 0.85
"""The same where the value is a number without a unit of ours, or a negation: words alone say what it is of."""
ON_THE_QUESTION: Final = 0.4
"""The share of the question's words that a sentence must have to speak to it."""
_WHOM: Final = "员工 职工 人员 公司 单位 本公司 employee staff company worker"
_GENERAL: Final = frozenset(map(stem, _WHOM.split()))
"""Whom a whole handbook is for: naming them or not makes no other subject."""
_UNIT: Final = "(?:个?工作日|天|日|周|个?星期|个?月|年|小时|分钟|元|次)"
_COUNTED: Final = re.compile(
    rf"(?:多少|几)个?{_UNIT}的?(?P<zh>(?!可以|可|内|之内|以内|后|前|才|能|会|要|应)[\u3400-\u9fff]{{2,4}})"
    r"|\bhow (?:many|much) \w+ of (?P<en>(?:[a-z]+ ){1,3}?)"
    r"(?=(?:do|does|did|is|are|was|were|can|may|will|must|should)\b)",
    re.IGNORECASE,
)
"""What the value asked for is of: 多少天病假, how many days of sick leave."""
UNNAMED_WORDS: Final = 2
"""The fewest words of a sentence that say what a number without a unit is of."""


@dataclass(frozen=True)
class Contrast:
    """Two sentences that disagree and their values as they are written, empty where a negation or a reasoner says so.

    `are_rules` is false where one is a list's item, or makes or is an exception.
    """

    sentences: tuple[str, str]
    values: tuple[str, str] = ("", "")
    are_rules: bool = True


def contrast(
    first: str,
    second: str,
    question: str,
    *,
    first_about: str = "",
    second_about: str = "",
    beside: Iterable[str] = (),
) -> Contrast | None:
    """Where two texts assert different values for what the question asks, the first such place; None if nowhere.

    `first_about` and `second_about` are the titles above them; `beside` are texts that answer as well, one of which may
    be on what is asked where these two are on its neighbour.
    """
    asked = subject(unquantified(without_times(normalise_numbers(question))))
    of = _counted(question)
    ours = [(a, _named(a, first_about, asked)) for a in assertions(first) if _speaks_to(a, first_about, asked, of)]
    theirs = [(b, _named(b, second_about, asked)) for b in assertions(second) if _speaks_to(b, second_about, asked, of)]
    pairs = ((a, b) for a, named in ours for b, also in theirs if named == also)
    return next(
        (
            found
            for a, b in pairs
            if (found := _disagreement(a, b)) is not None
            # Where a text gives the other's value as well, it does not contradict it with what else it says.
            and not any(_agrees(b, other) for other, _ in ours)
            and not any(_agrees(a, other) for other, _ in theirs)
            and not any(_is_nearer(other, a, asked) for text in beside for other in assertions(text))
        ),
        None,
    )


def _speaks_to(assertion: Assertion, about: str, asked: frozenset[str], of: frozenset[str]) -> bool:
    on_it = of <= (assertion.words | subject(about))
    return on_it and len(assertion.words & asked) >= ON_THE_QUESTION * len(asked)


@lru_cache(maxsize=256)
def _counted(question: str) -> frozenset[str]:
    """The words of what is counted or measured, empty where the question's form does not show them."""
    found = _COUNTED.search(normalise_numbers(question))
    if found is None:
        return frozenset()
    words = content_tokens(found["zh"] or found["en"])
    return frozenset(words[:1] if found["zh"] else words) - _GENERAL


def _named(assertion: Assertion, about: str, asked: frozenset[str]) -> frozenset[str]:
    """What the question names and the sentence, or the title above it, names too: its subject."""
    return (assertion.words | subject(about)) & asked - _GENERAL


def _is_nearer(other: Assertion, a: Assertion, asked: frozenset[str]) -> bool:
    """Whether it gives such a value of what the question names besides, where `a` has a word of its own instead."""
    more = other.words & asked > a.words & asked
    return more and bool(a.words - other.words - asked) and bool(other.values.keys() & a.values.keys())


def _agrees(a: Assertion, b: Assertion) -> bool:
    """Whether both say the same of the same, or one gives fewer values for it."""
    return likeness(a, b) >= ALIKE and a.denials == b.denials and not list(_apart(a, b))


def likeness(a: Assertion, b: Assertion) -> float:
    """Dice's coefficient of their words; 0 where each has a name, or most likely a case, that the other has not."""
    shared, ours, theirs = a.words & b.words, a.words - b.words, b.words - a.words
    found = 2 * len(shared) / (len(a.words) + len(b.words))
    if (a.names & ours and b.names & theirs) or (ours and theirs and found < ALIKE_BUT_FOR_A_WORD):
        return 0.0
    return found


def _disagreement(a: Assertion, b: Assertion) -> Contrast | None:
    """One kind of value apart and all others equal: where several differ, two cases are told, not one in two ways."""
    alike = likeness(a, b)
    sure = alike >= ALIKE_UNNAMED and len(a.words) >= UNNAMED_WORDS
    if alike < ALIKE:
        return None
    apart = list(_apart(a, b))
    if not apart and sure and _denies(a, b):
        return Contrast((a.text, b.text))
    if len(apart) != 1 or a.denials != b.denials:
        return None
    name, ours, theirs = apart[0]
    if name == UNNAMED and (not sure or len(ours) > 1 or len(theirs) > 1):
        return None
    return Contrast((a.text, b.text), (", ".join(ours), ", ".join(theirs)), a.is_rule and b.is_rule)


def _denies(a: Assertion, b: Assertion) -> bool:
    """Whether one whole rule says what another says is not so, or may not be, of the same values."""
    if {a.denials, b.denials} != {0, 1} or not (a.is_rule and b.is_rule and a.unconditional and b.unconditional):
        return False
    denying, other = (a, b) if a.denials else (b, a)
    same_values = a.values.keys() == b.values.keys() and bool(a.dates) == bool(b.dates)
    return same_values and (other.obliges or not denying.exempts)


def _apart(a: Assertion, b: Assertion) -> Iterator[tuple[str, list[str], list[str]]]:
    """Dimensions in which each gives a value that the other does not, with those values as they are written."""
    for name in sorted(a.values.keys() & b.values.keys()):
        ours, theirs = a.values[name], b.values[name]
        if ours.keys() - theirs.keys() and theirs.keys() - ours.keys():
            yield name, [ours[v] for v in ours if v not in theirs], [theirs[v] for v in theirs if v not in ours]
    if a.dates and b.dates and not any(mine.agrees(theirs) for mine in a.dates for theirs in b.dates):
        yield "date", [date.written for date in a.dates], [date.written for date in b.dates]
