"""A query is embedded once."""

from __future__ import annotations

import numpy as np

from corpus.embeddings.remembered import RememberedQueries
from tests.fakes.embedder import HashEmbedder


async def test_only_new_queries_are_sent_and_in_one_batch() -> None:
    embedder = HashEmbedder()
    remembered = RememberedQueries(embedder)
    first = await remembered.vectors(["a", "b", "a"])
    second = await remembered.vectors(["c", "a"])
    assert embedder.embedded == ["a", "b", "c"]
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(first[0], second[1])


async def test_no_query_is_no_row() -> None:
    assert (await RememberedQueries(HashEmbedder(dimension=7)).vectors([])).shape == (0, 7)
