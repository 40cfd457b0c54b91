"""One question asked of the whole machine, and what is to be remembered of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, cast

from langgraph.constants import START

from context.retrieval import Passage, Retriever
from errors import GapseekError, Misconfigured
from evals.plan import Plan, Planned
from evals.quotes import dangling, stands
from evals.record import Cited, Record, Round
from evals.sets import Case
from evals.versions import installed
from policy.budget import tokens_spent
from runs.ask import Ask, ask
from runs.engine import Engine, config, new_id
from state import RAGState, Spent

WHOLE: Final = 1 << 30
"""More characters than a document has, and no more than SQLite's substr takes."""


@dataclass
class Trials:
    """Asks questions of one plan on one engine; `code` names what answers them."""

    engine: Engine
    retriever: Retriever
    plan: Plan
    code: str
    _texts: dict[str, str] = field(init=False)
    _passages: dict[str, Passage] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._texts = {document.doc_id: document.text for document in self.plan.asked.documents}

    async def ask(self, ask: Planned) -> Record:
        """Ask in a thread of its own, that is gone afterwards. An ask that fails is a result too.

        Raises `Misconfigured`, as then every other would fail alike.
        """
        thread = await self._begun(ask.case)
        request = Ask(ask.case.question, thread, filters=ask.case.filter if ask.filtered else None)
        try:
            return await self._watched(ask, request)
        except Misconfigured:
            raise
        except GapseekError as error:
            return Record(**self._asked(ask), status="failed", stop_reason=None, error=error.sentence)
        finally:
            await self.engine.saver.adelete_thread(thread)

    async def _begun(self, case: Case) -> str:
        """A thread that holds the turns before this one, as the set tells them."""
        thread = new_id()
        place = config(thread, tenant=self.plan.asker.tenant, run_id=new_id())
        await self.engine.graph.aupdate_state(place, {"history": list(case.history)}, as_node=START)
        return thread

    async def _watched(self, planned: Planned, request: Ask) -> Record:
        steps, said, first = [], {}, First()
        async with aclosing(ask(self.engine, self.plan.asker, request)) as events:
            async for event in events:
                first.seen(event.type)
                if event.type == "node" and event.data["phase"] == "end":
                    steps.append(event.data)
                elif event.type == "answer":
                    said = event.data
        snapshot = await self.engine.graph.aget_state(config(str(request.thread_id)))
        state = cast(RAGState, snapshot.values)
        await self._read(state, steps)
        return Record(
            **self._asked(planned),
            **{name: said[name] for name in ("status", "stop_reason", "relevance_score", "answer")},
            **self._found(state, steps),
            **spending(state["spent"]),
            **self._cited(said),
            latency_ms=said["timings"]["total_ms"],
            first_event_ms=first.ms.get("node"),
            first_token_ms=first.ms.get("token"),
        )

    async def _read(self, state: RAGState, steps: Sequence[Mapping[str, Any]]) -> None:
        found = [doc["chunk_id"] for step in steps for doc in step["changed"].get("docs", [])]
        wanted = {*found, *(pair["chunk_id"] for pair in state["graded"])}
        quoted = [*state["citations"], *(e for entry in state["ledger"] for e in entry["evidence"])]
        wanted |= {one["chunk_id"] for one in quoted}
        self._passages |= await self.retriever.read(sorted(wanted - self._passages.keys()), self.plan.asker)
        if not self.plan.asked.documents:
            await self._read_texts({(one["doc_id"], one["version"]) for one in quoted})

    async def _read_texts(self, documents: Iterable[tuple[str, str]]) -> None:
        """Of a knowledge base nobody gave the documents, so they are read out of it."""
        for doc_id, version in documents:
            if doc_id not in self._texts:
                text = await self.retriever.span(doc_id, version, (0, WHOLE), self.plan.asker)
                self._texts[doc_id] = text or ""

    def _asked(self, ask: Planned) -> dict[str, Any]:
        case = ask.case
        return {
            **ask.key._asdict(),
            "code": self.code,
            "version": installed(),
            "dials": dict(self.engine.context_for(self.plan.asker).dials),
            "kind": case.kind,
            "question": case.question,
            "answerable": case.answerable,
            "needs_lookup": case.needs_lookup,
            "gold": list(case.gold),
            "not_to_cite": [*case.look_alikes, *case.contrary],
            "points": [list(point) for point in case.points],
            "references": list(case.references),
        }

    def _found(self, state: RAGState, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        graded = [
            (pair["sub_question_id"], self._label(pair["chunk_id"]), float(pair["score"])) for pair in state["graded"]
        ]
        return {
            "standalone": state["standalone"],
            "looked_up": state["need_retrieval"],
            "route_reason": state["route_reason"],
            "reasoner": state["recorded"]["reasoner"],
            "embedder": state["recorded"]["embedder"],
            "sub_questions": len(state["sub_questions"]),
            "judged": len({pair["chunk_id"] for pair in state["graded"]}),
            "rounds": [
                Round(list(dict.fromkeys(map(self._label, found))), graded[first:last])
                for found, first, last in rounds(steps)
            ],
        }

    def _cited(self, said: Mapping[str, Any]) -> dict[str, Any]:
        evidence = [e for entry in said["ledger"] for e in entry["evidence"]]
        return {
            "cited": [
                Cited(c["number"], self._label(c["chunk_id"]), c["doc_id"], c["chunk_id"], self._stands(c))
                for c in said["citations"]
            ],
            "unfounded": sum(not self._stands(e) for e in evidence),
            "dangling": len(dangling(said["answer"], {c["number"] for c in said["citations"]})),
        }

    def _label(self, chunk_id: str) -> str:
        return self.plan.asked.label(self._passages[chunk_id])

    def _stands(self, quoted: Mapping[str, Any]) -> bool:
        return stands(quoted, self._passages.get(quoted["chunk_id"]), self._texts.get(quoted["doc_id"], ""))


@dataclass
class First:
    """When the first event of each kind came, in milliseconds from the start; that of a node says that work began."""

    ms: dict[str, float] = field(default_factory=dict)
    _began: float = field(default_factory=time.perf_counter)

    def seen(self, kind: str) -> None:
        self.ms.setdefault(kind, round((time.perf_counter() - self._began) * 1000, 3))


def spending(spent: Spent) -> dict[str, Any]:
    """What an ask cost; in money only where every model that was called has a price."""
    costs = [used["cost"] for used in spent.get("models", {}).values()]
    known = [cost for cost in costs if cost is not None]
    told = [spent["estimated"], *([spent["reported"]] if spent["reported"] else [])]
    return {
        **{name: spent[name] for name in ("searches", "model_calls", "tool_calls")},
        "tokens": tokens_spent(spent),
        "input_tokens": sum(tokens["input_tokens"] for tokens in told),
        "output_tokens": sum(tokens["output_tokens"] for tokens in told),
        "cost": sum(known) if len(known) == len(costs) else None,
    }


SEARCHING: Final = ("retrieve", "agent")
"""The nodes that put hits into the state."""


def rounds(steps: Iterable[Mapping[str, Any]]) -> list[tuple[list[str], int, int]]:
    """Of each round its hits, best first, and which of all graded pairs are its own: from the first to before the last.

    A step tells only what it changed: hits that stayed the same, or a round without a new grade, are those of before.
    """
    found: list[str] = []
    told, before = [], 0
    for step in steps:
        if step["name"] in SEARCHING:
            found = [doc["chunk_id"] for doc in step["changed"].get("docs", [])] or found
        elif step["name"] == "evaluate":
            graded = step["changed"].get("graded", before)
            told.append((found, before, graded))
            before = graded
    return told
