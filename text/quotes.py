"""Where a quote stands in a text."""

from __future__ import annotations


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """The first `(start, end)` where `text` holds the quote, white space aside; None if nowhere or if it is blank."""
    wanted = "".join(quote.split())
    kept = [i for i, character in enumerate(text) if not character.isspace()]
    at = "".join(text[i] for i in kept).find(wanted)
    if not wanted or at < 0:
        return None
    return kept[at], kept[at + len(wanted) - 1] + 1
