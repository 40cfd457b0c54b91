"""Both lanes give exactly the documents that a plain predicate accepts, whatever was added, changed or deleted."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.filters import compile_filter
from corpus.index import Index
from state import Lane
from tests.fakes.embedder import HashEmbedder

LANES: tuple[Lane, ...] = ("keyword", "vector")
GROUPS = st.frozensets(st.sampled_from(["hr", "it"]), max_size=2)
SCALAR = st.sampled_from([None, True, False, 0, 1, 1.0, 2, "1", "a", "", "甲"])
METADATA = st.dictionaries(
    st.sampled_from(["year", "city", "title"]),
    SCALAR | st.lists(SCALAR, max_size=2) | st.just({"x": 1}),
    max_size=3,
)
NAMES = st.sampled_from(["one", "two", "three", "four"])
CHANGE = st.tuples(NAMES, st.none() | st.tuples(METADATA, GROUPS))

TEST = st.one_of(
    SCALAR,
    st.builds(lambda value: {"$ne": value}, SCALAR),
    st.builds(lambda name, values: {name: values}, st.sampled_from(["$in", "$nin"]), st.lists(SCALAR, max_size=3)),
    st.builds(
        lambda name, value: {name: value},
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        st.sampled_from([0, 1, 1.5, "a", "1"]),
    ),
    st.builds(lambda value: {"$exists": value}, st.booleans()),
)
FIELDS = st.dictionaries(st.sampled_from(["year", "city", "absent", "doc_id", "title"]), TEST, max_size=2)
FILTER = st.recursive(
    FIELDS,
    lambda inner: st.one_of(
        st.builds(
            lambda name, parts: {name: parts}, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=2)
        ),
        st.builds(lambda part: {"$not": part}, inner),
    ),
    max_leaves=4,
)

Kept = dict[str, tuple[Mapping[str, Any], frozenset[str]]]


@settings(max_examples=40)
@given(st.lists(CHANGE | st.just("reopen"), max_size=6), st.lists(st.tuples(FILTER, GROUPS), min_size=1, max_size=4))
def test_filters_and_access_are_exact(
    changes: list[tuple[str, Any] | str], asked: list[tuple[dict[str, Any], frozenset[str]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(lived(Path(folder), changes, asked))


async def lived(
    folder: Path, changes: list[tuple[str, Any] | str], asked: list[tuple[dict[str, Any], frozenset[str]]]
) -> None:
    index, kept = await Index.open(folder, HashEmbedder()), Kept()
    for change in changes:
        if isinstance(change, str):
            await index.close()
            index = await Index.open(folder, HashEmbedder())
        else:
            await apply(index, kept, *change)
        for filters, groups in asked[:2]:
            await check(index, kept, filters, groups)
    for filters, groups in asked:
        await check(index, kept, filters, groups)
    await index.close()


async def apply(index: Index, kept: Kept, name: str, given: tuple[dict[str, Any], frozenset[str]] | None) -> None:
    if given is None:
        assert await index.delete(name, Principal()) is (kept.pop(name, None) is not None)
        return
    metadata, groups = kept[name] = given
    # Two articles, so that chunks have metadata of their own beside their document's.
    text = f"第1条　电梯 {name}。\n\n第2条　电梯 {name} 又一。"
    outcomes = await index.add([NewDocument(name, text, f"t-{name}", metadata, groups)], Principal())
    assert outcomes[0].result != "failed", outcomes


async def check(index: Index, kept: Kept, filters: dict[str, Any], groups: frozenset[str]) -> None:
    """Against the predicate on each document's own metadata."""
    passes = compile_filter(filters)
    expected = {
        name
        for name, (metadata, of_document) in kept.items()
        if (not of_document or of_document & groups) and passes({**metadata, "doc_id": name, "title": f"t-{name}"})
    }
    principal = Principal(groups=groups)
    assert await index.count(principal, filters) == 2 * len(expected)
    for lane in LANES:
        request = SearchRequest(("电梯",), principal, filters, lanes=(lane,), depth=50, top_k=50)
        result = await index.search(request)
        assert result.lanes[0]["error"] is None
        assert {doc["doc_id"] for doc in result.docs} == expected
        assert result.lanes[0]["hits"] == 2 * len(expected)
