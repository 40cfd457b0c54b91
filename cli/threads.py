"""`gapseek threads` and `gapseek reply`: what was asked, and a person's answer where the machine had none."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer
from rich.console import Console

from api.listing import print_json, show, thread_rows
from api.terminal import closing_line
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import AsJson, Data, given
from settings import Settings


@app.command()
def threads(
    awaiting: Annotated[bool, typer.Option("--awaiting", help="Only those that wait for a person.")] = False,
    after: Annotated[str | None, typer.Option(help="Go on after the page that said so.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many.")] = 50,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """List threads, newest first."""
    asked = {"status": "awaiting_human" if awaiting else None, "after": after}
    query = "".join(f"&{name}={quote(value, safe='')}" for name, value in given(**asked).items())
    with connected(Settings(**given(data=data))) as client:
        page = client.call("GET", f"/threads?limit={limit}{query}")
    if as_json:
        print_json(page)
    else:
        show(thread_rows(page))
        if page["next"] is not None:
            typer.echo(f"There are more: --after {page['next']}", err=True)
    raise typer.Exit(FOUND if page["threads"] else NOTHING)


@app.command()
def reply(
    thread: str,
    text: Annotated[str | None, typer.Argument(help="The answer, in your own words.")] = None,
    decline: Annotated[bool, typer.Option("--decline", help="Give no answer.")] = False,
    name: Annotated[str | None, typer.Option(help="As which to be cited.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question that was handed to a person, or decline to."""
    if decline == (text is not None):
        raise typer.BadParameter("either a text or --decline is needed")
    with connected(Settings(**given(data=data))) as client:
        body = {"decline": True} if decline else given(text=text, name=name)
        said = client.call("POST", f"/threads/{quote(thread, safe='')}/reply", body)
    print_json(said) if as_json else Console().print(closing_line(said))
