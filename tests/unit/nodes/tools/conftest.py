"""A real index of a few documents: two of everybody's, one of a group's, one of another tenant's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Principal, Retriever
from context.run import Context
from context.tools import ToolChoice
from corpus.documents import NewDocument
from corpus.index import Index
from nodes.tools.run import Ran, run_tool
from state import RAGState, SubQuestion
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.run import NOW, dials, state

ME = Principal()
HR = Principal(groups=frozenset({"hr"}))
OTHER = Principal(tenant="other")
ITEM: SubQuestion = {"id": "q1", "text": "who pays", "required": True}
LONG = "\n\n".join(f"Rule {n}. The office keeps record number {n} of the lift for {n} days." for n in range(1, 201))


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, None)
    await index.add(
        [
            NewDocument("fees", "The owner pays for the lift.", metadata={"year": 2024}),
            NewDocument("long", LONG, metadata={"year": 2023}),
            NewDocument("pay", "The lift clerk earns 4711.", groups=frozenset({"hr"}), metadata={"year": 2024}),
        ],
        Principal(groups=frozenset({"hr"})),
    )
    await index.add([NewDocument("theirs", "The lift of another tenant.")], OTHER)
    yield index
    await index.close()


@dataclass
class Desk:
    """Calls tools one after another, as the node does, and keeps the state between them."""

    retriever: Retriever
    principal: Principal
    state: RAGState
    reasoner: ScriptedReasoner

    async def __call__(self, tool: str, **arguments: Any) -> Ran:
        context = Context(self.reasoner, self.retriever, lambda: NOW, self.principal, dials())
        ran = await run_tool(ToolChoice(tool, arguments), self.state, context)
        self.state = {**self.state, **ran.update, "tool_calls": [*self.state.get("tool_calls", []), ran.call]}
        return ran

    async def text(self, ran: Ran) -> list[str]:
        """The places of a call, as its asker may read them."""
        ids = [hit["chunk_id"] for hit in ran.call["hits"]]
        read = await self.retriever.read(ids, self.principal)
        return [read[hit["chunk_id"]].text[hit["start"] : hit["end"]] for hit in ran.call["hits"]]


def desk_over(retriever: Retriever, principal: Principal = ME, **changed: Any) -> Desk:
    start = state("who pays for the lift", mode="agent", language="en", sub_questions=[ITEM], **changed)
    return Desk(retriever, principal, start, ScriptedReasoner())
