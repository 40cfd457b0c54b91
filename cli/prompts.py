"""`gapseek prompts`: look at what models are told, try a folder of your own, begin one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.terminal import harmless
from cli.app import FOUND, app
from cli.options import folder as folder_named
from settings import Prompts, Settings

if TYPE_CHECKING:
    from graph.prompt_sets import PromptSets

# What knows the prompts is imported in each command: it takes a second, and no other command needs it.

prompts = typer.Typer(no_args_is_help=True, help="What models are told: check, show, and export to change it.")
app.add_typer(prompts, name="prompts")

Folder = Annotated[
    Path | None,
    typer.Option(parser=folder_named, metavar="PATH", help="Folder of prompts to try; else GAPSEEK_PROMPTS__FOLDER."),
]
Name = Annotated[str | None, typer.Argument(help="A prompt, such as route.zh; without it the list of them.")]
Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME]…", help="Only these, such as route.zh.")]


@prompts.command()
def check(folder: Folder = None) -> None:
    """Check every configured set as the server does when it starts; exit status 2 if one cannot be used."""
    from graph.prompt_sets import unwise

    for name, one in opened(folder).all().items():
        own = ", ".join(sorted(one.own)) or "all built in"
        typer.echo(f"{name} ({one.fingerprint}): {own}")
        for sentence in unwise(one):
            typer.echo(f"gapseek: {name}: {harmless(sentence)}", err=True)
    raise typer.Exit(FOUND)


@prompts.command()
def show(
    name: Name = None,
    folder: Folder = None,
    chosen: Annotated[str, typer.Option("--set", metavar="NAME", help="A configured set.")] = "default",
) -> None:
    """Print a prompt as it is in force, or the names of all and where each is from."""
    shown = opened(folder).named(chosen)
    if name is None:
        for file in sorted(shown.texts):
            typer.echo(f"{file.removesuffix('.md')}  {chosen if file in shown.own else 'built-in'}")
    else:
        typer.echo(harmless(shown.texts[file_of(name)]), nl=False)


@prompts.command()
def export(
    folder: Annotated[Path, typer.Argument(parser=folder_named, metavar="FOLDER", help="Is made if need be.")],
    names: Names = None,
) -> None:
    """Copy the built-in prompts into a folder, to be changed there. No file is overwritten.

    Keep only what you change: the others then stay as good as a new version of Gapseek makes them.
    """
    from graph.prompt_sets import export

    for path in export(folder, [file_of(name) for name in names or ()]):
        typer.echo(path)


def opened(folder: Path | None) -> PromptSets:
    """The configured sets; with a folder that one as the default."""
    from graph.prompt_sets import open_prompts

    settings = Settings()
    if folder is not None:
        settings = settings.model_copy(update={"prompts": Prompts(folder=folder, sets=settings.prompts.sets)})
    return open_prompts(settings)


def file_of(name: str) -> str:
    """The file of a prompt; a name that none has is a usage error that lists them."""
    from graph.prompt_sets import PromptSets

    texts = PromptSets().default.texts
    file = name.removesuffix(".md") + ".md"
    if file not in texts:
        known = ", ".join(sorted(known.removesuffix(".md") for known in texts))
        raise typer.BadParameter(f"there is no such prompt; there are {known}")
    return file
