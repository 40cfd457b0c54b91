"""Names for what is measured: results of other code, settings or questions never pass for its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

ANSWERING: Final = (
    *("context", "corpus", "evidence", "graph", "nodes", "policy"),
    *("reasoner", "runs", "settings", "state", "text"),
)
"""The rooms and modules whose code an answer comes of."""
_KINDS: Final = (".py", ".md", ".json", ".txt")


def fingerprint(modules: Iterable[str]) -> str:
    """Eight hexadecimal digits of the sources, prompts and data of these packages and modules; none is imported."""
    content = sha256()
    for source in sorted(file for name in modules for file in _sources(name)):
        content.update(source.read_bytes())
    return content.hexdigest()[:8]


def of(value: Any) -> str:
    """Eight hexadecimal digits of plain JSON data, whatever the order of its keys."""
    content = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _sources(name: str) -> Iterator[Path]:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"There is no module named {name}.", name=name)
    if found.submodule_search_locations is None:
        yield Path(found.origin)
    for folder in found.submodule_search_locations or ():
        yield from (file for file in Path(folder).rglob("*") if file.suffix in _KINDS)
