"""What an embeddings endpoint sent, one vector a text; what is no vector counts as none."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np

from context.retrieval import Vectors


def vectors_in(data: Sequence[Any], count: int) -> list[Vectors | None]:
    """A vector of length one for each of `count` texts, in their order; None where there is none to be used.

    Rows go by their index, in whatever order they come. Without one they go by their place, if there is one for each
    text; else nobody can tell whose they are, and there is none for any.
    """
    rows = [row for row in data if isinstance(row, dict)]
    found: list[Vectors | None] = [None] * count
    for place, row in zip(_places(rows, data, count), rows, strict=False):
        found[place] = vector(row.get("embedding"))
    return found


def _places(rows: Sequence[dict[str, Any]], data: Sequence[Any], count: int) -> Sequence[int]:
    given = [row.get("index") for row in rows]
    if all(type(place) is int and 0 <= place < count for place in given) and len(set(given)) == len(given):
        return [int(place) for place in given if place is not None]
    if len(data) != count:
        return ()
    return [place for place, row in enumerate(data) if isinstance(row, dict)]


def vector(sent: Any) -> Vectors | None:
    """Numbers in a list, or as float32 in base64, little-endian as OpenAI sends them; made to have length one.

    None for anything else, for an empty one, one of zeros, and one with a NaN.
    """
    numbers = _from_base64(sent) if isinstance(sent, str) else _from_list(sent)
    if numbers is None or numbers.ndim != 1 or not numbers.size:
        return None
    length = float(np.linalg.norm(numbers))
    if not np.isfinite(length) or length == 0:
        return None
    unit: Vectors = (numbers / length).astype(np.float32)
    return unit


def _from_list(sent: Any) -> Any:
    if not isinstance(sent, list):
        return None
    try:
        return np.asarray(sent, np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _from_base64(sent: str) -> Any:
    try:
        held = base64.b64decode(sent, validate=True)
    except (binascii.Error, ValueError):
        return None
    return np.frombuffer(held, "<f4").astype(np.float64) if len(held) % 4 == 0 else None
