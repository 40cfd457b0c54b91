"""Do two texts assert different values of the same subject? By code alone, and rather not than wrongly.

See docs/decisions/0027 for what the constants were chosen on, and for what this misses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from policy.assertions import UNNAMED, Assertion, assertions, subject
from text.clock import without_times
from text.numbers import normalise_numbers
from text.quantities import unquantified

ALIKE: Final = 0.75
"""Dice's coefficient of the words of two sentences from which they speak of the same."""
ALIKE_BUT_FOR_A_WORD: Final = 0.9
"""The same where each has a word that the other has not: 普通快件 and 加急快件 are two cases."""
ALIKE_UNNAMED: Final = 0.85
"""The same where the value is a number without a unit of ours, or a negation: words alone say what it is of."""
ON_THE_QUESTION: Final = 0.4
"""The share of the question's words that a sentence must have to speak to it."""
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
    first: str, second: str, question: str, *, first_about: str = "", second_about: str = ""
) -> Contrast | None:
    """Where two texts assert different values for what the question asks, the first such place; None if nowhere.

    `first_about` and `second_about` are the titles above them.
    """
    asked = subject(unquantified(without_times(normalise_numbers(question))))
    ours = [(a, _named(a, first_about, asked)) for a in assertions(first) if _speaks_to(a, asked)]
    theirs = [(b, _named(b, second_about, asked)) for b in assertions(second) if _speaks_to(b, asked)]
    pairs = ((a, b) for a, named in ours for b, also in theirs if named == also)
    return next(
        (
            found
            for a, b in pairs
            if (found := _disagreement(a, b)) is not None
            # Where a text gives the other's value as well, it does not contradict it with what else it says.
            and not any(_agrees(b, other) for other, _ in ours)
            and not any(_agrees(a, other) for other, _ in theirs)
        ),
        None,
    )


def _speaks_to(assertion: Assertion, asked: frozenset[str]) -> bool:
    return len(assertion.words & asked) >= ON_THE_QUESTION * len(asked)


def _named(assertion: Assertion, about: str, asked: frozenset[str]) -> frozenset[str]:
    """What the question names and the sentence, or the title above it, names too: its subject."""
    return (assertion.words | subject(about)) & asked


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
