"""What kind of sentence stands in an answer, and does the evidence bear it? By code alone; see docs/decisions/0022."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from policy.citations import checked, copied, without_markers
from policy.polarity import contradicted
from state import Language
from text.citing import CODE, with_marker
from text.language import language as language_of
from text.negation import NEGATION
from text.quantities import stated, unfounded
from text.sentences import sentences
from text.tokens import content_tokens

Kind = Literal["fact", "missing", "frame", "removed"]
"""`missing` says what is not known; `frame` holds the answer together: headings, introductions, questions."""

WRONG_NUMBERS: Final[dict[Language, str]] = {
    "zh": "（引用的资料中没有：{numbers}）",
    "en": " (not in the cited sources: {numbers})",
}
UNCITED: Final[dict[Language, str]] = {"zh": "（未注明出处）", "en": " (no source given)"}
UNRELATED: Final[dict[Language, str]] = {"zh": "（所引资料中未见此内容）", "en": " (not found in the cited source)"}
OPPOSITE: Final[dict[Language, str]] = {
    "zh": "（所引资料的说法与此相反）",
    "en": " (the cited source says otherwise)",
}

QUOTED: Final = 0.8
"""A source's sentence with this share of a sentence's words says the same, if both negate as often."""
FEW_WORDS: Final = 3
"""With fewer words than this, sharing them says nothing, and a line without a full stop is a label."""
MANY_WORDS: Final = 6
"""A sentence of so many different words that shares none with its source is not about it."""

LIST_NUMBER: Final = re.compile(r"^\s*(?:\(?\d{1,2}[.)、](?=\s|[^\d])|第[一二三四五六七八九十\d]{1,3}[，,、点步])")
"""The number of a list's item: it counts and states nothing."""
_INDEX: Final = re.compile(r"(?<=[A-Za-z0-9_)\]}])\[\d+\]")
_BULLET: Final = re.compile(r"^[-*+•·]\s")
_CONNECTING_WORDS: Final = """
yes no ok okay sure certainly however therefore thus hence moreover furthermore additionally also otherwise finally
first second third other word words short summary conclusion note details detail above below described hope
help helps let know question questions answer here found happy glad welcome true false correct right same case example
是 否 不 对 好 好的 可以 此外 另外 因此 所以 但是 然而 不过 首先 其次 最后 总之 换言之 具体 来说 如上 如下 以上 以下
希望 帮助 有帮助 谢谢 例如 同样 同上 是的 没错 正确
"""
_HEADING: Final = re.compile(r"^(?:#{1,6}\s.*|\*\*[^*]+\*\*|[|:\s-]+|```.*)$")
_POINTER: Final = re.compile(
    r"如下|^(?:另|参|请参|详)见|^(?:以上|以下|总之|综上所述?|换言之|具体而言)[，,]?[^，,]{0,8}[。.]?$"
    r"|as follows|\b(?:the following|listed below|in short|in summary|here (?:is|are))\b[^,]{0,20}$",
    re.IGNORECASE,
)
_DISAGREEMENT: Final = re.compile(
    r"(?:资料|来源|文件|规定|说法).{0,8}(?:矛盾|不一致|不一|冲突)"
    r"|\b(?:sources|documents|passages)\b.{0,20}\b(?:disagree|conflict|contradict|differ)",
    re.IGNORECASE,
)
_MISSING: Final = re.compile(
    r"(?:资料|文档|文件|来源|知识库|材料|段落|条文|原文)(?:中|里|内)?.{0,6}(?:没有|未|并未|无法|不足以|不能)"
    r"|(?:没有|未能?|无法)(?:找到|查到|查明|确定|回答|得知|判断|明确)|尚?不(?:清楚|明确|得而知)"
    r"|\b(?:documents?|sources?|passages?|materials?|texts?|information|knowledge base)\b.{0,30}"
    r"(?:\bnot\b|n't\b|\bno\b|\bcannot\b|\bsilent\b)"
    r"|\bno (?:information|mention|evidence|source|document)|\b(?:not|n't) (?:be )?(?:established|determined|stated"
    r"|specified|mentioned|found|answered|known|clear)\b|\b(?:unclear|unknown|unspecified|cannot tell)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Verdict:
    """What may be said of a sentence, with the sources that it then cites; `text` is empty when it was removed."""

    kind: Kind
    text: str
    cited: tuple[int, ...] = ()


def judge(sentence: str, sources: Mapping[int, str], asked: str, language: Language) -> Verdict:
    """The sentence with its citations checked against the numbered sources; `asked` is what the asker said.

    A fact without a citation gets one if a source says the same; otherwise it is marked, or removed when it states a
    number that no source has. A cited fact is marked where its sources do not have its numbers, say the opposite, or
    have none of its words.
    """
    text, cited = checked(sentence, sources.keys() - _copied(sentence, sources))
    words = LIST_NUMBER.sub("", _INDEX.sub("", CODE.sub("", without_markers(text))))
    kind = kind_of(words)
    if kind == "frame" and not cited and text != sentence:
        kind = kind_of(f"{words}.")  # what was written with a citation is no label
    if kind == "frame":
        return Verdict(kind, text, tuple(cited))
    grounds = [sources[number] for number in cited] or list(sources.values())
    wrong = unfounded(words, [*grounds, asked])
    if kind == "fact" and not cited:
        return _uncited(text, words, sources, wrong, language)
    if wrong:
        return Verdict(kind, remarked(text, WRONG_NUMBERS[language].format(numbers=", ".join(wrong))), tuple(cited))
    if kind == "fact" and contradicted(words, grounds):
        return Verdict(kind, remarked(text, OPPOSITE[language]), tuple(cited))
    if kind == "fact" and _is_unrelated(words, grounds, asked):
        return Verdict(kind, remarked(text, UNRELATED[language]), tuple(cited))
    return Verdict(kind, text, tuple(cited))


def kind_of(words: str) -> Kind:
    """What a sentence, without its markers, is: a fact unless it is recognised as something else."""
    bare = words.strip().strip("*_ ").rstrip("。.!！;；")
    if not bare or _HEADING.match(words.strip()) or bare.endswith(("：", ":", "？", "?")):
        return "frame"
    if _MISSING.search(bare):
        return "missing"
    if _POINTER.search(bare) or (_DISAGREEMENT.search(bare) and not stated(bare).amounts):
        return "frame"
    return "fact" if _states(bare) and not _is_label(words.strip()) else "frame"


def _states(bare: str) -> bool:
    """Whether it says anything: a number, or one word that does not only connect."""
    said = stated(bare)
    return bool(said.amounts or said.dates or _words(bare) - _connecting())


def _is_label(line: str) -> bool:
    """Whether it is a few words without a number or a full stop, and not an item of a list."""
    said = stated(line)
    few = len(_words(line)) < FEW_WORDS and not said.amounts and not said.dates
    return few and line.rstrip("*_")[-1:].isalnum() and not _BULLET.match(line)


def tells_disagreement(text: str) -> bool:
    """Whether it says that sources disagree."""
    return _DISAGREEMENT.search(text) is not None


def _copied(sentence: str, sources: Mapping[int, str]) -> set[int]:
    """The numbers that stand in a source's own text, unless the source of that number says the same."""
    words = without_markers(sentence)
    return {n for n in copied(sentence, sources) if n in sources and not says_the_same(sources[n], words)}


def _uncited(text: str, words: str, sources: Mapping[int, str], wrong: list[str], language: Language) -> Verdict:
    if wrong:
        return Verdict("removed", "")
    number = next((n for n, source in sources.items() if says_the_same(source, words, least=FEW_WORDS)), None)
    if number is None:
        return Verdict("fact", remarked(text, UNCITED[language]))
    lead = text[: len(text) - len(text.lstrip())]
    tail = text[len(text.rstrip()) :]
    return Verdict("fact", f"{lead}{with_marker(text, number)}{tail}", (number,))


def says_the_same(source: str, words: str, *, least: int = 1) -> bool:
    """Whether one sentence of the source holds these words, `least` of them or more, their numbers and negations."""
    wanted = _words(words)
    return len(wanted) >= least and any(
        len(wanted & _words(held)) >= QUOTED * len(wanted)
        and len(NEGATION.findall(held)) == len(NEGATION.findall(words))
        and not unfounded(words, [held])
        and not contradicted(words, [held])
        for held in (source[start:end] for start, end in sentences(source))
    )


def _is_unrelated(words: str, grounds: Sequence[str], asked: str) -> bool:
    """Whether a long sentence shares no word with the question nor with any ground, all of which are in its language:
    across languages nobody can tell."""
    wanted = _words(words)
    if len(wanted) < MANY_WORDS or any(language_of(ground) != language_of(words) for ground in grounds):
        return False
    return not any(wanted & _words(held) for held in (*grounds, asked))


@lru_cache(maxsize=1)
def _connecting() -> frozenset[str]:
    return frozenset(content_tokens(_CONNECTING_WORDS))


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text))


def remarked(text: str, remark: str) -> str:
    """The remark directly behind the sentence, before white space that follows it."""
    body = text.rstrip()
    return f"{body}{remark}{text[len(body) :]}"
