"""Does a sentence say the opposite of what it cites? By code, and only where that can be told: best effort."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from text.negation import Negated, negations
from text.normalise import fold
from text.number_words import words_to_digits
from text.numbers import normalise_numbers
from text.quantities import stated
from text.sentences import sentences
from text.tokens import content_tokens

Bound = Literal["least", "most"]
Quantity = tuple[str, str | None]
"""A number and its unit."""

HELD: Final = 0.8
"""A sentence with this share of another's words speaks of the same."""
ALL: Final = 1.0
"""Of a sentence that denies nothing: a word more, and it may say what follows from doing what is not allowed."""
RELATED: Final = 0.5
"""Enough where they also share an amount."""
AT_LEAST: Final = 2
"""So many words must be shared."""
_LEAST: Final = (
    r"\bat least|\b(?:no|not) (?:be )?(?:less|fewer|lower|under|younger|shorter) than|\bminimum(?: age)? (?:of|is)"
    r"|至少|最少|不(?:得|能|应|可)?(?:少|低|短|小)于"
)
_MOST: Final = (
    r"\bat (?:the )?most|\b(?:no|not) (?:be )?(?:more|higher|longer|older|later|over) than|\bmaximum (?:of|is)|\bup to"
    r"|\b(?:not|n't|never) exceed(?:ing)?|\bwithin"
    r"|至多|最多|最长|不(?:得|能|应|可)?(?:超过|多于|高于|长于|大于|晚于|迟于)"
)
_BOUND: Final = re.compile(
    rf"(?:(?P<least>{_LEAST})|(?P<most>{_MOST}))"
    r"[^\d.。;；,，:：]{0,12}?(?P<amount>\d+(?:\.\d+)?(?:\s*[^\W\d]+)?)"
)
_SIGNS: Final = frozenset(["不", "没", "无", "未", "非", "勿", "莫", "没有", "不得", "not", "no", "never", "禁止"])
_SHORT: Final = re.compile(r"\b[a-z]+n['’]t\b", re.IGNORECASE)
_CAREFUL: Final = re.compile(
    r"\b(?:only|unless|except|until|till|before|after|more|less|later|earlier|longer|fewer|exceed\w*|beyond|other than"
    r"|rather|without|but|although|though|however|if|when|where|whether|while|otherwise|instead|free|exempt\w*"
    r"|prohibit\w*|forbid\w*|forbidden|banned|refus\w*|den(?:y|ies|ied)|lack\w*|fail\w*|waiv\w*|unable|nothing|nobody"
    r"|neither|either|hardly|rarely|too|enough|any longer|least|most|all|every|always|necessarily)\b|[,，] ?not\b"
    r"|但|除|仅|只|才|之前|以前|前|超过|少于|多于|低于|高于|如|若|倘|当|免|禁|拒|否则|例外|的[，,]|而非|而不是|并非|未必|不一定|都|均|全"
)
"""Words that turn a sentence by themselves, or bound what is denied: with one of them nobody can tell."""
_NOT_ALLOWED: Final = re.compile(r"\b(?:not|never) (?:be )?(?:allowed|permitted)\b", re.IGNORECASE)
"""Denies all of its sentence; the word behind it says nothing of what."""


def contradicted(words: str, grounds: Sequence[str]) -> bool:
    """Whether a sentence denies what the grounds assert, asserts what they deny, or turns at least into at most."""
    return _bound_turned(words, grounds) or _denied(words, grounds)


def _bound_turned(words: str, grounds: Sequence[str]) -> bool:
    """Whether an amount has one bound here and, wherever sentences on the same have it, the other."""
    bounds = _bounds(words)
    if not bounds:
        return False
    same = [held for held in _sentences(grounds) if _speaks_of(held, words, RELATED)]
    theirs = [pair for held in same for pair in _bounds(held)]
    amounts = [amount for held in same for amount in _amounts(held)]
    return any(
        (amount, bound) not in theirs and 0 < sum(held == amount for held, _ in theirs) == amounts.count(amount)
        for amount, bound in bounds
    )


@lru_cache(maxsize=512)
def _bounds(text: str) -> tuple[tuple[Quantity, Bound], ...]:
    """Amounts with their bounds, as far as these are written shortly before them."""
    return tuple(
        (amount, "least" if match["least"] else "most")
        for match in _BOUND.finditer(words_to_digits(normalise_numbers(fold(text))))
        for amount in _amounts(match["amount"])[:1]
    )


def _amounts(text: str) -> list[Quantity]:
    return [(amount.number, amount.unit) for amount in stated(text).amounts]


def _denied(words: str, grounds: Sequence[str]) -> bool:
    if _CAREFUL.search(fold(words)):
        return False
    denied = negations(words)
    same = [held for held in _sentences(grounds) if _speaks_of(held, words, HELD if denied else ALL)]
    if not same or any(_CAREFUL.search(fold(held)) for held in same):
        return False
    if denied:
        return any(_asserted(one, same, grounds) for one in denied)
    return all(_NOT_ALLOWED.search(held) or any(_names(words, one) for one in negations(held)) for held in same)


def _asserted(denied: Negated, same: Sequence[str], grounds: Sequence[str]) -> bool:
    """Whether the sentences use the denied word and deny nothing, and no sentence of the grounds denies it."""
    elsewhere = (one for ground in grounds for one in negations(ground))
    return (
        any(_names(held, denied) for held in same)
        and not any(negations(held) for held in same)
        and not any(one.word.isascii() == denied.word.isascii() and one.same(denied) for one in elsewhere if one.word)
    )


def _names(text: str, negated: Negated) -> bool:
    """Whether the text has the word that is negated, and that says something."""
    words = _words(negated.word)
    return bool(words & _words(text)) or bool(words and not negated.word.isascii() and negated.word in fold(text))


def _speaks_of(held: str, words: str, share: float) -> bool:
    wanted = _words(words)
    shared = len(wanted & _words(held))
    return shared >= max(AT_LEAST, share * len(wanted))


def _sentences(grounds: Sequence[str]) -> Iterator[str]:
    return (ground[start:end] for ground in grounds for start, end in sentences(ground))


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    """Its content words, without the signs of negation that are words of their own."""
    return frozenset(content_tokens(_SHORT.sub(" ", text))) - _SIGNS
