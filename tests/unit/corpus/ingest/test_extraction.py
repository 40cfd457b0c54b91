"""Rules first, then the model for what they left open; and neither stops a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.reasoning import Reasoned
from corpus.documents import NewDocument
from corpus.ingest.extraction import extraction
from errors import Unavailable

DOCUMENT = NewDocument("2024/a.txt", "正文", "差旅办法", {"place": None})


class Model:
    name = "model"

    def __init__(self, found: dict[str, Any] | None) -> None:
        self._found = found
        self.asked: list[tuple[str, str, Sequence[str]]] = []

    async def extract(self, title: str, text: str, fields: Sequence[str]) -> Reasoned[dict[str, Any]]:
        self.asked.append((title, text, fields))
        if self._found is None:
            raise Unavailable("The model does not answer.")
        return Reasoned(self._found)


async def test_rules_alone_are_the_default() -> None:
    found = await extraction(DOCUMENT)
    assert found.facts == {"year": 2024, "kind": "办法"}
    assert found.report() == "year 2024 (rules), kind 办法 (rules)"


async def test_the_model_is_asked_for_what_is_open_and_not_given() -> None:
    model = Model({"effective_from": "2024-03-01"})
    found = await extraction(DOCUMENT, model=model)
    assert model.asked == [("差旅办法", "正文", ["document_number", "effective_from", "effective_to"])]
    assert (found.facts["effective_from"], found.by["effective_from"], found.by["year"]) == (
        "2024-03-01",
        "model",
        "rules",
    )


async def test_a_model_that_fails_costs_its_fields_only() -> None:
    found = await extraction(DOCUMENT, model=Model(None))
    assert found.facts["year"] == 2024
    assert found.sentence == "The model does not answer."


async def test_off_is_nothing() -> None:
    found = await extraction(DOCUMENT, rules=False)
    assert (found.facts, found.report()) == ({}, None)
