"""Values as delimited data in a prompt. Whatever a value holds, it cannot open or close a delimiter.

Passages and sub-questions go by short numbers from 1; ids of the store never enter a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from context.reasoning import Source
from context.retrieval import Passage
from evidence import Disagreement, Gap
from state import SubQuestion, TriedQuery, Turn
from text.citing import unmarked

TAGS: Final = (
    "history",
    "turn",
    "asked",
    "answered",
    "question",
    "standalone",
    "reason",
    "checklist",
    "item",
    "gaps",
    "gap",
    "tried",
    "query",
    "found",
    "passages",
    "passage",
    "conflicts",
    "conflict",
    "side",
    "fields",
    "title",
    "document",
    "suggested",
    "steps",
    "step",
    "remark",
    "left",
)
"""Every tag that a prompt uses as a delimiter."""

CONTROL_WORDS: Final = ("think", "s", "start_of_turn", "end_of_turn")
"""Control tokens of chat templates that look like tags; others begin with `<|`, such as <|im_start|>."""

HISTORY_TURNS: Final = 6
TURN_CHARACTERS: Final = 600
NEAR_CHARACTERS: Final = 300
METADATA_CHARACTERS: Final = 80
"""How much a prompt shows of a thread, of a turn's text, of a passage found wanting, and of one metadata value."""
HEADING_CHARACTERS: Final = 300
"""Of a heading its end is shown: the nearest one, and under it the names of a table's columns, up to 200."""

_CITATION = re.compile(r"\s*(?:\[\d+\]|【\d+】)")
_GAP = r"[\s\u200b-\u200d\ufeff]*"
_DELIMITER = re.compile(
    rf"[<＜](?={_GAP}[|｜]|{_GAP}[/／]?{_GAP}(?:{'|'.join(TAGS + CONTROL_WORDS)})(?![a-z]))", re.IGNORECASE
)


def data(text: str) -> str:
    """The text with every delimiter-like piece made plain: its `<` becomes `&lt;`."""
    return _DELIMITER.sub("&lt;", text)


def history(turns: Sequence[Turn]) -> str:
    """The last turns, without their citations: those numbers mean other sources by now."""
    return "\n".join(
        f"<turn>\n{_element('asked', _cut(turn['question'], TURN_CHARACTERS))}\n"
        f"{_element('answered', _cut(_CITATION.sub('', turn['answer']), TURN_CHARACTERS))}\n</turn>"
        for turn in turns[-HISTORY_TURNS:]
    )


def checklist(sub_questions: Sequence[SubQuestion]) -> str:
    return "\n".join(
        _element("item", item["text"], number=number, required="yes" if item["required"] else "no")
        for number, item in enumerate(sub_questions, 1)
    )


def gaps(named: Iterable[Gap], sub_questions: Sequence[SubQuestion]) -> str:
    numbers = positions(sub_questions)
    return "\n".join(
        _element("gap", gap["text"], item=numbers.get(gap["sub_question_id"], 0), kind=gap["kind"]) for gap in named
    )


def tried(queries: Iterable[TriedQuery], sub_questions: Sequence[SubQuestion]) -> str:
    numbers = positions(sub_questions)
    return "\n".join(
        _element("query", query["text"], item=numbers.get(query["gap"] or "", 0), new=query["new_hits"])
        for query in queries
    )


def found(near: Iterable[Passage]) -> str:
    return "\n".join(_passage(replace(passage, text=_cut(passage.text, NEAR_CHARACTERS))) for passage in near)


def passages(numbered: Iterable[Passage]) -> str:
    return "\n".join(_passage(passage, id=number) for number, passage in enumerate(numbered, 1))


def placed(passage: Passage, **attributes: object) -> str:
    """One passage with what is told of its place."""
    return _passage(passage, **attributes)


def element(tag: str, text: str) -> str:
    """A value in its own delimiters."""
    return _element(tag, text)


def sources(cited: Iterable[Source], sub_questions: Sequence[SubQuestion]) -> str:
    """Passages under the numbers that the answer cites them by, with the items that they support. Numbers of their
    own in square brackets are made plain: copied, they would cite something else."""
    numbers = positions(sub_questions)
    return "\n".join(
        _passage(
            replace(source.passage, text=unmarked(source.passage.text)),
            id=source.number,
            items=",".join(str(numbers.get(i, 0)) for i in source.sub_question_ids),
        )
        for source in cited
    )


def conflicts(
    disagreements: Iterable[Disagreement], sub_questions: Sequence[SubQuestion], cited: Iterable[Source]
) -> str:
    """Sides whose chunk is not among the cited sources are left out: the answer could not cite them."""
    numbers, by_chunk = positions(sub_questions), {source.passage.chunk_id: source.number for source in cited}
    blocks = []
    for disagreement in disagreements:
        sides = [
            _element("side", unmarked(side["quote"]), passage=by_chunk[side["chunk_id"]])
            for side in disagreement["sides"]
            if side["chunk_id"] in by_chunk
        ]
        item = numbers.get(disagreement["sub_question_id"], 0)
        blocks.append("\n".join([f'<conflict item="{item}">', *sides, "</conflict>"]))
    return "\n".join(blocks)


def sides(disagreements: Iterable[Disagreement], sub_questions: Sequence[SubQuestion]) -> str:
    """What stands against what, for a search that is to settle it; each side with its title and first day."""
    numbers = positions(sub_questions)
    blocks = []
    for disagreement in disagreements:
        told = [
            _element("side", f"{_value(side['title'])} ({side.get('effective_from', '-')}): {side['quote']}")
            for side in disagreement["sides"]
        ]
        item = numbers.get(disagreement["sub_question_id"], 0)
        blocks.append("\n".join([f'<conflict item="{item}">', *told, "</conflict>"]))
    return "\n".join(blocks)


def positions(sub_questions: Sequence[SubQuestion]) -> dict[str, int]:
    """Sub-question ids to their numbers in a prompt, from 1; 0 stands for none of them."""
    return {item["id"]: number for number, item in enumerate(sub_questions, 1)}


def _passage(passage: Passage, **attributes: object) -> str:
    head = {"title": _value(passage.title), "heading": _end(_one_line(passage.heading), HEADING_CHARACTERS)}
    known = {name: _value(value) for name, value in passage.metadata.items() if _shown(value) and name not in head}
    lines = [f"{name}: {value}" for name, value in (head | known).items() if value]
    return _element("passage", "\n".join([*lines, "", passage.text]), **attributes)


def _shown(value: object) -> bool:
    return isinstance(value, (str, int, float)) and value != ""


def _value(value: object) -> str:
    return _cut(_one_line(value), METADATA_CHARACTERS)


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[:characters] + "…"


def _end(text: str, characters: int) -> str:
    return text if len(text) <= characters else "…" + text[-characters:]


def _element(tag: str, text: str, **attributes: object) -> str:
    """Attributes are numbers and words of ours; whatever others wrote goes into the text."""
    head = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{head}>{_inner(text)}</{tag}>"


def _inner(text: str) -> str:
    plain = data(text)
    return f"\n{plain}\n" if "\n" in plain else plain
