"""A run as it reads in a terminal: a line or a few for each finished node, then the answer and its sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from unicodedata import category

from rich.console import Console
from rich.text import Text

from api.client import Told
from errors import Unavailable

Changed = Mapping[str, Any]

QUOTE_CHARS: Final = 80
"""A source's quote is cut here: the answer has said it, and `--json` has the whole."""

_DIRECTIONS: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Unicode's bidirectional controls, which show a text in another order than it has."""

_IN_A_ROUND: Final = ("rewrite", "retrieve", "evaluate")


def harmless(text: str) -> str:
    """The text without what a terminal would obey: documents and models must not move the cursor or hide words."""
    return "".join(
        char for char in text if char in "\n\t" or not (category(char) in ("Cc", "Cs") or char in _DIRECTIONS)
    )


class RunView:
    """Prints a run while it happens: steps to `progress`, the answer and its sources to `out`."""

    def __init__(self, out: Console, progress: Console) -> None:
        self._out = out
        self._progress = progress
        self._speaking = False

    def show(self, events: Iterator[Told]) -> dict[str, Any]:
        """Print every event and return the reply. Raises what the stream raises, and `Unavailable` if it had none."""
        reply: dict[str, Any] | None = None
        try:
            for name, data in events:
                if name == "node" and data["phase"] == "end":
                    self._node(data)
                elif name == "token":
                    self._say(data["text"])
                elif name == "draft":
                    self._draft(data["text"])
                elif name == "answer":
                    reply = data
        finally:
            self._fall_silent()
        if reply is None:
            raise Unavailable("The run ended without an answer.")
        self._finish(reply)
        return reply

    def _node(self, data: Mapping[str, Any]) -> None:
        self._fall_silent()
        for line in node_lines(data):
            self._progress.print(line, soft_wrap=True)

    def _draft(self, text: str) -> None:
        self._fall_silent()
        self._progress.print(Text(f"draft, not verified: {harmless(text)}", "italic"), soft_wrap=True)

    def _fall_silent(self) -> None:
        if self._speaking:
            self._out.print("\n")
        self._speaking = False

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
    place = f"round {data['round'] + 1}" if data["name"] in _IN_A_ROUND else ""
    head, details = said(data["name"], data)
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
        yield line.append(f"    {_short(harmless(citation['quote']))}")
    for open_point in reply["missing"]:
        yield Text(f"Not established: {harmless(open_point['text'])}", "yellow")
    for conflict in reply["conflicts"]:
        yield Text(f"Sources disagree: {', '.join(harmless(side['title']) for side in conflict['sides'])}", "yellow")


def _short(text: str) -> str:
    return text if len(text) <= QUOTE_CHARS else f"{text[:QUOTE_CHARS]}…"


def closing_line(reply: Mapping[str, Any]) -> Text:
    """How the run ended, in one line, with the ids that a follow-up needs."""
    parts = (
        f"{reply['status']} ({reply['stop_reason']})" if reply["stop_reason"] else reply["status"],
        f"mode {reply['mode']}",
        f"relevance {reply['relevance_score']:.2f}",
        f"{reply['retry_count']} retries",
        f"{reply['timings']['total_ms'] / 1000:.1f} s",
        *([f"draft {draft['verdict']}"] if (draft := reply.get("draft")) else []),
        f"thread {reply['thread_id']}",
    )
    return Text(" · ".join(parts), "dim")


Said = tuple[str, Sequence[str]]


def said(node: str, step: Mapping[str, Any]) -> Said:
    """What a node's event or a history's step did: a few words, and lines of detail. An unknown node says nothing."""
    return _SAID[node](step["changed"], step["round"]) if node in _SAID else ("", ())


def _start(changed: Changed, round_: int) -> Said:
    return changed.get("question", ""), ()


def _route(changed: Changed, round_: int) -> Said:
    way = "look up" if changed.get("need_retrieval", True) else "answer directly"
    reason = changed.get("route_reason", "").replace("_", " ")
    return way if reason in ("", way) else f"{way} ({reason})", ()


def _rewrite(changed: Changed, round_: int) -> Said:
    queries = [f"→ {query['text']}" for query in changed.get("rewritten_queries", ())]
    checklist = changed.get("sub_questions", ()) if round_ == 0 else ()
    parts = [f"? {part['text']}{'' if part['required'] else ' (optional)'}" for part in checklist]
    named = changed.get("proposed_filter") if round_ == 0 else None
    beside = [f"= also within {json.dumps(named, ensure_ascii=False)}"] if named else []
    return f"{len(queries)} queries", [*parts, *queries, *beside]


def _retrieve(changed: Changed, round_: int) -> Said:
    lanes = changed.get("lanes", ())
    failed = [f"{lane['lane']} lane failed: {lane['error']}" for lane in lanes if lane["error"]]
    return f"{len(changed.get('docs', ()))} hits kept of {len(lanes)} lists", failed


def _evaluate(changed: Changed, round_: int) -> Said:
    gaps = [f"{gap['kind']}: {gap['text']}" for gap in changed.get("gaps", ())]
    stop = changed.get("stop_reason")
    score = f"relevance {changed['relevance_score']:.2f}" if "relevance_score" in changed else "nothing new"
    return score + (f", stop: {stop}" if stop else ""), gaps


def _handoff(changed: Changed, round_: int) -> Said:
    person = changed.get("person")
    return f"answered by {person['name'] or 'a person'}" if person else "nobody answered", ()


def _generate(changed: Changed, round_: int) -> Said:
    return f"{len(changed.get('citations', ()))} citations", ()


_SAID: Final[Mapping[str, Callable[[Changed, int], Said]]] = {
    "start": _start,
    "route": _route,
    "rewrite": _rewrite,
    "retrieve": _retrieve,
    "evaluate": _evaluate,
    "handoff": _handoff,
    "generate": _generate,
}
