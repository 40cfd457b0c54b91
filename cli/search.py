"""`gapseek search`."""

from __future__ import annotations

from typing import Annotated

import typer

from api.listing import hit_rows, print_json, show
from api.terminal import harmless
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import AsJson, Data, Filters, given
from settings import Settings


@app.command()
def search(
    query: str,
    mode: Annotated[str | None, typer.Option(help="bm25, naive, bm25_rerank, hybrid or hybrid_rerank.")] = None,
    k: Annotated[int | None, typer.Option("-k", min=1, help="How many hits; else 10, in bm25_rerank 5.")] = None,
    filters: Filters = None,
    merge: Annotated[bool, typer.Option("--merge", help="Make neighbouring chunks of a document one hit.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show the chunks that a query finds, best first, without an answer."""
    with connected(Settings(**given(data=data))) as client:
        found = client.call("POST", "/search", given(query=query, mode=mode, k=k, filters=filters, merge=merge or None))
    for warning in found.get("warnings", ()):
        typer.echo(harmless(warning), err=True)
    print_json(found) if as_json else show(hit_rows(found))
    raise typer.Exit(FOUND if found["hits"] else NOTHING)
