"""Questions in a CSV file that a person wrote or corrected: read whole, and refused by line before any is asked."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpus.ingest.decode import decode
from errors import BadRequest, NotFound
from evals import fingerprint
from evals.lines import broken
from evals.sets import SMALL_TALK, Case, QuestionSet

COLUMNS: Final[Mapping[str, str]] = {
    "question": "What is asked. The only column that must be there.",
    "answer": "A right answer, in full or in a few words; several wordings with | between them.",
    "gold": "The documents that answer it, by their ids in `gapseek documents list`; several with ; between them.",
    "points": "What an answer must say: points with ; between them, and wordings of one point with | between them.",
    "kind": "Any word: results are told by kind. `unanswerable` and `small_talk` mean what they say.",
    "filter": 'The filter that a knowing asker sets, as JSON: {"year": 2024}.',
    "history": "What was asked before in the same thread, oldest first, with ; between.",
    "not_to_cite": "Documents that must not be cited, such as another year's; several with ; between them.",
    "id": "A name of your own; else one is made of the question.",
    "comment": "For people; nothing reads it.",
}
"""Every column, and what stands in it."""
UNANSWERABLE: Final = "unanswerable"
"""The kind of question that the documents do not answer."""
_BETWEEN: Final = re.compile("[;；]")
_OR: Final = re.compile("[|｜]")


@dataclass(frozen=True)
class Row:
    """A case and the line that it began in, from 1."""

    line: int
    case: Case


def read(file: Path) -> tuple[Row, ...]:
    """All questions. Raises `NotFound` without the file, and `BadRequest` with the line of what is wrong."""
    if not file.is_file():
        raise NotFound(f"There is no file {file.name} of questions.")
    rows = tuple(_rows(file, decode(file.read_bytes()).text))
    if not rows:
        raise BadRequest(f"{file.name}: there is no question in it.")
    seen: dict[str, int] = {}
    for row in rows:
        if (first := seen.setdefault(row.case.id, row.line)) != row.line:
            raise broken(file, row.line, f"the same question, or its id, stands in line {first} already")
    return rows


def check_documents(file: Path, rows: tuple[Row, ...], held: Collection[str]) -> None:
    """Raises `BadRequest` for a question whose gold is in no document that the asker may see."""
    for row in rows:
        for doc_id in (*row.case.gold, *row.case.contrary):
            if doc_id not in held:
                raise broken(file, row.line, f"there is no document {doc_id!r} in the knowledge base")


def as_set(file: Path, rows: tuple[Row, ...]) -> QuestionSet:
    """The questions as a set without documents of its own; gold names documents."""
    cases = tuple(row.case for row in rows)
    return QuestionSet(file.stem, (), tuple(c for c in cases if c.gold), lambda passage: passage.doc_id, asked=cases)


def _rows(file: Path, text: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    last = 0
    try:
        head = _head(file, next(reader, []))
        last = reader.line_num
        for cells in reader:
            line, last = last + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(head):
                raise broken(file, line, f"it has {len(cells)} of the {len(head)} cells that the first line has")
            yield Row(line, _case(file, line, {n: c.strip() for n, c in zip(head, cells, strict=True)}))
    except csv.Error as error:
        raise broken(file, last + 1, f"not a line of CSV ({error})") from error


def _head(file: Path, cells: list[str]) -> list[str]:
    head = [cell.strip().lower() for cell in cells]
    if unknown := [name for name in head if name not in COLUMNS]:
        raise broken(file, 1, f"there is no column {unknown[0]!r}; there are {', '.join(COLUMNS)}")
    if "question" not in head or len(set(head)) < len(head):
        raise broken(file, 1, "a column named 'question' is needed, and each column once")
    return head


def _case(file: Path, line: int, cells: Mapping[str, str]) -> Case:
    question, kind = cells["question"], cells.get("kind", "")
    if not question:
        raise broken(file, line, "the question is empty")
    wanted = {name: cells.get(name, "") for name in ("answer", "gold", "points")}
    lacks_answer = kind in (UNANSWERABLE, SMALL_TALK)
    if lacks_answer and (named := [name for name, cell in wanted.items() if cell]):
        raise broken(file, line, f"a question of the kind {kind} has no {named[0]}")
    if not lacks_answer and not any(wanted.values()):
        raise broken(
            file, line, f"nothing to measure an answer by: give answer, gold or points, or the kind {UNANSWERABLE}"
        )
    limits = _filter(file, line, cells.get("filter", ""))
    history = tuple(_parts(cells.get("history", "")))
    return Case(
        id=cells.get("id") or f"q-{fingerprint.of([question, limits, history])}",
        question=question,
        gold=tuple(ids(wanted["gold"])),
        filter=limits,
        kind=kind,
        contrary=tuple(ids(cells.get("not_to_cite", ""))),
        answerable=kind != UNANSWERABLE,
        points=tuple(tuple(_parts(point, _OR)) for point in _parts(wanted["points"])),
        references=tuple(_parts(wanted["answer"], _OR)),
        history=tuple({"question": asked, "standalone": asked, "answer": ""} for asked in history),
        needs_lookup=kind != SMALL_TALK,
    )


def _parts(cell: str, between: re.Pattern[str] = _BETWEEN) -> list[str]:
    return [part.strip() for part in between.split(cell) if part.strip()]


def ids(cell: str) -> list[str]:
    """Documents' ids: with ; between them, or a JSON list, for ids that have one in them."""
    try:
        listed = json.loads(cell) if cell.startswith("[") else None
    except (ValueError, RecursionError):
        listed = None
    return [str(one) for one in listed] if isinstance(listed, list) else _parts(cell)


def _filter(file: Path, line: int, cell: str) -> dict[str, Any] | None:
    if not cell:
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise broken(file, line, "the filter is not JSON") from error
    if not isinstance(found, dict) or not found:
        raise broken(file, line, "the filter is no JSON object with a field in it")
    return found
