"""Negation in Chinese and English, as far as single words show it, and the word that is negated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from text.normalise import fold

NEGATION: Final = re.compile(
    r"\b(?:not|no|never|without|nor|cannot|none)\b|n't\b|[不没無无未非勿莫]|禁止|严禁|拒绝", re.IGNORECASE
)
"""One negating word or character; some are part of a longer word (非常), so a match is a reason to be careful."""

_LEXICAL: Final = re.compile(
    "非常|不同|不仅|不但|不过|不管|不论|无论|不如|不断|不少|不久|不错|未来|未必|非洲|莫非|无锡|无线|无人机|不动产|不锈钢|不良"
    "|无障碍|没关系|不好意思|非机动车|未成年|是不是|能不能|可不可以|要不要|有没有|会不会|该不该|行不行|对不对|是否"
)
"""Words and forms of question that hold a negating character and negate nothing."""
_BETWEEN: Final = (
    "(?:得|能够?|可以?|会|应当?|该|必须?|须|需要?|要|让|被|把|将|对|向|由|给|为|在|再|曾经?|其|地|是|有|进行|予以?|任何"
    "|随意|擅自|许|准)"
)
_SIGN: Final = "(?:禁止|严禁|拒绝|没有|并非|毫无|无法|[不没无未非勿莫])"
_CHINESE: Final = re.compile(f"((?:{_SIGN}{_BETWEEN}*)+)([\u3400-\u9fff]{{0,2}})")
"""Signs in a row (不得拒绝) count as one; the two characters behind them are what is negated."""
_RESULT: Final = re.compile("(?<=[\u3400-\u9fff])不(?=[好了开动到上下起完成出来去掉住清见全])")
"""修不好, 打不开: the character before the sign is negated too."""
_ENGLISH: Final = re.compile(r"\b(?:not|no|never|without|nor|cannot|none)\b|n't\b")
_ENGLISH_WORD: Final = re.compile(r"[a-z][a-z-]+")
_SAYS_NOTHING: Final = """
a an the any to be been being is are was were do does did have has had will would shall should can could may might must
of it this that they there longer more such allowed permitted able
"""
_PASSED_OVER: Final = frozenset(_SAYS_NOTHING.split())
_STEM: Final = 4
"""English words that begin with the same letters, so many of them, are taken for forms of one."""


@dataclass(frozen=True)
class Negated:
    """A word that is negated, empty where none follows; `sign` is what negates it. Both are folded."""

    sign: str
    word: str

    def same(self, other: Negated) -> bool:
        """Whether both negate the same word: one with a character, or a beginning, in common.

        Of two languages, or where no word follows, nobody can tell, and they pass for the same.
        """
        if not self.word or not other.word or self.word.isascii() != other.word.isascii():
            return True
        if self.word.isascii():
            return other.word[:_STEM] == self.word[:_STEM]
        return bool(set(self.word) & set(other.word))


@lru_cache(maxsize=256)
def negations(text: str) -> tuple[Negated, ...]:
    """What a text negates, best effort: Chinese first, then English, each in order."""
    folded = _LEXICAL.sub("，", fold(text))
    chinese = (Negated(match[1], _before(match) + match[2]) for match in _CHINESE.finditer(folded))
    english = (Negated(match.group(), _word_after(folded[match.end() :])) for match in _ENGLISH.finditer(folded))
    return (*chinese, *english)


def _before(match: re.Match[str]) -> str:
    return match.string[match.start() - 1] if _RESULT.match(match.string, match.start()) else ""


def _word_after(text: str) -> str:
    """The first word of the clause that says something."""
    clause = re.split(r"[.,;:!?()\n]", text, maxsplit=1)[0]
    return next((word for word in _ENGLISH_WORD.findall(clause) if word not in _PASSED_OVER), "")
