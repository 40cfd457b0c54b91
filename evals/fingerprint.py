"""A name for the code that is measured: results of other code never pass for its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path


def fingerprint(modules: Iterable[str]) -> str:
    """Eight hexadecimal digits of what the source files of these packages and modules hold. They are not imported."""
    content = sha256()
    for source in sorted(file for name in modules for file in _sources(name)):
        content.update(source.read_bytes())
    return content.hexdigest()[:8]


def _sources(name: str) -> Iterator[Path]:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"There is no module named {name}.", name=name)
    if found.submodule_search_locations is None:
        yield Path(found.origin)
    for folder in found.submodule_search_locations or ():
        yield from Path(folder).rglob("*.py")
