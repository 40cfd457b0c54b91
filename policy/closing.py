"""What code adds to an answer: excerpts where no model speaks, and at the end what is in conflict, open or left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evidence import Disagreement, Gap, Side
from policy.claims import tells_disagreement
from state import Language
from text.citing import unmarked, with_marker
from text.quantities import unfounded

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
SIDE_LEFT_OUT: Final[dict[Language, str]] = {"zh": "“{quote}”（{title}）", "en": '"{quote}" ({title})'}
"""A side for which the answer's window had no room: it cannot be cited by number, and is still named."""
SIDE_CHARS: Final = 120


def excerpts(quotes: Mapping[int, Iterable[str]], language: Language) -> str:
    """The quotes of each numbered source, every sentence with its citation, under a line that says what they are."""
    paragraphs = (
        " ".join(with_marker(unmarked(quote), number) for quote in of_source) for number, of_source in quotes.items()
    )
    return "\n".join([EXCERPTS[language], *paragraphs])


@dataclass(frozen=True)
class Said:
    """An answer's text so far, and for each of its sentences the numbers that it cites."""

    text: str
    cited: Sequence[Collection[int]]


def disagreements(
    conflicts: Sequence[Disagreement],
    numbers: Mapping[str, int],
    subjects: Mapping[str, str],
    said: Said,
    language: Language,
) -> list[str]:
    """A sentence for each conflict that the answer did not tell.

    `numbers` are the sources' by chunk id, `subjects` the sub-questions' texts by their id.
    """
    return [
        DISAGREE[language].format(
            subject=_plain(subjects.get(conflict["sub_question_id"], "")),
            sides=("；" if language == "zh" else "; ").join(
                _side(side, numbers, language) for side in conflict["sides"]
            ),
        )
        for conflict in conflicts
        if conflict["sides"] and not _is_told(conflict, numbers, said)
    ]


def _is_told(conflict: Disagreement, numbers: Mapping[str, int], said: Said) -> bool:
    """Whether every side is cited, its value named, and the sides set against each other: in one sentence, or by
    saying that they disagree."""
    sides = {numbers.get(side["chunk_id"]) for side in conflict["sides"]}
    if not sides <= {number for cited in said.cited for number in cited}:
        return False
    if any(unfounded(side.get("value", ""), [said.text]) for side in conflict["sides"]):
        return False
    return tells_disagreement(said.text) or any(len(sides.intersection(cited)) > 1 for cited in said.cited)


def _side(side: Side, numbers: Mapping[str, int], language: Language) -> str:
    quote, value, number = _cut(unmarked(side["quote"])), side.get("value"), numbers.get(side["chunk_id"])
    shown = f"{quote} ({value})" if value and quote.endswith("…") else quote
    if number is None:
        return SIDE_LEFT_OUT[language].format(quote=shown, title=unmarked(side["title"]))
    return SIDE[language].format(quote=shown, number=number)


def missing(gaps: Iterable[Gap], language: Language) -> str | None:
    """A sentence that names what is missing, None when nothing is."""
    texts = [_plain(gap["text"]) for gap in gaps if gap["kind"] == "missing"]
    joined = "；".join(texts) if language == "zh" else "; ".join(texts)
    return MISSING[language].format(gaps=joined) if texts else None


def left_out(count: int, language: Language) -> str | None:
    """A remark on sentences that were removed, None when none was."""
    return LEFT_OUT[language].format(count=count) if count else None


def _plain(text: str) -> str:
    return unmarked(text).rstrip("。？！?!. ")


def _cut(quote: str) -> str:
    line = " ".join(quote.split()).rstrip("。；;.")
    return line if len(line) <= SIDE_CHARS else f"{line[:SIDE_CHARS]}…"
