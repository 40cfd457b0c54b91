"""`gapseek reindex`, `backup` and `restore`: work on a data folder itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from api.meter import Meter
from api.terminal import harmless
from cli.app import app
from cli.connection import existing
from cli.options import Data, given
from settings import Settings

# What these import takes seconds, and no other command needs it.

TITLES = {"cut": "Cutting documents", "count": "Counting tokens", "embed": "Embedding"}

UNKNOWN = (
    "Which files the documents came from is not known here: ingest each folder from its top first, or what is below it "
    "becomes new documents, open to everybody where no file states its access."
)


@app.command()
def reindex(data: Data = None) -> None:
    """Rebuild the index for another embedder, tokenizer or chunker. Cut off, it goes on where it was.

    Only what has no vector yet is embedded. Until all is done the index stays what it was for the former settings.
    """
    from graph.upkeep import rebuild

    settings = existing(Settings(**given(data=data)))
    with Meter() as meter:
        done = asyncio.run(rebuild(settings, lambda part, n, total: meter(TITLES[part], n, total)))
    for doc_id in done.uncut:
        typer.echo(f"gapseek: {harmless(doc_id)}: no text is found in it any more; it stays cut as it was.", err=True)
    if done.refused:
        typer.echo(f"gapseek: {harmless(done.refused)} What it holds is found by its words alone.", err=True)
    typer.echo(f"{done.cut} documents cut, {done.counted} texts counted, {done.embedded} texts embedded")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    data: Data = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Copy documents and threads into one file, as of one moment each; a running server goes on meanwhile."""
    from corpus.backup import backup as written
    from corpus.lost import NO_THREADS, has_lost_threads

    settings = existing(Settings(**given(data=data)))
    lost = has_lost_threads(settings.data)
    manifest = written(settings.data, file, replace=force)
    if lost:
        typer.echo(f"gapseek: {NO_THREADS}", err=True)
    typer.echo(f"{file}: schema {manifest.schema}, generation {manifest.generation}, {file.stat().st_size:,} bytes")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `gapseek backup` wrote.")],
    data: Data = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what the folder holds.")] = False,
) -> None:
    """Put a backup into an empty data folder. It is verified first; until then, what is there stays."""
    from corpus.held import counted, held_threads
    from corpus.ingest.origins import is_known_here
    from corpus.owner import DataFolder
    from corpus.restore import restore as put_back

    settings = Settings(**given(data=data))
    with DataFolder.acquire(settings.data):
        before = held_threads(settings.data)
        manifest = put_back(file, settings.data, replace=force)
        now = held_threads(settings.data)
        known = is_known_here(settings.data)
    if not known:
        typer.echo(f"gapseek: {UNKNOWN}", err=True)
    if before != 0:
        typer.echo(f"gapseek: The folder held {counted(before)}; now it holds {counted(now)}, of the backup.", err=True)
    typer.echo(f"Restored: schema {manifest.schema}, generation {manifest.generation}")
