"""How much one file may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Limits:
    """Of one file: its bytes, the seconds and megabytes that converting it may take, its pages and table cells."""

    file_bytes: int = 50_000_000
    timeout_s: float = 60.0
    memory_mb: int = 1_024
    pages: int = 5_000
    cells: int = 1_000_000

    @property
    def unpacked_bytes(self) -> int:
        """Bytes to which the parts of a zipped format may unpack: a quarter of the memory, as XML grows in it."""
        return self.memory_mb * 250_000


DEFAULT: Final = Limits()
