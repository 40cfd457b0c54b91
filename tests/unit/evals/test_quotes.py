from __future__ import annotations

from typing import Any

import pytest

from context.retrieval import Passage
from evals.quotes import dangling, stands

CHUNK = Passage("d#1", "d", "v1", "", "", "The fee\nis 20 yuan.")
DOCUMENT = "Preface. The fee  is 20 yuan. More."
QUOTED = {"chunk_id": "d#1", "doc_id": "d", "version": "v1", "quote": "fee\nis 20", "start": 4, "end": 13}


@pytest.mark.parametrize(
    ("changed", "chunk", "document", "holds"),
    [
        ({}, CHUNK, DOCUMENT, True),
        ({"quote": "fee is 20"}, CHUNK, DOCUMENT, False),
        ({"start": 3}, CHUNK, DOCUMENT, False),
        ({"version": "v0"}, CHUNK, DOCUMENT, False),
        ({"doc_id": "e"}, CHUNK, DOCUMENT, False),
        ({}, None, DOCUMENT, False),
        ({}, CHUNK, "The fee is 21 yuan.", False),
    ],
)
def test_a_quote_stands_in_its_place_in_the_chunk_and_in_the_document(
    changed: dict[str, Any], chunk: Passage | None, document: str, holds: bool
) -> None:
    assert stands({**QUOTED, **changed}, chunk, document) is holds


def test_numbers_that_cite_nothing() -> None:
    assert dangling("A [1]. B [1][3]. C 【4】, arr[7] and `x [8]`.", {1}) == [3, 4]
