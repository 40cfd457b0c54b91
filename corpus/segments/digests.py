"""Texts as numbers, which sort, merge and are looked up as arrays."""

from __future__ import annotations

import hashlib


def number(text: str) -> int:
    """64 bits of the text's BLAKE2b hash: two of a million texts share one with a chance of 3 in 10^8 (n^2 / 2^65)."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
