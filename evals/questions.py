"""Question sets: one JSON object a line, with the articles that answer it and the points an answer must make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NotRequired, TypedDict, cast

ELEVATOR: Final = Path(__file__).with_name("elevator.jsonl")
"""Eighty questions in Chinese and twenty in English, to the built-in sample and a few notices beside it; the first
opens the demo."""


class Said(TypedDict):
    """A turn before the question."""

    question: str
    answer: str


class Question(TypedDict):
    """`gold` names articles, or notices by their title; `points` holds, for each point, the wordings of which one must
    occur in the answer; `answers` holds wordings of a whole answer, its parts with ； between; `history` is what was
    said before."""

    id: str
    lang: str
    question: str
    gold: list[str]
    answerable: bool
    kind: str
    points: list[list[str]]
    answers: NotRequired[list[str]]
    history: NotRequired[list[Said]]


def questions(path: Path = ELEVATOR) -> list[Question]:
    """All questions of a file, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [cast(Question, json.loads(line)) for line in lines if line.strip()]
