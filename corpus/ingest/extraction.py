"""What finds a document's metadata: rules, then, if the deployment wants it, a model for what the rules left open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import errors
from context.reasoning import Extractor
from corpus.documents import NewDocument
from corpus.ingest.chunks import title_of
from corpus.ingest.facts import FIELDS, extract

How = Literal["rules", "model"]


@dataclass(frozen=True)
class Extraction:
    """The metadata found, which of the two found each field, and a sentence when the model could not be asked."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    by: Mapping[str, How] = field(default_factory=dict)
    sentence: str | None = None

    def report(self) -> str | None:
        """One line: `year 2024 (rules), place 上海市 (model)`, for a person who looks at what an ingest found."""
        found = [f"{name} {_shown(value)} ({self.by[name]})" for name, value in self.facts.items()]
        return ", ".join(found) or None


async def extraction(document: NewDocument, rules: bool = True, model: Extractor | None = None) -> Extraction:
    """What the document states about itself. A model that fails costs its fields, never the document."""
    facts = await asyncio.to_thread(extract, document) if rules else {}
    by: dict[str, How] = dict.fromkeys(facts, "rules")
    wanted = [name for name in FIELDS if name not in facts and name not in document.metadata and name != "title"]
    if model is None or not wanted:
        return Extraction(facts, by)
    try:
        found = (await model.extract(title_of(document), document.text, wanted)).value
    except errors.GapseekError as error:
        return Extraction(facts, by, error.sentence)
    return Extraction({**facts, **found}, {**by, **dict.fromkeys(found, "model")})


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
