"""Writing a citation into a text: `[number]` before the full stop of each of its sentences."""

from __future__ import annotations

from text.language import language
from text.sentences import stated


def with_marker(text: str, number: int) -> str:
    """The text, its sentences joined in one paragraph, each ending in `[number]` and then its full stop.

    Rules of tables are left out: they state nothing that could be cited.
    """
    marked: list[str] = []
    for start, end in stated(text):
        sentence = text[start:end]
        body = sentence.rstrip("。！？；.!?;…")
        gap = " " if body[-1:].isascii() else ""  # x[1] and f(x)[1] would read as code
        marked.append(f"{body}{gap}[{number}]{sentence[len(body) :]}")
    joiner = "" if language(text) == "zh" else " "
    return joiner.join(marked)
