"""`gapseek ingest`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from api.client import Client
from api.progress import IngestBar
from api.terminal import harmless
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import Data, given, json_object
from corpus.documents import Outcome
from corpus.ingest.convert.limits import Limits
from corpus.ingest.folder import Found, find_files
from errors import BadRequest, TooLarge
from settings import Settings

_FILES: Final = 32
_BYTES: Final = 8_000_000
"""One request carries so many files at most, and no more after so many bytes: they are in memory while they go out."""

Metadata = Annotated[
    dict[str, Any] | None, typer.Option(parser=json_object, help='Give every file: {"year": 2024}; its own goes first.')
]
Batch = dict[str, bytes]


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or folders with all below them.")],
    metadata: Metadata = None,
    groups: Annotated[str | None, typer.Option(help="Who may see the files that do not say so: a,b.")] = None,
    show_found: Annotated[
        bool, typer.Option("--found", help="Show what each new document states about itself.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be read.")] = False,
    data: Data = None,
) -> None:
    """Index files of every kind that is read. What has not changed costs nothing; what failed is named."""
    files, others = found(paths)
    if dry_run:
        for file in files:
            typer.echo(harmless(file.doc_id))
    else:
        from graph.wiring import limits  # takes seconds to import

        settings = Settings(**given(data=data))
        with connected(settings) as client, IngestBar(len(files)) as bar:
            fields = given(metadata=metadata, access=access(groups))
            outcomes = list(sent(client, files, fields, limits(settings), bar))
        report(outcomes, show_found)
    if others:
        kinds = "1 file of another kind" if others == 1 else f"{others} files of other kinds"
        typer.echo(f"gapseek: {kinds} skipped", err=True)
    raise typer.Exit(NOTHING if not dry_run and any(one.result == "failed" for one in outcomes) else FOUND)


def found(paths: Sequence[Path]) -> tuple[list[Found], int]:
    """The files below all paths, and how many others. Raises `BadRequest` when two of them would be one document."""
    files: dict[str, Found] = {}
    others = 0
    for path in paths:
        below, skipped = find_files(path)
        others += skipped
        for file in below:
            if file.doc_id in files:
                raise BadRequest(f"'{file.doc_id}' is there twice; files of different folders need different names.")
            files[file.doc_id] = file
    return list(files.values()), others


def access(groups: str | None) -> dict[str, list[str]] | None:
    """`a,b` as the access of a document; an option without a name in it is a usage error, not "for everybody"."""
    if groups is None:
        return None
    names = [name.strip() for name in groups.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("a group's name is needed", param_hint="--groups")
    return {"groups": names}


def sent(
    client: Client, files: Sequence[Found], fields: dict[str, Any], most: Limits, bar: IngestBar
) -> Iterator[Outcome]:
    """What became of each file; only what is wrong with a file is its failure."""
    for one in batches(files, most):
        for outcome in [one] if isinstance(one, Outcome) else uploaded(client, one, fields, bar):
            bar.file(outcome.doc_id)
            yield outcome


def batches(files: Sequence[Found], most: Limits) -> Iterator[Batch | Outcome]:
    """Files to send together, and the outcome of each that cannot even be read here."""
    batch: Batch = {}
    for file in files:
        try:
            batch[file.doc_id] = file.data(most)
        except BadRequest as error:
            yield Outcome(file.doc_id, "failed", sentence=error.sentence)
        if len(batch) == _FILES or sum(map(len, batch.values())) > _BYTES:
            yield batch
            batch = {}
    if batch:
        yield batch


def uploaded(client: Client, batch: Batch, fields: dict[str, Any], bar: IngestBar) -> Iterator[Outcome]:
    """The outcomes of one request, as they come."""
    left = list(batch)
    try:
        for event, told in client.upload("/documents", {name: BytesIO(data) for name, data in batch.items()}, fields):
            if event == "chunks":
                bar.chunks(told)
            elif event == "document":
                left.pop(0)
                yield Outcome(told["doc_id"], told["result"], told["chunks"], told["sentence"], told["found"])
    except (BadRequest, TooLarge) as error:
        yield from (Outcome(doc_id, "failed", sentence=error.sentence) for doc_id in left)


def report(outcomes: Sequence[Outcome], show_found: bool) -> None:
    """What went wrong with a file by its name on stderr; on stdout what was found in it, if wanted, and the counts."""
    for one in sorted(outcomes, key=lambda outcome: outcome.doc_id):
        if one.sentence:
            typer.echo(f"gapseek: {harmless(one.doc_id)}: {harmless(one.sentence)}", err=True)
        if show_found and one.found:
            typer.echo(f"{harmless(one.doc_id)}: {harmless(one.found)}")
    results = [one.result for one in outcomes]
    typer.echo(", ".join(f"{results.count(result)} {result}" for result in ("added", "updated", "unchanged", "failed")))
