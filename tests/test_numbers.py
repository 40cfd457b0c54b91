"""A table of results tells how to get it again: the command stands in its section, or that none was kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
RESULT = re.compile(r"(?<![\w.])[+-]?\d*\.\d+(?![\w.])|\b\d[\d,.]*\s?(?:ms|s|%|MB|KB|kB)\b")
"""A fraction, or an amount with a unit that is measured; versions and whole numbers are none."""
LEAST = 3
COMMAND = re.compile(r"(?:`|^)(?:python -m \w|gapseek \w|make \w|pytest |tests/\w|evals/\w|du )", re.MULTILINE)
NONE_KEPT = re.compile(r"\bnot\s+kept\b|\bthrown\s+away\b|\bthrow-away\b")


def sections(page: str) -> Iterator[str]:
    """Each heading's own text, below that of the headings it stands under."""
    above: list[tuple[int, str]] = []
    starts = [found.start() for found in HEADING.finditer(without_code(page))]
    for start, end in zip(starts, [*starts[1:], len(page)], strict=True):
        text = page[start:end]
        level = len(text) - len(text.lstrip("#"))
        above = [(depth, told) for depth, told in above if 1 < depth < level]
        yield "\n".join([*(told for _, told in above), text])
        above.append((level, text))


def without_code(page: str) -> str:
    """The page with fenced code blanked out, every place as before: a comment in a script is no heading."""
    return re.sub(r"^```.*?^```", lambda found: "`" * len(found[0]), page, flags=re.DOTALL | re.MULTILINE)


def has_results(section: str) -> bool:
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return sum(len(RESULT.findall(row)) for row in rows) >= LEAST


def unsourced(page: str) -> list[str]:
    """The headings of tables of results that nobody could get again, and that do not say so."""
    return [
        section.splitlines()[0]
        for section in sections(page)
        if has_results(section) and not COMMAND.search(section) and not NONE_KEPT.search(section)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_of_results_names_its_command(page: Path) -> None:
    assert unsourced(page.read_text("utf-8")) == []


def test_a_table_without_a_command_would_be_seen() -> None:
    table = "| way | R@5 |\n|---|---|\n| a | .51 |\n| b | .62 |\n| c | 3 ms |\n"
    assert unsourced(f"# P\n\n`make bench`\n\n## A\n\n{table}") == ["## A"]
    assert unsourced(f"# P\n\n## A\n\n`make bench`\n\n### B\n\n{table}") == []
    assert unsourced(f"# P\n\n## A\n\n```\npython -m evals.retrieval\n# no heading\n```\n\n{table}") == []
    assert unsourced(f"# P\n\n## A\n\nBy a script that is not\nkept.\n\n{table}") == []
    assert unsourced("# P\n\n## A\n\n| library | version |\n|---|---|\n| numpy | 2.4.6 |\n| chroma | 1.5.9 |\n") == []
