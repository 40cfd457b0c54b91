"""`gapseek diff` and `gapseek export`: two runs beside each other, and one as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from api.diff_view import diff_rows, word_line
from api.listing import print_json, show
from cli.app import app
from cli.connection import connected
from cli.options import AsJson, Data, given
from errors import Conflict
from settings import Settings


@app.command()
def diff(before: str, after: str, data: Data = None, as_json: AsJson = False) -> None:
    """Compare the latest turns of two threads, such as a run and its replay. Nothing is run."""
    with connected(Settings(**given(data=data))) as client:
        found = client.call("GET", f"/threads/{quote(before, safe='')}/diff/{quote(after, safe='')}")
    if as_json:
        print_json(found)
        return
    show(diff_rows(found))
    word_line(found)


@app.command()
def export(
    thread: str,
    file: Annotated[Path | None, typer.Argument(help="The file to write; without one it goes to stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    data: Data = None,
) -> None:
    """Write a thread as JSON for a report: its steps and states, without secrets and without documents' texts.

    It holds the question, the answer and the quotes that were graded: read it before you send it.
    """
    if file is not None and file.exists() and not force:
        raise Conflict("The file exists already: name another one, or replace it with --force.")
    with connected(Settings(**given(data=data))) as client:
        exported = client.call("GET", f"/threads/{quote(thread, safe='')}/export")
    if file is None:
        print_json(exported)
    else:
        file.write_text(json.dumps(exported, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        typer.echo(f"{file}: {len(exported['steps'])} steps")
