"""The demo: one question to a running server, shown step by step, and the same run again from its middle."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from api.client import Client
from api.terminal import RunView, harmless
from errors import Unavailable


def demo(client: Client, question: str, console: Console) -> None:
    """Print the whole. Raises `Unavailable` when any part of it is not as it must be."""
    health = client.call("GET", "/health")
    _say(console, f"Serving {health['documents']} documents with {health['reasoner']} and {health['embedder']}.")
    _say(console, f"\n{question}\n")
    first = RunView(console, console).show(client.stream("/ask", {"question": question}))
    _check_answered(first)

    thread = f"/threads/{first['thread_id']}"
    before = client.call("GET", f"{thread}/history")
    middle = before["steps"][len(before["steps"]) // 2]
    _say(console, f"\nRun anew from the middle: after {middle['node']} of round {middle['round'] + 1}\n")
    replayed = RunView(console, console).show(
        client.stream(f"{thread}/replay", {"checkpoint_id": middle["checkpoint_id"]})
    )
    _check_answered(replayed)
    _require(replayed["ran"][0] in middle["next"], "The replay did not go on where the step had stopped.")
    _require(replayed["thread_id"] != first["thread_id"], "The replay ran in the old thread.")
    _require(client.call("GET", f"{thread}/history") == before, "The replay changed the old thread.")
    same = "the same answer" if replayed["answer"] == first["answer"] else "another answer"
    _say(console, f"\nRan anew: {', '.join(replayed['ran'])}; {same}. The old thread is as it was.")


def _check_answered(reply: dict[str, Any]) -> None:
    answered = reply["status"] in ("answered", "partial")
    _require(answered and bool(reply["citations"]), "The question was not answered with citations.")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise Unavailable(sentence, code="demo_failed")


def _say(console: Console, text: str) -> None:
    console.print(Text(harmless(text)), soft_wrap=True)
