"""`gapseek doctor`."""

from __future__ import annotations

import asyncio
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.app import FOUND, NOTHING, app
from cli.examination import Examination
from cli.options import AsJson, Data, given
from settings import Settings

if TYPE_CHECKING:
    from graph.doctor import Target

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells have it."""


class Only(StrEnum):
    """What may be tried alone."""

    chat = "chat"
    small_chat = "small_chat"
    embeddings = "embeddings"
    reranker = "reranker"


@app.command()
def doctor(
    only: Annotated[list[Only] | None, typer.Option(help="Try this alone; several times for several.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Longest time for all steps, in seconds.")] = 300.0,
    whole_window: Annotated[
        bool, typer.Option("--whole-window", help="Try a prompt as long as CONTEXT_TOKENS; costs that many tokens.")
    ] = False,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Try what is configured, step by step: what works, what will be used, what to set where something does not.

    Each chat model is called some ten times, with about 13,000 tokens in all. Exit status: 0 when questions can be
    answered as configured, 1 when not.
    """
    from graph.doctor import TARGETS, Report, examine  # what it imports takes seconds

    settings, report = Settings(**given(data=data)), Report()
    wanted: list[Target] = [target for target in TARGETS if not only or target in only]
    with Examination(silent=as_json) as shown:
        try:
            examining = examine(
                settings,
                report,
                only=wanted,
                timeout_s=timeout,
                whole_window=whole_window,
                begins=shown.begins,
                told=shown.told,
            )
            asyncio.run(examining)
        except KeyboardInterrupt:
            typer.echo("gapseek: Stopped; what was not tried is not told.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        shown.ends(report)
    if as_json:
        typer.echo(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    raise typer.Exit(FOUND if report.answers else NOTHING)
