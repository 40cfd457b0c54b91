"""Question sets: one JSON object a line, with the articles that answer it and the points an answer must make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, TypedDict, cast

ELEVATOR: Final = Path(__file__).with_name("elevator.jsonl")
"""Twenty questions to the built-in sample; the first is the opening question of the demo."""


class Question(TypedDict):
    """`gold` names articles; `points` holds, for each point, the wordings of which one must occur in the answer."""

    id: str
    lang: str
    question: str
    gold: list[str]
    answerable: bool
    kind: str
    points: list[list[str]]


def questions(path: Path = ELEVATOR) -> list[Question]:
    """All questions of a file, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [cast(Question, json.loads(line)) for line in lines if line.strip()]
