"""`gapseek ask`, `history` and `replay`."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn
from urllib.parse import quote

import typer
from rich.console import Console

from api.client import Client
from api.listing import print_json, show, step_rows
from api.terminal import RunView
from cli.app import FOUND, NOTHING, app
from cli.connection import connected
from cli.options import AsJson, Budget, Data, Dials, Filters, State, given, limits
from corpus.swap import holds_index
from settings import Settings


@app.command()
def ask(
    question: str,
    thread: Annotated[str | None, typer.Option(help="Go on in this thread.")] = None,
    mode: Annotated[str | None, typer.Option(help="How to answer, see `gapseek modes`; else GAPSEEK_MODE.")] = None,
    filters: Filters = None,
    budget: Budget = None,
    handoff: Annotated[
        bool | None, typer.Option("--handoff/--no-handoff", help="Ask a person where documents do not suffice.")
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="A quick unverified answer first, on stderr.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question: steps on stderr as they happen, the answer and its sources on stdout."""
    if draft and as_json:
        raise typer.BadParameter("--json waits for the answer: there is no draft before it")
    body = given(
        question=question,
        thread_id=thread,
        mode=mode,
        filters=filters,
        budget=limits(budget),
        handoff=handoff,
        draft=draft or None,
    )
    settings = Settings(**given(data=data))
    unnamed = "data" not in settings.model_fields_set
    if unnamed and not holds_index(settings.data):
        typer.echo("gapseek: There is no data folder yet: a new one is made, with the sample in it.", err=True)
    with connected(settings, new=unnamed, sample=unnamed) as client:
        run(client, "/ask", body, as_json)


@app.command()
def history(thread: str, data: Data = None, as_json: AsJson = False) -> None:
    """List every step of a thread, oldest first. Nothing is run."""
    with connected(Settings(**given(data=data))) as client:
        kept = client.call("GET", f"/threads/{quote(thread, safe='')}/history")
    print_json(kept) if as_json else show(step_rows(kept))


@app.command()
def replay(
    thread: str,
    checkpoint: str,
    state: State = None,
    dials: Dials = None,
    model: Annotated[str | None, typer.Option(help="Another model, by its name; `offline` needs none.")] = None,
    prompts: Annotated[str | None, typer.Option(help="Another set of prompts, by its name.")] = None,
    evidence: Annotated[
        bool, typer.Option("--recorded-evidence", help="Search nothing: judge anew what had been found.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Run anew from a step, in a new thread. The nodes after it run, and call their models, again."""
    changed = given(state=state, dials=dials, model=model, prompts=prompts, evidence="recorded" if evidence else None)
    with connected(Settings(**given(data=data))) as client:
        again = f"/threads/{quote(thread, safe='')}/replay"
        run(client, again, {"checkpoint_id": checkpoint, **changed}, as_json)


def run(client: Client, path: str, body: dict[str, Any], as_json: bool) -> NoReturn:
    """Ask or replay, show it, and end with the exit status of what came of it."""
    if as_json:
        reply = client.call("POST", path, body)
        print_json(reply)
    else:
        reply = RunView(Console(), Console(stderr=True)).show(client.stream(path, body))
    raise typer.Exit(FOUND if reply["status"] in ("answered", "partial") else NOTHING)
