"""What becomes of a file that was converted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Converted:
    """Markdown, a form feed after each page of a paged format, and the title that the file gives itself elsewhere.

    `note` is what its owner should know of how it was read.
    """

    text: str
    title: str | None = None
    note: str | None = None
