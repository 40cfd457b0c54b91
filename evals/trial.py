"""One question asked of the whole machine, and what is to be remembered of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.constants import START

from context.retrieval import Passage, Principal, Retriever
from errors import GapseekError
from evals.quotes import dangling, stands
from evals.record import Cited, Record, Round
from evals.sets import Case, QuestionSet
from policy.budget import tokens_spent
from runs.ask import Ask, ask
from runs.engine import Engine, config, new_id
from state import RAGState

ASKER = Principal()


@dataclass
class Trials:
    """Asks the questions of one set in one mode; `code` names what answers them."""

    engine: Engine
    retriever: Retriever
    asked: QuestionSet
    mode: str
    code: str
    _texts: dict[str, str] = field(init=False)
    _passages: dict[str, Passage] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._texts = {document.doc_id: document.text for document in self.asked.documents}

    async def ask(self, case: Case, *, filtered: bool) -> Record:
        """Ask in a thread of its own, that is gone afterwards. An ask that fails is a result too."""
        thread = await self._begun(case)
        request = Ask(case.question, thread, filters=case.filter if filtered else None)
        try:
            return await self._watched(case, request, filtered=filtered)
        except GapseekError as error:
            return Record(
                **self._asked(case, filtered=filtered), status="failed", stop_reason=None, error=error.sentence
            )
        finally:
            await self.engine.saver.adelete_thread(thread)

    async def _begun(self, case: Case) -> str:
        """A thread that holds the turns before this one, as the set tells them."""
        thread = new_id()
        place = config(thread, tenant=ASKER.tenant, run_id=new_id())
        await self.engine.graph.aupdate_state(place, {"history": list(case.history)}, as_node=START)
        return thread

    async def _watched(self, case: Case, request: Ask, *, filtered: bool) -> Record:
        steps, said = [], {}
        async with aclosing(ask(self.engine, ASKER, request)) as events:
            async for event in events:
                if event.type == "node" and event.data["phase"] == "end":
                    steps.append(event.data)
                elif event.type == "answer":
                    said = event.data
        snapshot = await self.engine.graph.aget_state(config(str(request.thread_id)))
        state = cast(RAGState, snapshot.values)
        await self._read(state, steps)
        return Record(
            **self._asked(case, filtered=filtered),
            **{name: said[name] for name in ("status", "stop_reason", "relevance_score", "answer")},
            **self._found(state, steps),
            **self._cited(said),
            latency_ms=said["timings"]["total_ms"],
        )

    async def _read(self, state: RAGState, steps: Sequence[Mapping[str, Any]]) -> None:
        found = [doc["chunk_id"] for step in steps for doc in step["changed"].get("docs", [])]
        wanted = {*found, *(pair["chunk_id"] for pair in state["graded"])}
        wanted |= {citation["chunk_id"] for citation in state["citations"]}
        self._passages |= await self.retriever.read(sorted(wanted - self._passages.keys()), ASKER)

    def _asked(self, case: Case, *, filtered: bool) -> dict[str, Any]:
        return {
            "set": self.asked.name.partition(",")[0],
            "id": case.id,
            "mode": self.mode,
            "filtered": filtered,
            "code": self.code,
            "kind": case.kind,
            "question": case.question,
            "answerable": case.answerable,
            "gold": list(case.gold),
            "not_to_cite": [*case.look_alikes, *case.contrary],
            "points": [list(point) for point in case.points],
            "references": list(case.references),
        }

    def _found(self, state: RAGState, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        graded = [
            (pair["sub_question_id"], self._label(pair["chunk_id"]), float(pair["score"])) for pair in state["graded"]
        ]
        spent = state["spent"]
        return {
            "standalone": state["standalone"],
            "sub_questions": len(state["sub_questions"]),
            "judged": len({pair["chunk_id"] for pair in state["graded"]}),
            "rounds": [
                Round(list(dict.fromkeys(map(self._label, found))), graded[first:last])
                for found, first, last in rounds(steps)
            ],
            **{name: spent[name] for name in ("searches", "model_calls", "tool_calls")},
            "tokens": tokens_spent(spent),
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
        return self.asked.label(self._passages[chunk_id])

    def _stands(self, quoted: Mapping[str, Any]) -> bool:
        return stands(quoted, self._passages.get(quoted["chunk_id"]), self._texts.get(quoted["doc_id"], ""))


def rounds(steps: Iterable[Mapping[str, Any]]) -> list[tuple[list[str], int, int]]:
    """Of each round its hits, best first, and which of all graded pairs are its own: from the first to before the last.

    A step tells only what it changed: hits that stayed the same, or a round without a new grade, are those of before.
    """
    found: list[str] = []
    told, before = [], 0
    for step in steps:
        if step["name"] == "retrieve":
            found = [doc["chunk_id"] for doc in step["changed"].get("docs", [])] or found
        elif step["name"] == "evaluate":
            graded = step["changed"].get("graded", before)
            told.append((found, before, graded))
            before = graded
    return told
