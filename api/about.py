"""What a server says of itself in a report: versions, and settings that are neither secret nor about its machine."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

from api.health import installed_version
from settings import Settings

_LIBRARIES: Final = ("langgraph", "langgraph-checkpoint-sqlite", "fastapi", "pydantic")
_WORDS: Final = {
    *("mode", "handoff", "fusion", "durability", "extract_metadata"),
    *("chat.model", "small_chat.model", "embeddings.model", "rerank.kind", "rerank.model"),
}
"""Settings that are texts and may be told; any other text could be an address, a path or a key."""


def about(settings: Settings) -> dict[str, Any]:
    """Versions, settings and their fingerprint; plain JSON."""
    dumped = settings.model_dump(mode="json", exclude={"data", "host", "port", "allowed_hosts"})
    return {
        "versions": {
            "gapseek": installed_version(),
            "python": platform.python_version(),
            **{name: version(name) for name in _LIBRARIES},
        },
        "settings": dict(_tellable(dumped)),
        "fingerprint": hashlib.sha256(json.dumps(dumped, sort_keys=True).encode()).hexdigest()[:16],
    }


def _tellable(dumped: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers, switches and the words that may be told, by their dotted names."""
    for name, value in dumped.items():
        place = f"{prefix}{name}"
        if isinstance(value, Mapping) and name != "extra_body":
            yield from _tellable(value, f"{place}.")
        elif isinstance(value, bool | int | float) or (isinstance(value, str) and place in _WORDS):
            yield place, value
