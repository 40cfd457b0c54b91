"""The deployment's own words, in force while its index is open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import errors
from text import tokens
from text.dictionary import Dictionary, parse

_LARGEST: Final = 20_000_000
"""Bytes: jieba's own dictionary of 349,000 words has 5 million."""


def load(path: Path | None) -> Dictionary:
    """The dictionary in this file, an empty one without. Raises `errors.BadRequest` when it cannot be used."""
    if path is None:
        return Dictionary()
    try:
        # A device would be read for ever, and a pipe waited for.
        size = path.stat().st_size if path.is_file() else None
        if size is None or size > _LARGEST:
            raise errors.BadRequest(f"GAPSEEK_DICTIONARY must name a regular file of at most {_LARGEST:,} bytes.")
        return parse(path.read_bytes())
    except OSError as error:
        raise errors.BadRequest("The file that GAPSEEK_DICTIONARY names cannot be read.") from error


@contextmanager
def in_force(dictionary: Dictionary) -> Iterator[None]:
    """Every text that this process cuts meanwhile, of a document or of a question, is cut with these words."""
    tokens.use(dictionary)
    try:
        yield
    finally:
        tokens.use(Dictionary())
