"""Metadata found at ingest: the lowest layer, there to be filtered by, and never a reason to fail."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import errors
from context.reasoning import Reasoned
from context.retrieval import Principal, SearchRequest
from corpus.correction import Correction
from corpus.dictionary import in_force
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.ingest.chunks import Sizes
from corpus.kept import Kept
from corpus.reindex import reindex
from graph.knowledge import open_index
from settings import Endpoint, Settings
from text.dictionary import parse

ME = Principal()
RULES = NewDocument(
    "a.md", "# 上海市电梯办法\n\n本办法自2024年3月1日起施行。", metadata={"kind": "given", "draft": False}
)


class Model:
    name = "model"

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    async def extract(self, title: str, text: str, fields: Sequence[str]) -> Reasoned[dict[str, Any]]:
        self.asked.append(fields)
        if len(self.asked) > 1:
            raise errors.Unavailable("The model does not answer.")
        return Reasoned({"document_number": "沪〔2024〕1号"})


async def metadata(index: Index) -> dict[str, Any]:
    return next(iter(index.catalogue.visible(ME))).metadata


async def test_what_is_given_wins_over_what_was_found(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    added = await index.add([RULES], ME)
    assert (
        added[0].found
        == "year 2024 (rules), kind 办法 (rules), place 上海市 (rules), effective_from 2024-03-01 (rules)"
    )
    assert await metadata(index) == {
        "year": 2024,
        "kind": "given",
        "place": "上海市",
        "effective_from": "2024-03-01",
        "draft": False,
    }
    found = await index.search(SearchRequest(("电梯",), ME, {"place": "上海市", "year": 2024}))
    assert len(found.docs) == 1
    await index.close()


async def test_off_finds_nothing(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None, kept=Kept(rules=False))
    await index.add([RULES], ME)
    assert await metadata(index) == {"kind": "given", "draft": False}
    await index.close()


async def test_a_model_is_asked_once_a_version_and_may_fail(tmp_path: Path) -> None:
    model = Model()
    index = await Index.open(tmp_path, None, kept=Kept(model=model))
    await index.add([RULES], ME)
    await index.add([RULES], ME)
    assert model.asked == [["document_number", "effective_to"]]
    assert (await metadata(index))["document_number"] == "沪〔2024〕1号"
    failed = await index.add([NewDocument("b.md", "乙")], ME)
    assert (failed[0].result, failed[0].sentence) == ("added", "The model does not answer.")
    await index.close()


async def test_a_new_cut_is_read_by_the_rules_anew_and_what_people_said_stays_on_top(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None, kept=Kept(rules=False))
    await index.add([replace(RULES, extracted={"file": "a.md", "document_number": "a model's", "year": 1999})], ME)
    await index.correct("a.md", ME, Correction({"place": "set by hand"}))
    await index.close()
    smaller, told = Sizes(20, 5), list[object]()
    await reindex(tmp_path, None, Kept(sizes=smaller), lambda *progress: told.append(progress))
    index = await Index.open(tmp_path, None, kept=Kept(sizes=smaller))
    assert await metadata(index) == {
        "file": "a.md",
        "document_number": "a model's",
        "year": 2024,
        "kind": "given",
        "place": "set by hand",
        "effective_from": "2024-03-01",
        "draft": False,
    }
    outcomes = await index.add([replace(RULES, extracted={"file": "a.md"})], ME)
    assert [one.result for one in outcomes] == ["unchanged"]
    await index.close()


async def test_a_new_cut_is_not_read_when_extraction_is_off(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None, kept=Kept(rules=False))
    await index.add([RULES], ME)
    await index.close()
    smaller = Kept(sizes=Sizes(20, 5), rules=False)
    await reindex(tmp_path, None, smaller, lambda *progress: None)
    index = await Index.open(tmp_path, None, kept=smaller)
    assert await metadata(index) == {"kind": "given", "draft": False}
    await index.close()


async def test_another_dictionary_asks_for_a_rebuild(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    await index.add([RULES], ME)
    await index.close()
    with in_force(parse("青禾贷\n".encode())), pytest.raises(errors.Conflict, match="gapseek reindex"):
        await Index.open(tmp_path, None)


async def test_a_model_without_an_endpoint_is_refused(tmp_path: Path) -> None:
    none = Endpoint()
    async with AsyncExitStack() as stack:
        with pytest.raises(errors.BadRequest, match="needs a chat model"):
            await open_index(Settings(data=tmp_path, chat=none, embeddings=none, extract_metadata="model"), stack)
