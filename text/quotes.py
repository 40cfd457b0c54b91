"""Finding a quote in a text that may differ from it in white space only."""

from __future__ import annotations


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """The first span of `text` that reads as `quote` when white space is ignored; None when there is none."""
    wanted = "".join(quote.split())
    if not wanted:
        return None
    positions = [i for i, char in enumerate(text) if not char.isspace()]
    found = "".join(text[i] for i in positions).find(wanted)
    if found < 0:
        return None
    return positions[found], positions[found + len(wanted) - 1] + 1
