"""Names of files as they may be shown, and what makes one unfit to name a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import category, normalize

NOT_UTF_8: Final = "The file's name is not valid UTF-8: rename it."
TWIN: Final = (
    "Another file's name looks the same and is only encoded otherwise (accents composed or decomposed): rename one."
)
_JOINERS: Final = "\u200c\u200d"
"""Parts of emoji and of some scripts' words, though they are format characters."""


def escaped(name: str) -> str:
    """The name on one line, harmless to a terminal: what cannot be seen, or is no UTF-8, as a backslash escape."""
    return "".join(char if _is_shown(char) else _escape(char) for char in name)


def problems(names: Iterable[str]) -> Iterator[str | None]:
    """For each name in turn, why no document can have it, or None. Of names that differ in their form the first is fit.

    Unicode's composed and decomposed forms are one name to whoever reads them, and to some file systems.
    """
    taken: set[str] = set()
    for name in names:
        id_ = normalize("NFC", name)
        if any("\ud800" <= char <= "\udfff" for char in name):
            yield NOT_UTF_8
        else:
            yield TWIN if id_ in taken else None
        taken.add(id_)


def _is_shown(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or category(char) == "Zs"


def _escape(char: str) -> str:
    """A byte that was no UTF-8, which Python keeps as a lone surrogate, is shown as that byte."""
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")
