"""The `gapseek` command. What it asks goes over HTTP: to the server that owns the data folder, or to one it starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import track
from typer.core import TyperGroup

from api.client import Client
from api.local import address_of, listen, serving
from api.terminal import RunView, harmless, hits_table, steps_table
from corpus.documents import NewDocument, Outcome, checked
from corpus.ingest.folder import find_files, read_folder
from errors import GapseekError
from evals.questions import questions
from graph.owner import owner_address
from server import create_app, run
from settings import Endpoint, Settings

FOUND: Final = 0
NOTHING: Final = 1
FAILED: Final = 2
"""Exit status, as grep has it."""


class OneSentence(TyperGroup):
    """Turns what goes wrong into one sentence on stderr and exit status 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GapseekError as error:
            sentence = error.sentence
        except ValidationError as error:
            sentence = " ".join(f"Setting {'.'.join(map(str, e['loc']))}: {e['msg']}." for e in error.errors())
        typer.echo(f"gapseek: {harmless(sentence)}", err=True)
        raise typer.Exit(FAILED)


app = typer.Typer(cls=OneSentence, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def json_object(text: str) -> dict[str, Any]:
    """An option's JSON object; anything else is a usage error."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise typer.BadParameter("a JSON object is needed")
    return value


Data = Annotated[Path | None, typer.Option(help="Folder of everything kept; else GAPSEEK_DATA, else ./data.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the reply as JSON, and nothing else.")]
Filters = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help='Search within: {"year": 2024}.')]
Edits = Annotated[dict[str, Any] | None, typer.Option(parser=json_object, help="What to change before it runs.")]


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gapseek {version('gapseek')}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Questions to a private knowledge base, answered with citations.

    Exit status, as with grep: 0 when something was found, 1 when nothing was, 2 for an error.
    """


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; else GAPSEEK_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 picks a free one. Else GAPSEEK_PORT.")] = None,
    data: Data = None,
    sample: Annotated[bool, typer.Option("--sample/--no-sample", help="Fill an empty index with the sample.")] = True,
) -> None:
    """Run the server until Ctrl-C or SIGTERM."""
    run(Settings(**given(host=host, port=port, data=data)), sample=sample)


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="Go on in this thread.")] = None,
    mode: Annotated[str | None, typer.Option(help="How to answer; else GAPSEEK_MODE.")] = None,
    filters: Filters = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question: steps on stderr as they happen, the answer and its sources on stdout."""
    body = given(question=question, thread_id=thread, mode=mode, filters=filters)
    with connected(Settings(**given(data=data))) as client:
        finish(answered(client, "/ask", body, as_json=as_json))


@app.command()
def ingest(
    path: Annotated[Path, typer.Argument(help="A file, or a folder with all below it.")], data: Data = None
) -> None:
    """Index Markdown and text files. What has not changed costs nothing; what failed is named."""
    with connected(Settings(**given(data=data))) as client:
        files = track(read_folder(path), "Indexing", total=len(find_files(path)), console=Console(stderr=True))
        outcomes = [sent(client, file) if isinstance(file, NewDocument) else file for file in files]
    for one in outcomes:
        if one.result == "failed":
            typer.echo(f"gapseek: {harmless(one.doc_id)}: {harmless(one.sentence or '')}", err=True)
    results = [one.result for one in outcomes]
    typer.echo(", ".join(f"{results.count(r)} {r}" for r in ("added", "updated", "unchanged", "failed")))
    raise typer.Exit(NOTHING if "failed" in results else FOUND)
