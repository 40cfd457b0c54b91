"""A name for the code that is measured: results of other code never pass for its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType


def fingerprint(modules: Iterable[ModuleType]) -> str:
    """Eight hexadecimal digits of what the source files of these packages and modules hold."""
    content = sha256()
    for source in sorted(_sources(modules)):
        content.update(source.read_bytes())
    return content.hexdigest()[:8]


def _sources(modules: Iterable[ModuleType]) -> Iterator[Path]:
    for module in modules:
        if hasattr(module, "__path__"):
            for folder in module.__path__:
                yield from Path(folder).rglob("*.py")
        elif module.__file__:
            yield Path(module.__file__)
