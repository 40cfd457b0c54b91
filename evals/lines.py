"""Files of JSON lines: each line checked before anything is asked, and a broken one named by its number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errors import BadRequest


class DocumentLine(BaseModel):
    """A line of `corpus.jsonl`."""

    model_config = ConfigDict(strict=True)

    id: str = Field(min_length=1)
    text: str
    title: str | None = None
    metadata: dict[str, Any] | None = None


class QuestionLine(BaseModel):
    """A line of `questions.jsonl`."""

    model_config = ConfigDict(strict=True)

    id: str = Field(min_length=1)
    question: str = Field(pattern=r"\S")
    gold: list[str]
    answerable: bool
    answers: list[str] | None = None
    kind: str | None = None
    extra: dict[str, Any] | None = None


def checked(form: type[BaseModel], file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, each of this form and with an id of its own. Raises `BadRequest` with file and line."""
    seen: dict[str, int] = {}
    for number, record in numbered(file):
        try:
            form.model_validate(record)
        except ValidationError as error:
            raise broken(file, number, _wrong(error)) from error
        if (first := seen.setdefault(record["id"], number)) != number:
            raise broken(file, number, f"the id {record['id']!r} stands in line {first} already")
        yield record


def records(file: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file. Raises `BadRequest` with file and line of what cannot be read."""
    return (record for _, record in numbered(file))


def numbered(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with the numbers of their lines, from 1; empty lines count and give nothing."""
    if not file.is_file():
        raise BadRequest(f"There is no {file.name} in that folder.")
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            raise broken(file, number, "not a JSON object") from error
        if not isinstance(record, dict):
            raise broken(file, number, "not a JSON object")
        yield number, record


def broken(file: Path, number: int, wrong: str) -> BadRequest:
    """The error that names the line."""
    return BadRequest(f"{file.name}, line {number}: {wrong}.")


def _wrong(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}"
