"""Values from outside made fit to be kept: what UTF-8, msgpack or a filter cannot hold is replaced or refused."""

from __future__ import annotations

import math
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

MAX_DEPTH: Final = 16
"""Deepest nesting of a filter or of metadata; far under what recursion or msgpack can take."""

_INT64: Final = range(-(2**63), 2**63)


def clean(text: Any) -> Any:
    """A text with its lone surrogates, which no encoding can carry, as U+FFFD; anything else as it is."""
    if not isinstance(text, str):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """The same JSON value with clean texts. Raises `ValueError` on NaN, on too large a number and on deep nesting."""
    if depth < 0:
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        return {clean(key): plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item, depth - 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number must be finite")
    if isinstance(value, int) and value not in _INT64:
        raise ValueError("a whole number must fit into 64 bits")
    return clean(value)


Text = Annotated[str, BeforeValidator(clean)]
PlainObject = Annotated[dict[str, Any], BeforeValidator(plain)]
