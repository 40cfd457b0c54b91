"""The command itself: its exit status, its one sentence on errors, its version."""

from __future__ import annotations

import traceback
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError
from typer.core import TyperGroup
from typer.exceptions import TyperException

from api.terminal import harmless
from errors import GapseekError

FOUND: Final = 0
NOTHING: Final = 1
FAILED: Final = 2
"""Exit status, as grep has it."""


class OneSentence(TyperGroup):
    """Turns what goes wrong into one sentence on stderr and exit status 2; what nobody foresaw keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except GapseekError as error:
            sentence = error.sentence
        except ValidationError as error:
            sentence = " ".join(f"GAPSEEK_{_name(e['loc'])}: {e['msg']}." for e in error.errors())
        except SettingsError as error:
            sentence = f"A setting cannot be read: {error}."
        except OSError as error:
            sentence = f"{error.strerror or 'A file or folder cannot be used'}: {error.filename or 'no name given'}."
        except UnicodeError:
            sentence = "The command's words must be UTF-8 text."
        except (typer.Exit, typer.Abort, TyperException):
            raise
        except Exception:  # Python's own exit status for it, 1, would say that nothing was found
            traceback.print_exc()
            sentence = "Something unexpected went wrong; the lines above say where."
        typer.echo(f"gapseek: {harmless(sentence)}", err=True)
        raise typer.Exit(FAILED)


def _name(place: tuple[int | str, ...]) -> str:
    return "__".join(str(part) for part in place).upper()


app = typer.Typer(cls=OneSentence, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    if wanted:
        from api.health import installed_version

        typer.echo(f"gapseek {installed_version()}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Questions to a private knowledge base, answered with citations.

    Exit status, as with grep: 0 when something was found, 1 when nothing was, 2 for an error.
    """
