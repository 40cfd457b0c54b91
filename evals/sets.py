"""Question sets to measure retrieval on: the built-in one, or any folder with `corpus.jsonl` and `questions.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from context import Passage
from corpus.documents import NewDocument
from corpus.ingest.folder import read_folder
from errors import BadRequest
from evals.questions import questions
from graph.wiring import SAMPLE

BUILT_IN: Final = "elevator"
"""The name of the set that the product carries."""


@dataclass(frozen=True)
class Case:
    """A question, the labels that answer it, and the filter that a knowing asker would set.

    `look_alikes` are labels of another tenant, city or year that must not be found under the filter.
    """

    id: str
    question: str
    gold: tuple[str, ...]
    filter: dict[str, Any] | None = None
    kind: str = ""
    look_alikes: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionSet:
    """Documents, answerable questions, and what the questions' gold calls a passage.

    `traps` are all questions with look-alikes, also those that the documents do not answer.
    """

    name: str
    documents: tuple[NewDocument, ...]
    cases: tuple[Case, ...]
    label: Callable[[Passage], str]
    traps: tuple[Case, ...] = ()


def elevator() -> QuestionSet:
    """The built-in sample and its questions; gold names articles."""
    documents = tuple(document for document in read_folder(SAMPLE) if isinstance(document, NewDocument))
    cases = tuple(Case(q["id"], q["question"], tuple(q["gold"]), kind=q["kind"]) for q in questions() if q["gold"])
    return QuestionSet(BUILT_IN, documents, cases, lambda passage: str(passage.metadata["article"]))


def from_folder(folder: Path) -> QuestionSet:
    """A set of JSON lines; gold names documents. Raises `BadRequest` with file and line of what cannot be read."""
    documents = tuple(_document(record) for record in records(folder / "corpus.jsonl"))
    asked = list(records(folder / "questions.jsonl"))
    cases = tuple(_case(record) for record in asked if record["gold"] and record["answerable"])
    traps = tuple(case for record in asked if (case := _case(record)).look_alikes)
    return QuestionSet(folder.resolve().name, documents, cases, lambda passage: passage.doc_id, traps)


def half(asked: QuestionSet, which: Literal["even", "odd"]) -> QuestionSet:
    """The questions whose id's SHA-256 is even or odd: constants are chosen on one half and reported on the other."""
    rest = 0 if which == "even" else 1
    cases, traps = (
        tuple(case for case in part if sha256(case.id.encode()).digest()[-1] % 2 == rest)
        for part in (asked.cases, asked.traps)
    )
    return replace(asked, name=f"{asked.name}, {which} half", cases=cases, traps=traps)


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines. Raises `BadRequest` with file and line of what cannot be read."""
    if not file.is_file():
        raise BadRequest(f"There is no {file.name} in that folder.")
    for number, line in enumerate(file.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise BadRequest(f"{file.name}, line {number}: not a JSON object.") from error
        yield record


def _document(record: dict[str, Any]) -> NewDocument:
    return NewDocument(record["id"], record["text"], record.get("title") or None, record.get("metadata") or {})


def _case(record: dict[str, Any]) -> Case:
    extra = record.get("extra") or {}
    return Case(
        id=record["id"],
        question=record["question"],
        gold=tuple(record["gold"]),
        filter=extra.get("filter"),
        kind=record.get("kind") or "",
        look_alikes=tuple(extra.get("other_jurisdictions") or ()),
    )
