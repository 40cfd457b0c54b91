"""A run as it reads in a terminal: a line or a few for each finished node, then the answer and its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from unicodedata import category

from rich.console import Console
from rich.text import Text

from api.client import Told

Changed = Mapping[str, Any]

_IN_A_ROUND: Final = ("rewrite", "retrieve", "evaluate")


def harmless(text: str) -> str:
    """The text without what a terminal would obey: documents and models must not move the cursor or hide words."""
    return "".join(char for char in text if char in "\n\t" or category(char) not in ("Cc", "Cs"))


class RunView:
    """Prints a run while it happens: steps to `progress`, the answer and its sources to `out`."""

    def __init__(self, out: Console, progress: Console) -> None:
        self._out = out
        self._progress = progress
        self._speaking = False

    def show(self, events: Iterator[Told]) -> dict[str, Any]:
        """Print every event and return the reply, empty if the stream had none."""
        reply: dict[str, Any] = {}
        for name, data in events:
            if name == "node" and data["phase"] == "end":
                self._node(data)
            elif name == "token":
                self._say(data["text"])
            elif name == "answer":
                reply = data
                self._finish(data)
        return reply

    def _node(self, data: Mapping[str, Any]) -> None:
        if self._speaking:
            self._say("\n\n")
        for line in node_lines(data):
            self._progress.print(line, soft_wrap=True)

    def _say(self, text: str) -> None:
        if not self._speaking:
            self._out.print()
        self._speaking = True
        self._out.print(Text(harmless(text)), end="", soft_wrap=True)

    def _finish(self, reply: Mapping[str, Any]) -> None:
        for line in source_lines(reply):
            self._out.print(line, soft_wrap=True)
        self._progress.print(closing_line(reply), soft_wrap=True)


def node_lines(data: Mapping[str, Any]) -> Iterator[Text]:
    """What one finished node did: a head line, then what is worth a line of its own."""
    changed = data["changed"]
    place = f"round {data['round'] + 1}" if data["name"] in _IN_A_ROUND else ""
    head, details = _SAID[data["name"]](changed) if data["name"] in _SAID else ("", ())
    line = Text.assemble((f"{place:<8} ", "dim"), (f"{data['name']:<9}", "bold cyan"))
    line.append(f" {data['duration_ms']:>7.0f} ms  ", "dim")
    yield line.append(harmless(head))
    for detail in details:
        yield Text(f"{'':<32}{harmless(detail)}", "dim")


def source_lines(reply: Mapping[str, Any]) -> Iterator[Text]:
    """The numbered sources, and what the answer could not establish."""
    for citation in reply["citations"]:
        line = Text(f"[{citation['number']}] ", "bold")
        line.append(harmless(citation["title"])).append(f"  {harmless(citation['doc_id'])}\n", "dim")
        yield line.append(f"    {harmless(citation['quote'])}")
    for open_point in reply["missing"]:
        yield Text(f"Not established: {harmless(open_point['text'])}", "yellow")
    for conflict in reply["conflicts"]:
        yield Text(f"Sources disagree: {', '.join(harmless(side['title']) for side in conflict['sides'])}", "yellow")


def closing_line(reply: Mapping[str, Any]) -> Text:
    """How the run ended, in one line, with the ids that a follow-up needs."""
    parts = (
        f"{reply['status']} ({reply['stop_reason']})",
        f"relevance {reply['relevance_score']:.2f}",
        f"{reply['retry_count']} retries",
        f"{reply['timings']['total_ms'] / 1000:.1f} s",
        f"thread {reply['thread_id']}",
    )
    return Text(" · ".join(parts), "dim")


def step_said(step: Mapping[str, Any]) -> str:
    """What one step of a history did, in a few words."""
    return _SAID[step["node"]](step["changed"])[0] if step["node"] in _SAID else ""


Said = tuple[str, Sequence[str]]


def _start(changed: Changed) -> Said:
    return changed.get("question", ""), ()


def _route(changed: Changed) -> Said:
    way = "looks it up" if changed.get("need_retrieval", True) else "answers directly"
    return f"{way}: {changed.get('route_reason', '')}", ()


def _rewrite(changed: Changed) -> Said:
    parts = [
        f"? {part['text']}{'' if part['required'] else ' (optional)'}" for part in changed.get("sub_questions", ())
    ]
    queries = [f"→ {query['text']}" for query in changed.get("rewritten_queries", ())]
    return f"{len(queries)} queries", [*parts, *queries]


def _retrieve(changed: Changed) -> Said:
    lanes = changed.get("lanes", ())
    failed = [f"{lane['lane']} lane failed: {lane['error']}" for lane in lanes if lane["error"]]
    return f"{len(changed.get('docs', ()))} hits kept of {len(lanes)} lists", failed


def _evaluate(changed: Changed) -> Said:
    gaps = [f"{gap['kind']}: {gap['text']}" for gap in changed.get("gaps", ())]
    stop = changed.get("stop_reason")
    score = f"relevance {changed['relevance_score']:.2f}" if "relevance_score" in changed else "nothing new"
    return score + (f", stop: {stop}" if stop else ""), gaps


def _generate(changed: Changed) -> Said:
    return f"{len(changed.get('citations', ()))} citations", ()


_SAID: Final[Mapping[str, Callable[[Changed], Said]]] = {
    "start": _start,
    "route": _route,
    "rewrite": _rewrite,
    "retrieve": _retrieve,
    "evaluate": _evaluate,
    "generate": _generate,
}
