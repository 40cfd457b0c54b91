"""Questions drafted from a knowledge base for a person to correct: of which passages, and into which file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

from context.retrieval import Principal
from corpus.index import Index
from errors import BadRequest, Conflict
from evals import sheet
from evals.sets import SMALL_TALK
from state import Language
from text.language import language

WRITTEN: Final = ("question", "answer", "gold", "points", "kind", "comment")
SHOWN: Final = 200
"""Chunks of a document that its passage is drawn from."""
_FORMULA: Final = ("=", "+", "-", "@")


@dataclass(frozen=True)
class Source:
    """A passage that a question is drafted from."""

    doc_id: str
    title: str
    heading: str
    text: str
    language: Language


@dataclass(frozen=True)
class Draft:
    """A line of the file; `points` holds the wording of each point."""

    question: str
    answer: str = ""
    gold: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    kind: str = ""
    comment: str = ""


class Drafter(Protocol):
    """Drafts one question from a passage."""

    async def draft(self, source: Source) -> Draft | None:
        """None when nothing can be asked of this passage. Raises `errors.Unavailable`."""
        ...


OTHERS: Final[dict[Language, tuple[Draft, ...]]] = {
    "zh": (
        Draft("冰岛雷克雅未克1987年的年平均降水量是多少？", kind=sheet.UNANSWERABLE),
        Draft("谢谢，辛苦了！", kind=SMALL_TALK),
    ),
    "en": (
        Draft("What was the mean yearly rainfall in Reykjavik in 1987?", kind=sheet.UNANSWERABLE),
        Draft("Thanks, that was helpful!", kind=SMALL_TALK),
    ),
}
"""What no knowledge base is about, so that refusing and small talk are measured too."""
REPLACE_THEM: Final = "Replace or add: questions near your subject that your documents do not answer tell most."


async def drafted(
    index: Index, drafter: Drafter, wanted: int, seed: int, asker: Principal, tick: Callable[[int, int], None]
) -> list[Draft]:
    """So many questions, each from another document as long as there are enough, then the two of `OTHERS`.

    The same knowledge base and seed give the same passages. Raises `BadRequest` when there is nothing to ask about.
    """
    found: dict[str, Draft] = {}
    spoken: list[Language] = []
    async for source in _sources(index, seed, asker):
        draft = await drafter.draft(source)
        if draft is not None and draft.question not in found:
            found[draft.question] = draft
            spoken.append(source.language)
            tick(len(found), wanted)
        if len(found) == wanted:
            break
    if not found:
        raise BadRequest("No question can be drafted: there is no document with a sentence to ask about.")
    others = OTHERS["zh" if spoken.count("zh") > spoken.count("en") else "en"]
    return [*found.values(), *(replace(other, comment=REPLACE_THEM) for other in others)]


async def _sources(index: Index, seed: int, asker: Principal) -> AsyncIterator[Source]:
    """The chunks of all documents, drawn one of each document at a time."""
    documents = sorted((info.doc_id for info in await index.documents(asker)), key=_drawn(seed))
    for turn in range(SHOWN):
        any_left = False
        for doc_id in documents:
            detail = index.catalogue.detail(doc_id, asker, limit=SHOWN)
            chunks = sorted(detail.shown.chunks, key=lambda chunk: _drawn(seed)(chunk.chunk_id))
            if turn < len(chunks):
                any_left = True
                chunk = chunks[turn]
                yield Source(doc_id, detail.title, chunk.heading, chunk.text, language(chunk.text))
        if not any_left:
            return


def _drawn(seed: int) -> Callable[[str], bytes]:
    return lambda name: sha256(f"{seed}:{name}".encode()).digest()


def check_target(file: Path, *, replace: bool) -> None:
    """Raises `Conflict` when the file exists already and may not be replaced, `BadRequest` for one that cannot be."""
    if file.suffix.lower() != ".csv":
        raise BadRequest("Questions go into a file whose name ends in .csv.")
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise BadRequest("There is no such folder for the questions: make it, or name another file.")
    if file.exists() and not replace:
        raise Conflict("The file of questions exists already: name another one, or replace it with --force.")


def written(drafts: Sequence[Draft], file: Path) -> None:
    """The file, whole or not at all, with the mark by which spreadsheets know UTF-8."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(_lines(drafts))
    beside = file.with_name(f"{file.name}.new")
    beside.write_bytes(text.getvalue().encode("utf-8-sig"))
    beside.replace(file)


def _lines(drafts: Iterable[Draft]) -> Iterator[Sequence[str]]:
    yield WRITTEN
    for one in drafts:
        cells = (one.question, one.answer, ids(one.gold), "; ".join(one.points), one.kind, one.comment)
        yield [_no_formula(cell) for cell in cells]


def ids(named: Sequence[str]) -> str:
    """Documents' ids as a cell; as JSON where an id has in it what stands between ids."""
    joined = "; ".join(named)
    return joined if sheet.ids(joined) == list(named) else json.dumps(named, ensure_ascii=False)


def _no_formula(cell: str) -> str:
    """What documents say must not be computed by a spreadsheet; the space is taken off again on reading."""
    return f" {cell}" if cell.startswith(_FORMULA) else cell
