"""What is searched: distinct pieces of real text, and real questions. One piece is one document and one chunk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from corpus.documents import NewDocument
from corpus.ingest.chunks import Sizes, chunks
from errors import BadRequest
from evals.lines import records
from evals.questions import questions
from evals.sets import elevator, from_folder
from graph.sample import SAMPLE
from text.normalise import printable
from text.sentences import sentences

CUT: Final = Sizes(longest=90, overlap=0)
"""Small, so that the public sets together give 100,000 distinct pieces."""
WHOLE: Final = Sizes(overlap=0)
"""The product's own size, so that pieces are as long as anybody's chunks are."""
SENTENCES: Final = 6
"""Sentences of the sample in a drawn piece: about 150 tokens."""
TENTHS: Final = 10
HIDDEN: Final = 100
"""One piece in so many is for the board only: an asker who is not of it searches under an access filter."""
EVERYONE: Final = frozenset({"staff", "board"})
STAFF: Final = frozenset({"staff"})
_OF_EACH: Final = 10
_QUESTIONS: Final = 600
"""More than one process asks, and few enough to embed."""


@dataclass(frozen=True)
class Piece:
    """One line of text. `tenth` is the value that the 10 % filter asks for."""

    id: str
    title: str
    text: str
    tenth: int
    hidden: bool

    @property
    def indexed(self) -> str:
        """What every contender indexes: title and text."""
        return f"{self.title}\n{self.text}"

    def document(self) -> NewDocument:
        group = "board" if self.hidden else "staff"
        return NewDocument(self.id, self.text, self.title, {"tenth": self.tenth}, frozenset({group}))


@dataclass(frozen=True)
class Material:
    """Pieces in random order, so that the first n are a fair part of all, and distinct questions."""

    source: str
    pieces: tuple[Piece, ...]
    questions: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """Names the pieces: kept files of other material are never used for these."""
        text = json.dumps([piece.indexed for piece in self.pieces], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def from_sets(folder: Path, most: int, seed: int, cut: Sizes = CUT) -> Material:
    """Pieces and questions of every set in a folder of sets. Raises `BadRequest` when there is none."""
    sets = sorted(file.parent for file in folder.glob("*/corpus.jsonl"))
    if not sets:
        raise BadRequest("There is no question set in that folder.")
    texts = [pair for name in sets for pair in _texts_of(name, cut)]
    asked = {" ".join(record["question"].split()) for name in sets for record in records(name / "questions.jsonl")}
    return _material(f"{len(sets)} question sets", texts, asked, most, seed)


def from_sample(most: int, seed: int) -> Material:
    """Sentences of the built-in sample drawn at random: its words are as frequent as there, a rare one more so than in
    as many different texts."""
    files = {file.stem: file.read_text("utf-8") for file in sorted(SAMPLE.glob("*.md"))}
    cut = [line for text in files.values() for a, b in sentences(text) if (line := _line(text[a:b]))]
    draws = np.random.default_rng(seed).integers(len(cut), size=(most, SENTENCES))
    texts = [("", "".join(cut[place] for place in row)) for row in draws]
    return _material(
        "the sample's sentences drawn at random", texts, {q["question"] for q in questions()} | set(cut), most, seed
    )


def documents(folder: Path | None) -> list[NewDocument]:
    """Some documents as they are, evenly from every set, or the sample's own: to embed all would take an hour."""
    if folder is None:
        return list(elevator().documents)
    sets = sorted(file.parent for file in folder.glob("*/corpus.jsonl"))
    return [document for name in sets for document in from_folder(name).documents[:_OF_EACH]]


def _texts_of(folder: Path, cut: Sizes) -> Iterator[tuple[str, str]]:
    for record in records(folder / "corpus.jsonl"):
        title = " ".join((record.get("title") or folder.name).split())
        for chunk in chunks(NewDocument(record["id"], record["text"], title), cut):
            line = _line(chunk.text)
            if _is_one_chunk(title, line):
                yield title, line


def _is_one_chunk(title: str, line: str) -> bool:
    """A long line may be of another language than its document, and would be cut again."""
    return len(line) <= WHOLE.longest or len(chunks(NewDocument("", line, title))) == 1


def _line(text: str) -> str:
    """On one line and not looking like a heading, so that the chunker leaves the piece whole."""
    return " ".join(printable(text).split()).lstrip("#>|-*` ")


def _material(source: str, texts: Iterable[tuple[str, str]], asked: Iterable[str], most: int, seed: int) -> Material:
    distinct = {text: title for title, text in texts if text}
    random = np.random.default_rng(seed)
    order = random.permutation(len(distinct))[:most]
    ordered = list(distinct.items())
    pieces = tuple(_piece(number, *ordered[place]) for number, place in enumerate(order))
    sorted_questions = sorted(question for question in asked if question)
    drawn = random.permutation(len(sorted_questions))[:_QUESTIONS]
    shuffled = tuple(sorted_questions[place] for place in drawn)
    return Material(source, pieces, shuffled)


def _piece(number: int, text: str, title: str) -> Piece:
    return Piece(f"p{number:06}", title or f"p{number:06}", text, number % TENTHS, number % HIDDEN == HIDDEN - 1)
