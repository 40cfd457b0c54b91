"""A filter tried on each different value gives what it gives on each chunk."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.filters import compile_filter, fields_of
from corpus.segments.fields import Fields
from corpus.segments.records import Records
from tests.fakes.rows import rows_of_document

VALUE = st.sampled_from([None, True, 0, 1, 1.0, "1", "a", [], ["a", 1], {"x": 1}])
METADATA = st.dictionaries(st.sampled_from("xyz"), VALUE, max_size=3)
SCALAR = st.sampled_from([None, True, 0, 1, "1", "a"])
FILTERS = st.dictionaries(st.sampled_from("xyz"), SCALAR | st.builds(lambda v: {"$ne": v}, SCALAR), max_size=3)


@given(st.lists(st.tuples(METADATA, METADATA), max_size=6), FILTERS)
def test_rows_pass_as_their_metadata_does(
    given_metadata: list[tuple[dict[str, Any], dict[str, Any]]], filters: dict[str, Any]
) -> None:
    """Each document has two chunks, and the second has metadata of its own, which goes before the document's."""
    rows, merged = [], []
    for n, (of_document, of_chunk) in enumerate(given_metadata):
        first, second = rows_of_document(f"d{n}", [["a"], ["b"]], of_document)
        rows += [first, replace(second, chunk_metadata=json.dumps(of_chunk))]
        merged += [of_document, of_document | of_chunk]
    passes = compile_filter(filters)
    found = Fields(Records.of(rows)).passing(fields_of(filters), passes)
    assert found.tolist() == [passes(metadata) for metadata in merged]


def test_a_predicate_is_asked_once_for_each_different_value() -> None:
    rows = [row for n in range(100) for row in rows_of_document(f"{n:02}", [["a"]], {"year": n % 4, "other": n})]
    fields, asked = Fields(Records.of(rows)), []

    def even(metadata: Any) -> bool:
        asked.append(dict(metadata))
        return bool(metadata["year"] % 2 == 0)

    assert fields.passing(["year"], even).sum() == 50
    assert asked == [{"year": n} for n in range(4)]


def test_groups_are_asked_once_for_each_different_set() -> None:
    rows = [row for n in range(9) for row in rows_of_document(str(n), [["a"]], groups=["hr"] if n % 3 else [])]
    asked: list[frozenset[str]] = []

    def nobody(groups: frozenset[str]) -> bool:
        asked.append(groups)
        return not groups

    allowed = Fields(Records.of(rows)).allowed_groups(nobody)
    assert np.flatnonzero(allowed).tolist() == [0, 3, 6]
    assert sorted(asked, key=len) == [frozenset(), frozenset({"hr"})]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (None, set()),
        ({}, set()),
        ({"a": 1, "b": {"$gt": 1}}, {"a", "b"}),
        ({"$and": [{"a": 1}, {"$not": {"b": [1]}}], "$or": [{"c": {"$in": [{"d": 1}]}}]}, {"a", "b", "c"}),
    ],
)
def test_the_fields_of_a_filter_are_those_it_looks_at(filters: dict[str, Any] | None, names: set[str]) -> None:
    assert fields_of(filters) == names
