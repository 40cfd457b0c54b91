"""`note(sub_question, chunk, quote)`: put evidence before evaluate, which alone grades it."""

from __future__ import annotations

from context.run import Context
from nodes.bounded import look_up
from nodes.tools.arguments import Note
from nodes.tools.result import Result, hit, said
from policy import remarks
from policy.inquiry import calls_of
from state import RAGState
from text.quotes import locate


async def note(arguments: Note, state: RAGState, context: Context) -> Result:
    """The place of the quote. A chunk that no tool has brought in this turn is none: its filter was never applied."""
    language = state["language"]
    if arguments.sub_question not in {question["id"] for question in state["sub_questions"]}:
        return said("wrong", remarks.NO_ITEM, language)
    if arguments.chunk not in _brought(state):
        return said("unknown", remarks.NO_PASSAGE, language)
    read = await look_up(state, context, context.retriever.read([arguments.chunk], context.principal))
    if read is None:
        return said("unavailable", remarks.LATE, language)
    if arguments.chunk not in read:
        return said("unknown", remarks.NO_PASSAGE, language)
    passage = read[arguments.chunk]
    place = locate(arguments.quote, passage.text) or locate(arguments.quote.replace("&lt;", "<"), passage.text)
    if place is None:
        return said("wrong", remarks.NO_QUOTE, language)
    return Result("done", (hit(passage, place),))


def _brought(state: RAGState) -> set[str]:
    return {hit["chunk_id"] for call in calls_of(state) for hit in call["hits"]}
