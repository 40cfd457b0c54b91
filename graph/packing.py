"""Checkpoints compressed: a state repeats from step to step, and within itself."""

from __future__ import annotations

import zlib
from typing import Any, Final

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

SUFFIX: Final = "+zlib"
"""After the kind of what is packed; rows without it, of releases before, are read as they are."""
_LEAST: Final = 200
"""Bytes that are worth it."""


class Packing(JsonPlusSerializer):
    """LangGraph's serializer, with longer values compressed where that makes them shorter."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        packed = zlib.compress(data) if len(data) >= _LEAST else data
        return (f"{kind}{SUFFIX}", packed) if len(packed) < len(data) else (kind, data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Raises `ValueError` for what is packed and cannot be unpacked, and what LangGraph raises."""
        kind, packed = data
        if not kind.endswith(SUFFIX):
            return super().loads_typed(data)
        try:
            unpacked = zlib.decompress(packed)
        except zlib.error as error:
            raise ValueError("a packed value cannot be unpacked") from error
        return super().loads_typed((kind.removesuffix(SUFFIX), unpacked))
