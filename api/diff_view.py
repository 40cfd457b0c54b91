"""Two runs beside each other in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.listing import cost_words, empty_table
from api.terminal import harmless

Row = tuple[str, str, str]

_SAME: Final = ("mode", "filters", "status", "stop_reason", "relevance_score", "rounds")
_STYLES: Final = {"same": "", "before": "red strike", "after": "green"}


def diff_rows(found: Mapping[str, Any]) -> Table:
    """What differs, a row each: what it is, before, after."""
    table = empty_table("", "before", "after")
    for row in _rows(found):
        table.add_row(*(Text(harmless(cell)) for cell in row))
    return table


def word_line(found: Mapping[str, Any]) -> None:
    """Both answers in one text on stdout: what only the first says is struck out, what only the second says is green.

    Where there are no colours, `[-` and `-]` stand around the one and `{+` and `+}` around the other.
    """
    console = Console()
    marks = {"before": ("[-", "-]"), "after": ("{+", "+}")} if console.color_system is None else {}
    line = Text()
    for piece in found["answer"]["words"]:
        begin, end = marks.get(piece["kind"], ("", ""))
        line.append(f"{begin}{harmless(piece['text'])}{end}", _STYLES[piece["kind"]])
    console.print()
    console.print(line, soft_wrap=True)


def _rows(found: Mapping[str, Any]) -> Iterator[Row]:
    threads = found["threads"]
    yield "thread", threads["before"]["thread_id"], threads["after"]["thread_id"]
    if found["questions"]["before"] != found["questions"]["after"]:
        yield "question", found["questions"]["before"], found["questions"]["after"]
    for name in _SAME:
        before, after = _cell(found[name]["before"]), _cell(found[name]["after"])
        if before != after or name in ("status", "stop_reason"):
            yield name.replace("_", " "), before, after
    yield from ((name, _cell(both["before"]), _cell(both["after"])) for name, both in found["dials"].items())
    for name in found["differs"]:
        ran_on = found["ran_on"]
        yield name.replace("_", " "), _cell(ran_on["before"][name]), _cell(ran_on["after"][name])
    yield from _lists("sub-question", found["sub_questions"])
    yield from _lists("query", found["queries"])
    yield from _evidence(found["evidence"])
    yield "cost", cost_words(found["cost"]["before"]), cost_words(found["cost"]["after"])


def _lists(name: str, texts: Mapping[str, list[str]]) -> Iterator[Row]:
    yield from ((name, text, "") for text in texts["lost"])
    yield from ((name, "", text) for text in texts["gained"])


def _evidence(found: Mapping[str, Any]) -> Iterator[Row]:
    for one in found["lost"]:
        yield f"evidence: {one['sub_question']}", _told(one), ""
    for one in found["gained"]:
        yield f"evidence: {one['sub_question']}", "", _told(one)
    for one in found["regraded"]:
        yield f"grade: {one['title'] or one['doc_id']}", f"{one['before']:.2f}", f"{one['after']:.2f}"


def _told(evidence: Mapping[str, Any]) -> str:
    return f"{evidence['grade']['score']:.2f} {evidence['title']}: {evidence['quote']}"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
