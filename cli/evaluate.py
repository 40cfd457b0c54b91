"""`gapseek eval`: how well a knowledge base, or a set of questions, is answered in each mode."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from typer.core import TyperGroup

from api.listing import print_json
from api.meter import Meter
from api.terminal import harmless
from cli.app import app
from cli.options import AsJson, Budget, Data, given, limits
from settings import Settings

# What measures takes seconds to import, and no other command needs it.

INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as shells have it."""
_RUN: Final = "run"


class NamedBySet(TyperGroup):
    """`gapseek eval SET` is `gapseek eval run SET`, unless SET is the name of another command here."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


evals = typer.Typer(
    cls=NamedBySet,
    no_args_is_help=True,
    help="Measure how questions are answered: `gapseek eval SET` with the options of `run`.",
)
app.add_typer(evals, name="eval")

Groups = Annotated[str | None, typer.Option(metavar="a,b", help="Ask as a member of these groups.")]
Seed = Annotated[int, typer.Option(help="What is drawn at random is drawn by this number.")]


@evals.command(_RUN)
def run(
    asked: Annotated[
        str, typer.Argument(metavar="SET", help="elevator (built in), a folder with questions, or a CSV of your own.")
    ],
    modes: Annotated[
        str | None,
        typer.Option(metavar="a,b", help="Modes to compare, all, ablation, ladder or sweep; else GAPSEEK_MODE."),
    ] = None,
    budget: Budget = None,
    repeat: Annotated[int, typer.Option(min=1, help="Ask each question so often, and report the spread.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many questions, drawn by --seed.")] = None,
    filters: Annotated[
        Literal["with", "without", "both"], typer.Option(help="Ask under the filter that a question names, or not.")
    ] = "with",
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Questions under way together.")] = 3,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where results go; else ./eval-SET.")] = None,
    seed: Seed = 0,
    judge: Annotated[bool, typer.Option("--judge", help="Have the chat model judge every answer as well.")] = False,
    groups: Groups = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Ask every question in every mode, and tell how good the answers are and what they took.

    A CSV of questions is asked of a copy of the knowledge base of --data, which stays as it is. Broken off, the same
    command goes on where it was.
    """
    from evals.evaluation import SUMMARY, Wanted, evaluate
    from evals.report.write import PAGE, write
    from evals.studies import asked_for
    from evals.variants import variant

    if data is not None and not asked.lower().endswith(".csv"):
        raise typer.BadParameter("this set brings its own documents; --data goes with a CSV of questions")
    folder = out or Path(f"eval-{Path(asked).resolve().stem}")
    settings = Settings(**given(data=data))
    wanted = Wanted(
        set=asked,
        out=folder,
        modes=modes and asked_for(modes, settings),
        filters=filters,
        budget=limits(budget) or {},
        repeat=repeat,
        limit=limit,
        at_once=concurrency,
        seed=seed,
        judge=judge,
        groups=named(groups),
        position=variant,
    )
    try:
        with Meter() as meter:
            found = evaluate(wanted, settings, meter, told)
    except KeyboardInterrupt:
        told("Interrupted. What was asked is kept; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    print_json(found) if as_json else typer.echo((folder / SUMMARY).read_text("utf-8"))
    write(folder)
    told(f"Results are in {folder}; {PAGE} compares the modes.")


@evals.command("report")
def report(
    folder: Annotated[Path, typer.Argument(help="The folder that gapseek eval wrote its results into.")],
) -> None:
    """Compare what was asked so far: one page with tables and pictures, and what it comes down to."""
    from evals.report.write import FINDINGS, PAGE, write

    found = write(folder)
    for sentence in (*found.warnings, *found.findings):
        typer.echo(harmless(sentence))
    told(f"Written to {folder / PAGE} and {folder / FINDINGS}.")


@evals.command()
def init(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The CSV file to write.")],
    questions: Annotated[int, typer.Option("--questions", "-n", min=1, max=1_000, help="How many to draft.")] = 20,
    seed: Seed = 0,
    groups: Groups = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    data: Data = None,
) -> None:
    """Draft questions from a knowledge base for a person to correct: by the chat model if there is one, or by rules."""
    from evals.starting import Begun, begin

    with Meter() as meter:
        count = begin(Begun(out, questions, seed, force, named(groups)), Settings(**given(data=data)), meter, told)
    told(f"{count} questions are in {out}. Correct them, then: gapseek eval {out}")


def named(groups: str | None) -> frozenset[str]:
    """The groups of `a,b`, none without any."""
    return frozenset(name.strip() for name in (groups or "").split(",") if name.strip())


def told(sentence: str) -> None:
    """Say it on stderr."""
    typer.echo(f"gapseek: {harmless(sentence)}", err=True)
