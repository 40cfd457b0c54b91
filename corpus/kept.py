"""How documents are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpus.ingest.chunks import Sizes


@dataclass(frozen=True)
class Kept:
    """`versions` of each document stay readable, the current one included; they are cut into chunks of `sizes`."""

    versions: int = 5
    sizes: Sizes = field(default_factory=Sizes)


DEFAULTS: Final = Kept()
