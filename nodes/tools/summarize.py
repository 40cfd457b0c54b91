"""`summarize(doc, question)`: what a document says on a question, by the model, in the document's own words."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Final

from context.reasoning import Reasoned
from context.retrieval import Passage, Piece, SearchRequest
from context.run import Context
from context.tools import Point, SummaryRequest
from nodes.bounded import GRADING, look_up, think
from nodes.tools.arguments import Summarize
from nodes.tools.reach import both_filters, passages_of, pieces_of
from nodes.tools.result import Result, hit, said
from policy import budget, remarks
from policy.window import fitted
from state import RAGState, Spent, ToolHit
from text.quotes import locate

MOST: Final = 5
"""Points that are kept."""
TOKENS: Final = 3_000
"""Of the document that one call reads."""
PASSAGES: Final = 12
"""A document of more is not read whole: a search inside it picks what the question is about."""


async def summarize(arguments: Summarize, state: RAGState, context: Context) -> Result:
    """Points as places in the document, each a quote that stands there; what does not is left out."""
    language = state["language"]
    pieces = await pieces_of(arguments.doc, state, context)
    if pieces is None:
        return said("unavailable", remarks.LATE, language)
    if not pieces:
        return said("unknown", remarks.NO_DOCUMENT, language)
    chosen, spent = await _chosen(pieces, arguments, state, context)
    passages = await passages_of(chosen, state, context)
    if not passages:
        return Result("unavailable", remark=remarks.LATE[language], update={"spent": spent})
    shown = [replace(passage, text=text) for passage, text in fitted(passages, TOKENS).shown]
    return await _summary(arguments, shown, {**state, "spent": spent}, context)


async def _chosen(
    pieces: Sequence[Piece], arguments: Summarize, state: RAGState, context: Context
) -> tuple[list[Piece], Spent]:
    """What of a long document is read, in its order; without a search that brings anything, its beginning."""
    spent = state["spent"]
    if len(pieces) <= PASSAGES or budget.searches_left(state) == 0:
        return list(pieces[:PASSAGES]), spent
    request = SearchRequest(
        queries=(arguments.question,),
        principal=context.principal,
        filters=both_filters(state["filters"], {"doc_id": arguments.doc}),
        top_k=PASSAGES,
        timeout_s=budget.time_for_call(state, context.clock()) / 3,
    )
    found = await look_up(state, context, context.retriever.search(request))
    spent = budget.settle(spent, searches=1 if found is None else min(1, found.searches))
    ids = {doc["chunk_id"] for doc in found.docs} if found else set()
    return [piece for piece in pieces if piece.chunk_id in ids] or list(pieces[:PASSAGES]), spent


async def _summary(arguments: Summarize, passages: list[Passage], state: RAGState, context: Context) -> Result:
    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[tuple[Point, ...]]]:
        return context.reasoner.summarize(
            SummaryRequest(
                question=arguments.question,
                language=state["language"],
                passages=tuple(passages),
                principal=context.principal,
                timeout_s=timeout_s,
                max_calls=max_calls,
            )
        )

    texts = (arguments.question, *(passage.text for passage in passages))
    thought = await think(state, context, texts, ask, keep=GRADING)
    if thought.value is None:
        return Result("refused", remark=remarks.NO_ROOM[state["language"]], update={"spent": thought.spent})
    hits = _places(thought.value, passages)
    remark = "" if hits else remarks.NO_POINT[state["language"]]
    return Result("done" if hits else "nothing", hits, remark, {"spent": thought.spent})


def _places(points: Sequence[Point], passages: Sequence[Passage]) -> tuple[ToolHit, ...]:
    known = {passage.chunk_id: passage for passage in passages}
    read = [(known[point.chunk_id], point.quote) for point in points if point.chunk_id in known]
    return tuple(hit(passage, span) for passage, quote in read if (span := locate(quote, passage.text)))[:MOST]
