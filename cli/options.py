"""Options that several commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def json_object(text: str) -> dict[str, Any]:
    """An option's JSON object; anything else is a usage error."""
    try:
        value = json_value(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise typer.BadParameter("a JSON object is needed")
    return value


def json_value(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` for what is none: NaN, 1e999, nesting without end."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except RecursionError as error:
        raise ValueError(text) from error
    return value


def limits(budget: list[str] | None) -> dict[str, Any] | None:
    """The values of `name=number` by name, None without any; anything else is a usage error."""
    return dict(map(_limit, budget)) if budget else None


def _limit(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json_value(value)
    except ValueError as error:
        raise typer.BadParameter(f"'{text}' is not NAME=NUMBER") from error


def folder(text: str) -> Path:
    """A folder's name; an empty one, which would mean the present folder, is a usage error."""
    if not text.strip():
        raise typer.BadParameter("a folder is needed, not an empty name")
    return Path(text)


Data = Annotated[
    Path | None,
    typer.Option(parser=folder, metavar="PATH", help="Folder of everything kept; else GAPSEEK_DATA, else ./data."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the reply as JSON, and nothing else.")]
Filters = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Search within: {"year": 2024}.')]
Budget = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=NUMBER", help="Lower a limit, such as max_retries=1 or deadline_s=10; several times."),
]
State = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Change first: {"question": "…"}.')]
Dials = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Change first: {"threshold": 0.8}.')]


def given(**values: Any) -> dict[str, Any]:
    """Only what was given."""
    return {name: value for name, value in values.items() if value is not None}
