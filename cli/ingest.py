"""`gapseek ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.client import Client
from api.listing import Bar
from api.terminal import harmless
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import Data, given
from corpus.documents import NewDocument, Outcome, checked
from corpus.ingest.folder import find_files, read_folder
from errors import BadRequest, TooLarge
from settings import Settings


@app.command()
def ingest(
    path: Annotated[Path, typer.Argument(help="A file, or a folder with all below it.")], data: Data = None
) -> None:
    """Index Markdown and text files. What has not changed costs nothing; what failed is named."""
    total, outcomes = len(find_files(path)), list[Outcome]()
    with connected(Settings(**given(data=data))) as client, Bar("Indexing") as bar:
        for file in read_folder(path):
            outcomes.append(file if isinstance(file, Outcome) else sent(client, file))
            bar(len(outcomes), total, outcomes[-1])
    for one in outcomes:
        if one.result == "failed":
            typer.echo(f"gapseek: {harmless(one.doc_id)}: {harmless(one.sentence or '')}", err=True)
    results = [one.result for one in outcomes]
    typer.echo(", ".join(f"{results.count(r)} {r}" for r in ("added", "updated", "unchanged", "failed")))
    raise typer.Exit(NOTHING if "failed" in results else FOUND)


def sent(client: Client, document: NewDocument) -> Outcome:
    """What became of a document; only what is wrong with it is its failure."""
    try:
        plain = checked(document)
        access = {"groups": sorted(plain.groups)} if plain.groups else None
        body = given(doc_id=plain.doc_id, title=plain.title, text=plain.text, metadata=plain.metadata, access=access)
        return Outcome(**client.call("POST", "/documents", {"documents": [body]})["documents"][0])
    except (BadRequest, TooLarge) as error:
        return Outcome(document.doc_id, "failed", sentence=error.sentence)
