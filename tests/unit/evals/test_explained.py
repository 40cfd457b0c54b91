from __future__ import annotations

from pathlib import Path

from evals.explained import FIGURES, PAGE, page
from evals.overview import ANSWERS, FOUND, JUDGED, REFUSED, WRONG
from evals.scores import QUALITY

ROOT = Path(__file__).parents[3]


def test_the_page_holds_these_tables() -> None:
    text = (ROOT / PAGE).read_text("utf-8")
    assert page(text) == text, "write it again: python -m evals.explained"


def test_every_figure_is_explained_and_shown() -> None:
    assert list(FIGURES) == list(QUALITY)
    assert {*ANSWERS, *FOUND, *JUDGED, *REFUSED, *WRONG} == set(QUALITY)


def test_every_option_is_on_the_page() -> None:
    from typer.main import get_command

    from cli.evaluate import evals

    text = (ROOT / PAGE).read_text("utf-8")
    commands = get_command(evals).commands.values()  # type: ignore[attr-defined]  # a group's
    options = {name for command in commands for one in command.params for name in one.opts if name.startswith("--")}
    assert options - {"--help", "--json", "--force", "--questions"} <= {word for word in options if word in text}
