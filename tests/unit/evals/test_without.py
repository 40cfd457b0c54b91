"""What is taken out is out, and all else is as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from context.reasoning import ProposedQuery, Rewrite, RewriteRequest
from context.retrieval import Principal, SearchRequest
from evals.without import always_as_at_first, without_feedback, without_own_question, without_rerank
from evidence import Gap
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner

ASKER = Principal()
FIRST = SearchRequest(("谁付钱", "维修 费用"), ASKER, timeout_s=3.0)
GAP: Gap = {"sub_question_id": "q2", "kind": "missing", "text": "how much?", "tried": ["x"]}


def rewriting(**changed: Any) -> RewriteRequest:
    fields: dict[str, Any] = {
        "question": "Who pays, and how much?",
        "language": "en",
        "history": (),
        "sub_questions": (
            {"id": "q1", "text": "who pays?", "required": True},
            {"id": "q2", "text": "how much?", "required": True},
        ),
        "gaps": (GAP,),
        "tried": ({"text": "who pays?", "gap": "q1", "round": 0, "new_hits": 3},),
        "ledger": ({"sub_question_id": "q1", "evidence": []},),
        "found": (),
        "principal": ASKER,
        "timeout_s": 1.0,
    }
    return RewriteRequest(**{**fields, **changed})


async def test_the_askers_own_words_are_searched_for_only_where_nothing_else_is() -> None:
    index = MemoryIndex({"a": "谁付钱"})
    retriever = without_own_question(index)
    await retriever.search(FIRST)
    await retriever.search(replace(FIRST, queries=("谁付钱", "another", "维修 费用")))
    await retriever.search(replace(FIRST, queries=("谁付钱",)))
    assert [request.queries for request in index.requests] == [("维修 费用",), ("another", "维修 费用"), ("谁付钱",)]


async def test_rerank_is_neither_asked_for_nor_told_of() -> None:
    index = MemoryIndex({"a": "谁付钱"})
    index.reranker_name = "cross"
    retriever = without_rerank(index)
    await retriever.search(replace(FIRST, rerank=True))
    assert retriever.reranker_name is None
    assert not index.requests[0].rerank


async def test_no_later_search_goes_deeper_or_elsewhere_than_the_first() -> None:
    index = MemoryIndex({"a": "谁付钱"})
    retriever = always_as_at_first(index)
    changed = SearchRequest(("b",), ASKER, {"doc_id": "x"}, lanes=("vector",), depth=100, top_k=60, timeout_s=1.0)
    await retriever.search(FIRST)
    await retriever.search(changed)
    assert index.requests == [FIRST, replace(FIRST, queries=("b",), timeout_s=1.0)]
    other_ask = always_as_at_first(index)
    await other_ask.search(changed)
    assert index.requests[-1] == changed


async def test_what_a_collaborator_does_not_do_itself_is_the_one_behind_it() -> None:
    index = MemoryIndex({"a": "谁付钱"})
    for retriever in (without_own_question(index), without_rerank(index), always_as_at_first(index)):
        assert retriever.generation_of(ASKER) == 1
        assert retriever.embedder_name == "memory"
        assert await retriever.count(ASKER, None) == 1
    assert without_feedback(ScriptedReasoner(calls_models=False)).calls_models is False


async def test_the_first_rewrite_is_as_it_was() -> None:
    first = Rewrite((("who?", True),), (ProposedQuery("who", 1),))
    reasoner = ScriptedReasoner(rewrite=[first])
    request = rewriting(sub_questions=(), gaps=())
    assert (await without_feedback(reasoner).rewrite(request)).value == first
    assert reasoner.rewrite_requests == [request]


async def test_a_later_rewrite_knows_neither_what_is_missing_nor_what_is_established() -> None:
    reasoner = ScriptedReasoner(rewrite=[Rewrite((), (ProposedQuery("who", 1), ProposedQuery("sum", 2)))])
    told = await without_feedback(reasoner).rewrite(rewriting())
    [asked] = reasoner.rewrite_requests
    assert [gap["sub_question_id"] for gap in asked.gaps] == ["q1", "q2"]
    assert all(gap["tried"] == [] for gap in asked.gaps)
    assert (asked.ledger, asked.conflicts) == ((), ())
    assert asked.tried == rewriting().tried
    assert told.value.queries == (ProposedQuery("who", None), ProposedQuery("sum", None))
