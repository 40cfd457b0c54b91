"""`gapseek documents`: what the knowledge base holds, and corrections to it."""

from __future__ import annotations

from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from api.holdings import chunk_rows, document_rows, metadata_rows, version_rows
from api.listing import print_json, show
from api.terminal import harmless
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import AsJson, Data, given, json_value
from errors import NotFound
from settings import Settings

documents = typer.Typer(no_args_is_help=True, help="List, show, correct and delete documents.")
app.add_typer(documents, name="documents")

DocId = Annotated[str, typer.Argument(metavar="ID", help="The document's id; for a file, its path in its folder.")]
_MOST: Final = 1_000


@documents.command("list")
def list_documents(
    prefix: Annotated[str, typer.Option(help="Only ids that begin so.")] = "",
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="How many.")] = 100,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """List documents by id."""
    asked = "".join(f"&{name}={quote(value, safe='')}" for name, value in given(prefix=prefix, after=after).items())
    with connected(Settings(**given(data=data))) as client:
        page = client.call("GET", f"/documents?limit={limit}{asked}")
    if as_json:
        print_json(page)
    else:
        show(document_rows(page))
        if page["next"] is not None:
            more = f"{len(page['documents'])} of {page['total']} shown; the next ones: --after '{page['next']}'"
            typer.echo(harmless(more), err=True)
    raise typer.Exit(FOUND if page["documents"] else NOTHING)


@documents.command("show")
def show_document(
    doc_id: DocId,
    version: Annotated[str | None, typer.Option(help="Chunks of this version; else of the current one.")] = None,
    offset: Annotated[int, typer.Option(min=0, help="Chunks to leave out first.")] = 0,
    limit: Annotated[int, typer.Option(min=0, max=500, help="Chunks to show.")] = 20,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show a document: metadata and where it comes from, versions, chunks."""
    of_version = "" if version is None else f"&version={quote(version, safe='')}"
    with connected(Settings(**given(data=data))) as client:
        kept = client.call("GET", f"{_address(doc_id)}?offset={offset}&limit={limit}{of_version}")
    if as_json:
        print_json(kept)
    else:
        for table in (metadata_rows(kept), version_rows(kept), chunk_rows(kept)):
            show(table)


@documents.command("set")
def set_metadata(
    doc_id: DocId,
    values: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE…", help="Values, read as JSON or text.")
    ] = None,
    unset: Annotated[list[str] | None, typer.Option(help="Take a value set by hand away again.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group that may see it, in place of all others.")] = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="Open it to the whole tenant.")] = False,
    access_as_given: Annotated[bool, typer.Option("--access-as-given", help="Undo access set by hand.")] = False,
    data: Data = None,
) -> None:
    """Correct metadata and access by hand: nothing is embedded anew, and no later ingest overwrites it.

    `year=2024 draft=null tags='["a"]'` are JSON values; what is no JSON is a text, as is `code='"007"'`.
    """
    if everybody and group:
        raise typer.BadParameter("--everybody and --group exclude each other")
    groups = [] if everybody else group
    body = {
        "metadata": {"set": dict(_value(value) for value in values or ()), "unset": unset or []},
        "access": given(groups=groups, as_given=access_as_given),
    }
    with connected(Settings(**given(data=data))) as client:
        client.call("PATCH", _address(doc_id), body)


@documents.command("delete")
def delete_documents(
    doc_ids: Annotated[list[str], typer.Argument(metavar="ID…", help="The documents' ids.")], data: Data = None
) -> None:
    """Delete documents with all their versions; one that is not there is named, and is exit status 1."""
    status = FOUND
    with connected(Settings(**given(data=data))) as client:
        for doc_id in doc_ids:
            try:
                client.call("DELETE", _address(doc_id))
            except NotFound as error:
                status = NOTHING
                typer.echo(f"gapseek: {harmless(doc_id)}: {error.sentence}", err=True)
    raise typer.Exit(status)


def _address(doc_id: str) -> str:
    """A path of one segment; dots are written out too, or `..` would be taken for a step up."""
    return f"/documents/{quote(doc_id, safe='').replace('.', '%2E')}"


def _value(assignment: str) -> tuple[str, Any]:
    name, equals, text = assignment.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"'{assignment}' is not KEY=VALUE")
    try:
        return name, json_value(text)
    except ValueError:
        return name, text
