"""`gapseek tune`: which threshold, retries and top_k suit one's own questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.meter import Meter
from cli.app import app
from cli.evaluate import INTERRUPTED, Groups, Seed, named, told
from cli.options import Budget, Data, given, limits
from settings import Settings

# What measures takes seconds to import, and no other command needs it.


@app.command()
def tune(
    asked: Annotated[
        str, typer.Argument(metavar="SET", help="elevator (built in), a folder with questions, or a CSV of your own.")
    ],
    wrong: Annotated[float, typer.Option(min=0, help="What a wrong answer costs you, in any unit.")] = 1.0,
    refusal: Annotated[
        float, typer.Option(min=0, help="What a refusal costs where there is an answer, in the same unit.")
    ] = 0.2,
    million_tokens: Annotated[float, typer.Option(min=0, help="What a million tokens cost, in the same unit.")] = 0.0,
    budget: Budget = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many questions, drawn by --seed.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Questions under way together.")] = 3,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where results go; else ./tune-SET.")] = None,
    seed: Seed = 0,
    groups: Groups = None,
    data: Data = None,
) -> None:
    """Propose threshold, retries and top_k for your own questions, or say that the defaults should stay.

    They are chosen on one half of the questions and judged on the other. Broken off, the same command goes on where it
    was. The settings are printed, and written into tuned.env of the folder.
    """
    from evals.evaluation import Wanted
    from evals.tune import SETTINGS, tune
    from evals.tuning import Losses, environment_lines

    if data is not None and not asked.lower().endswith(".csv"):
        raise typer.BadParameter("this set brings its own documents; --data goes with a CSV of questions")
    folder = out or Path(f"tune-{Path(asked).resolve().stem}")
    wanted = Wanted(
        set=asked,
        out=folder,
        budget=limits(budget) or {},
        limit=limit,
        at_once=concurrency,
        seed=seed,
        groups=named(groups),
    )
    losses = Losses(wrong, refusal, million_tokens)
    try:
        with Meter() as meter:
            found = tune(wanted, Settings(**given(data=data)), losses, meter, told)
    except KeyboardInterrupt:
        told("Interrupted. What was asked is kept; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(environment_lines(found), nl=False)
    told(f"Written to {folder / SETTINGS}.")
