"""How documents are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from context.reasoning import Extractor
from corpus.ingest.chunks import Sizes


@dataclass(frozen=True)
class Kept:
    """`versions` of each document stay readable, the current one included; they are cut into chunks of `sizes`.

    Metadata are found in new ones by `rules`, and by a `model` in what the rules left open.
    """

    versions: int = 5
    sizes: Sizes = field(default_factory=Sizes)
    rules: bool = True
    model: Extractor | None = None


DEFAULTS: Final = Kept()
