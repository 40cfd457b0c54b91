"""Does a question lean on the one before it? By its form alone: an opening, an ending, or a word that points back."""

from __future__ import annotations

import re
from typing import Final

from text.identifiers import identifiers, readable
from text.tokens import content_tokens, content_words

_OPENS: Final = re.compile(
    r"^(?:那么?|它|他|她|其|这个?|这些|那个|那些|还有|另外|此外|为什么|为何|如果(?:这样|是这样|不是))"
    r"|^(?:then|and|also|so|otherwise|what about|how about|what if|why|it|they|he|she|this|that|these|those)\b",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"呢[？?！!。.]*$")
_POINTS_BACK: Final = re.compile(
    r"它们?|[他她]们?|上述|前者|后者|这(?:个|些|种|样|份|条|项|里|笔|件)|那(?:个|些|种|样|份|条|项|里|笔|件)"
    r"|\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|the same|the former|the latter)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"[?？]|什么|谁|几|多少|多久|哪|吗|怎|如何|是否|能否|可否|[是能会有要该]不[是能会要该]|有没有"
    r"|\b(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may"
    r"|must|has|have|had|tell|give|show|list|explain|describe|find|want|know|need)\b",
    re.IGNORECASE,
)
_COMPARES: Final = re.compile(r"比|区别|不同|差别|差异|都|\b(?:than|compar\w+|versus|vs|differ\w*|both|either)\b")
_FRAGMENT: Final = 3
"""So few words of substance that ask nothing name a thing, and leave what is asked about it to the question before."""
_ENOUGH: Final = 2
"""A word that points back after so many words of substance may well point to them."""


def leans_on_history(question: str) -> bool:
    """Whether the question names its subject only by pointing back, so that it cannot be searched for alone."""
    asked = question.strip()
    if _OPENS.search(asked) or _ENDS.search(asked):
        return True
    if not _ASKS.search(asked) and len(set(content_tokens(asked))) <= _FRAGMENT:
        return True
    pointing = _POINTS_BACK.search(asked)
    return pointing is not None and len(set(content_tokens(asked[: pointing.start()]))) < _ENOUGH


def replaced(question: str, before: str) -> frozenset[str]:
    """Words of the codes that the question before named and instead of which this one names others of their family.

    None where it sets two against each other, or points back before it names its own (is it heavier than the X300?).
    """
    asked = readable(question)
    own = identifiers(question)
    if not own or _COMPARES.search(asked):
        return frozenset()
    pointing = _POINTS_BACK.search(asked)
    if pointing is not None and not identifiers(asked[: pointing.start()]):
        return frozenset()
    families = {one.family for one in own}
    gone = [one for one in identifiers(before) if one.family in families]
    return frozenset(word for one in gone for word in content_words(one.whole))
