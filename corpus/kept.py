"""How documents are kept, and in which file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpus.ingest.chunks import Sizes

STORE: Final = "documents.sqlite3"
"""The one file in the index's folder that is not derived from another."""


@dataclass(frozen=True)
class Kept:
    """`versions` of each document stay readable, the current one included; they are cut into chunks of `sizes`."""

    versions: int = 5
    sizes: Sizes = field(default_factory=Sizes)


DEFAULTS: Final = Kept()
