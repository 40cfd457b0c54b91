"""What code adds to an answer: excerpts where no model speaks, and at the end what is in conflict, open or left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from state import Disagreement, Gap, Language
from text.citing import with_marker

EXCERPTS: Final[dict[Language, str]] = {
    "zh": "以下是资料原文的摘录，未经模型整理：",
    "en": "These are excerpts from the documents, not an answer written by a model:",
}
CUT: Final[dict[Language, str]] = {
    "zh": "（时间已到，回答在此中断。）",
    "en": "(Time ran out; the answer stops here.)",
}
CUT_SHORT: Final[dict[Language, str]] = {
    "zh": "（已达到模型的输出长度上限，回答在此中断。）",
    "en": "(The model reached its length limit; the answer stops here.)",
}
MISSING: Final[dict[Language, str]] = {
    "zh": "资料中没有找到足以回答以下部分的内容：{gaps}。",
    "en": "The documents do not establish this part: {gaps}.",
}
LEFT_OUT: Final[dict[Language, str]] = {
    "zh": "（另有 {count} 句没有资料依据，已略去。）",
    "en": "(Left out for want of any support in the documents: {count} sentence(s).)",
}
DISAGREE: Final[dict[Language, str]] = {
    "zh": "关于“{subject}”，资料说法不一：{sides}。",
    "en": 'On "{subject}" the sources disagree: {sides}.',
}
SIDE: Final[dict[Language, str]] = {"zh": "“{quote}”[{number}]", "en": '"{quote}" [{number}]'}
SIDE_CHARS: Final = 120


def excerpts(quotes: Mapping[int, Iterable[str]], language: Language) -> str:
    """The quotes of each numbered source, every sentence with its citation, under a line that says what they are."""
    paragraphs = (" ".join(with_marker(quote, number) for quote in of_source) for number, of_source in quotes.items())
    return "\n".join([EXCERPTS[language], *paragraphs])


def disagreements(
    conflicts: Sequence[Disagreement],
    numbers: Mapping[str, int],
    subjects: Mapping[str, str],
    cited: Collection[int],
    language: Language,
) -> list[str]:
    """A sentence for each conflict of which the answer did not cite every side.

    `numbers` are the sources' by chunk id, `subjects` the sub-questions' texts by their id.
    """
    told = []
    for conflict in conflicts:
        sides = {numbers[side["chunk_id"]]: side["quote"] for side in conflict["sides"] if side["chunk_id"] in numbers}
        if sides and not sides.keys() <= set(cited):
            subject = _plain(subjects.get(conflict["sub_question_id"], ""))
            shown = "；".join if language == "zh" else "; ".join
            quoted = [SIDE[language].format(quote=_cut(quote), number=number) for number, quote in sides.items()]
            told.append(DISAGREE[language].format(subject=subject, sides=shown(quoted)))
    return told


def missing(gaps: Iterable[Gap], language: Language) -> str | None:
    """A sentence that names what is missing, None when nothing is."""
    texts = [_plain(gap["text"]) for gap in gaps if gap["kind"] == "missing"]
    joined = "；".join(texts) if language == "zh" else "; ".join(texts)
    return MISSING[language].format(gaps=joined) if texts else None


def left_out(count: int, language: Language) -> str | None:
    """A remark on sentences that were removed, None when none was."""
    return LEFT_OUT[language].format(count=count) if count else None


def _plain(text: str) -> str:
    return text.rstrip("。？！?!. ")


def _cut(quote: str) -> str:
    line = " ".join(quote.split()).rstrip("。；;.")
    return line if len(line) <= SIDE_CHARS else f"{line[:SIDE_CHARS]}…"
