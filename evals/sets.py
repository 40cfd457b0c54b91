"""Question sets to measure retrieval on: the built-in one, or any folder with `corpus.jsonl` and `questions.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from context.retrieval import Passage
from corpus.documents import NewDocument
from corpus.ingest.folder import read_folder
from evals.lines import DocumentLine, QuestionLine, checked
from evals.questions import Question, questions
from graph.sample import SAMPLE
from state import Turn

BUILT_IN: Final = "elevator"
"""The name of the set that asks of the built-in sample."""

NOTICES: Final = Path(__file__).with_name("notices")
SMALL: Final = Path(__file__).with_name("small")
CARRIED: Final = (BUILT_IN, "it_handbook_en", "warranty_zh")
"""The names of the sets that the product carries."""

SMALL_TALK: Final = "small_talk"
"""The kind of question that nothing should be looked up for."""


@dataclass(frozen=True)
class Case:
    """A question, the labels that answer it, and the filter that a knowing asker would set.

    `look_alikes` are labels of another tenant, city or year that must not be found under the filter; `contrary` are
    those of another version, or of a source that is wrong. `points` holds, for each point an answer must make, the
    wordings of which one must occur; `references` are whole answers. `history` is what was said before. Small talk
    has no `needs_lookup`.
    """

    id: str
    question: str
    gold: tuple[str, ...]
    filter: dict[str, Any] | None = None
    kind: str = ""
    look_alikes: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()
    answerable: bool = True
    points: tuple[tuple[str, ...], ...] = ()
    references: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    needs_lookup: bool = True


@dataclass(frozen=True)
class QuestionSet:
    """Documents, answerable questions, and what the questions' gold calls a passage.

    `traps` are all questions with look-alikes, `asked` all there are: also those that the documents do not answer.
    """

    name: str
    documents: tuple[NewDocument, ...]
    cases: tuple[Case, ...]
    label: Callable[[Passage], str]
    traps: tuple[Case, ...] = ()
    asked: tuple[Case, ...] = ()


def elevator() -> QuestionSet:
    """The built-in sample with some notices beside it, and its questions; gold names articles, or notices by title.

    Two notices say something else than the rules, and one is an older rule: the sample itself is without conflict.
    """
    found = (*read_folder(SAMPLE), *read_folder(NOTICES))
    documents = tuple(document for document in found if isinstance(document, NewDocument))
    asked = tuple(_built_in(question) for question in questions())
    cases = tuple(case for case in asked if case.gold)
    return QuestionSet(BUILT_IN, documents, cases, _article, asked=asked)


def carried(name: str) -> QuestionSet:
    """A set that the product carries, by its name."""
    return elevator() if name == BUILT_IN else from_folder(SMALL / name)


def named(name: str) -> QuestionSet:
    """A set that the product carries, or else that of the folder of this name. Raises as `from_folder` does."""
    return carried(name) if name in CARRIED else from_folder(Path(name))


def from_folder(folder: Path) -> QuestionSet:
    """A set of JSON lines; gold names documents. Raises `BadRequest` with file and line of what cannot be read."""
    documents = tuple(map(_document, checked(DocumentLine, folder / "corpus.jsonl")))
    asked = tuple(map(_case, checked(QuestionLine, folder / "questions.jsonl")))
    cases = tuple(case for case in asked if case.gold and case.answerable)
    traps = tuple(case for case in asked if case.look_alikes)
    return QuestionSet(folder.resolve().name, documents, cases, lambda passage: passage.doc_id, traps, asked)


def half(asked: QuestionSet, which: Literal["even", "odd"]) -> QuestionSet:
    """The questions whose id's SHA-256 is even or odd: constants are chosen on one half and reported on the other."""
    cases, traps, every = (
        tuple(case for case in part if is_even(case.id) is (which == "even"))
        for part in (asked.cases, asked.traps, asked.asked)
    )
    return replace(asked, name=f"{asked.name}, {which} half", cases=cases, traps=traps, asked=every)


def is_even(question_id: str) -> bool:
    """Whether the SHA-256 of a question's id is even."""
    return sha256(question_id.encode()).digest()[-1] % 2 == 0


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
        contrary=tuple(extra.get("conflicting") or ()),
        answerable=record["answerable"],
        points=_points(record, extra) if record["answerable"] else (),
        references=tuple(record.get("answers") or ()) if record["answerable"] else (),
        history=_turns(extra.get("history") or ()),
        needs_lookup=record.get("kind") != SMALL_TALK,
    )


def _points(record: dict[str, Any], extra: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Several answers are as many points where all are wanted, and wordings of one point elsewhere.

    Nobody says a long answer word by word, so that is a reference only.
    """
    answers = () if extra.get("long_form") else tuple(record.get("answers") or ())
    if extra.get("all_answers_required") or str(record.get("kind")).startswith("multi"):
        return tuple((answer,) for answer in answers)
    return (answers,) if answers else ()


def _turns(lines: Iterable[str]) -> tuple[Turn, ...]:
    """Lines `user: …` and `agent: …` as turns; what nobody asked for belongs to no turn."""
    turns: list[Turn] = []
    for line in lines:
        speaker, _, said = line.partition(": ")
        if speaker == "user":
            turns.append({"question": said, "standalone": said, "answer": ""})
        elif turns:
            turns[-1]["answer"] = f"{turns[-1]['answer']}\n{said}".strip()
    return tuple(turns)


def _article(passage: Passage) -> str:
    return str(passage.metadata.get("article", passage.title))


def _built_in(question: Question) -> Case:
    return Case(
        id=question["id"],
        question=question["question"],
        gold=tuple(question["gold"]),
        kind=question["kind"],
        answerable=question["answerable"],
        points=tuple(tuple(wordings) for wordings in question["points"]),
        references=tuple(question.get("answers", ())),
        needs_lookup=question["kind"] != SMALL_TALK,
        history=tuple({**said, "standalone": said["question"]} for said in question.get("history", ())),
    )
