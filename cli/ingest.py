"""`gapseek ingest`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from api.meter import Meter
from api.progress import IngestProgress
from cli import report
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import Data, given, json_object
from cli.sending import sent
from corpus.documents import Outcome
from corpus.ingest import origins
from corpus.ingest.folder import Found, find_files
from corpus.ingest.names import escaped
from corpus.ingest.origins import Origins
from settings import Settings

INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as shells have it."""

Metadata = Annotated[
    dict[str, Any] | None, typer.Option(parser=json_object, help='Give every file: {"year": 2024}; its own goes first.')
]
Looked = tuple[Path, list[Found]]
"""A path that was given, and the files at or below it."""


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
    settings = Settings(**given(data=data))
    looked, others = found(paths)
    if dry_run:
        for file in named(looked, origins.load(settings.data)):
            typer.echo(escaped(file.doc_id))
        status = FOUND
    else:
        status = indexed(settings, looked, given(metadata=metadata, access=access(groups)), show_found)
    if others:
        kinds = "1 file of another kind" if others == 1 else f"{others} files of other kinds"
        typer.echo(f"gapseek: {kinds} skipped", err=True)
    raise typer.Exit(status)


def indexed(settings: Settings, looked: Sequence[Looked], fields: dict[str, Any], show_found: bool) -> int:
    """Send everything, report what became of it, also when it is broken off, and give the exit status."""
    from graph.knowledge import limits  # takes seconds to import

    outcomes: list[Outcome] = []
    files: list[Found] = []
    try:
        with connected(settings, new=True) as client, Meter() as meter:
            with origins.kept(settings.data) as known:
                files = named(looked, known)
            progress = IngestProgress(len(files), meter)
            for outcome in sent(client, files, fields, limits(settings), progress):
                outcomes.append(outcome)
    except KeyboardInterrupt:
        typer.echo(
            f"gapseek: Interrupted. {len(outcomes)} of {len(files)} files are done and stay; run it again to go on.",
            err=True,
        )
        return INTERRUPTED
    finally:
        report.told(outcomes, show_found)
    return NOTHING if any(one.result == "failed" for one in outcomes) else FOUND


def found(paths: Sequence[Path]) -> tuple[list[Looked], int]:
    """The files at or below each path, and how many others. Raises `BadRequest` for a path where there is none."""
    below = [(path, *find_files(path)) for path in paths]
    return [(path, files) for path, files, _ in below], sum(skipped for _, _, skipped in below)


def named(looked: Sequence[Looked], known: Origins) -> list[Found]:
    """The files under the ids that they keep, each once, whichever paths lead to it; a new prefix is told."""
    files: dict[tuple[str, str | None], Found] = {}
    for path, below in looked:
        folders = dict(known.folders)
        for file in known.place(below, path if path.is_dir() else None):
            files.setdefault((file.doc_id, file.problem and str(file.path)), file)
        for prefix in set(known.folders.values()) - {*folders.values(), ""}:
            told = f"Names in this folder are those of another folder's documents; its ids begin with '{prefix}'."
            typer.echo(f"gapseek: {escaped(str(path))}: {told}", err=True)
    return list(files.values())


def access(groups: str | None) -> dict[str, list[str]] | None:
    """`a,b` as the access of a document; an option without a name in it is a usage error, not "for everybody"."""
    if groups is None:
        return None
    names = [name.strip() for name in groups.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("a group's name is needed", param_hint="--groups")
    return {"groups": names}
