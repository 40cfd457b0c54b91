"""Question sets to measure retrieval on: the built-in one, or any folder with `corpus.jsonl` and `questions.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context import Passage
from corpus.documents import NewDocument
from corpus.ingest.folder import read_folder
from errors import BadRequest
from evals.questions import questions
from graph.wiring import SAMPLE


@dataclass(frozen=True)
class Case:
    """A question, the labels that answer it, and the filter that a knowing asker would set."""

    id: str
    question: str
    gold: tuple[str, ...]
    filter: dict[str, Any] | None = None


@dataclass(frozen=True)
class QuestionSet:
    """Documents, answerable questions, and what the questions' gold calls a passage."""

    name: str
    documents: tuple[NewDocument, ...]
    cases: tuple[Case, ...]
    label: Callable[[Passage], str]


def elevator() -> QuestionSet:
    """The built-in sample and its questions; gold names articles."""
    documents = tuple(document for document in read_folder(SAMPLE) if isinstance(document, NewDocument))
    cases = tuple(Case(q["id"], q["question"], tuple(q["gold"])) for q in questions() if q["gold"])
    return QuestionSet("elevator", documents, cases, lambda passage: str(passage.metadata["article"]))


def from_folder(folder: Path) -> QuestionSet:
    """A set of JSON lines; gold names documents. Raises `BadRequest` with file and line of what cannot be read."""
    documents = tuple(_document(record) for record in _records(folder / "corpus.jsonl"))
    asked = (record for record in _records(folder / "questions.jsonl") if record["gold"] and record["answerable"])
    cases = tuple(Case(q["id"], q["question"], tuple(q["gold"]), (q.get("extra") or {}).get("filter")) for q in asked)
    return QuestionSet(folder.name, documents, cases, lambda passage: passage.doc_id)


def _document(record: dict[str, Any]) -> NewDocument:
    return NewDocument(record["id"], record["text"], record.get("title") or None, record.get("metadata") or {})


def _records(file: Path) -> Iterator[dict[str, Any]]:
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
