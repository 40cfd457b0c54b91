"""Which tool next, by rules: the baseline that a model in agent mode must beat. It plans nothing and reads no meaning.

An open item is searched for in its own words, and noted when a passage at hand would pass the offline grader. Else its
codes and numbers are looked up inside the nearest document; then come the queries of the plan, and those of relevance
feedback; then what is only partly related is noted. When nothing is left to try, it finishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from context.reasoning import BANDS, GradeRequest, Judgement
from context.retrieval import Statistics
from context.tools import Place, ToolChoice, ToolRequest
from reasoner import feedback
from state import SubQuestion
from text.normalise import fold
from text.tokens import content_words

SURE: Final = BANDS["inference"][0]
ENOUGH: Final = BANDS["partial"][0]
"""What is noted at once, and what is noted when searching brought nothing better."""
PATIENCE: Final = 2
"""Searches in a row without a note, after which what is only partly related is noted."""
LONGEST_QUERY: Final = 400

_EXACT: Final = re.compile(
    r"第\s?[\d一二三四五六七八九十百零]{1,8}\s?条|[A-Za-z]{1,10}[-_.]?\d[A-Za-z0-9._-]{0,20}|\d{3,12}"
)
"""Articles, codes and longer numbers, which a search may blur and a look into the document cannot."""

_ENDS: Final = frozenset('。！？；.!?;:：|”"）)')


def grade_request(request: ToolRequest) -> GradeRequest:
    """What is at hand against what is open, as the offline grader judges it."""
    return GradeRequest(
        question=request.question,
        language=request.language,
        sub_questions=request.open,
        passages=tuple(place.passage for place in at_hand(request)),
        queries=(),
        ledger=request.ledger,
        principal=request.principal,
        timeout_s=request.timeout_s,
    )


def at_hand(request: ToolRequest) -> list[Place]:
    """Every passage that a step shows the text of, once, with the longest text."""
    places: dict[str, Place] = {}
    for place in (place for step in request.steps for place in step.places if place.passage.text):
        before = places.get(place.passage.chunk_id)
        if before is None or len(place.passage.text) > len(before.passage.text):
            places[place.passage.chunk_id] = place
    return list(places.values())


def choose(request: ToolRequest, judged: Sequence[Judgement], statistics: Statistics) -> ToolChoice:
    """The first rule that applies to the first open item for which one does."""
    if not request.steps and len(request.sub_questions) > 1:
        return _search(request.question)
    places = {place.passage.chunk_id: place for place in at_hand(request)}
    for item in request.open:
        queries = _further(item, places, request, statistics)
        choice = _for_item(item, _best(item, judged, request), queries, places, request)
        if choice is not None:
            return choice
    return ToolChoice("finish")


def _for_item(
    item: SubQuestion,
    best: Judgement | None,
    queries: Iterator[str],
    places: Mapping[str, Place],
    request: ToolRequest,
) -> ToolChoice | None:
    """Its own words; a note of what is sure; its codes; other words, as long as that pays; what is partly related."""
    own = _new_search([item["text"]], request)
    if own is not None:
        return own
    if best is not None and best.score >= SURE:
        return _note(best, places, request)
    if (look := _inside(item, places, request)) is not None:
        return look
    further = _new_search(queries, request) if best is None or _searches_since_note(request) < PATIENCE else None
    return further or (_note(best, places, request) if best else None)


def _new_search(queries: Iterable[str], request: ToolRequest) -> ToolChoice | None:
    """A search for the first of the queries that was not made, if one may be made."""
    made = [dict(step.arguments) for step in request.steps if step.tool == "search"]
    searches = map(_search, queries) if request.searches_left else iter(())
    return next((search for search in searches if search.arguments not in made), None)


def _search(query: str) -> ToolChoice:
    return ToolChoice("search", {"query": query[:LONGEST_QUERY]})


def _searches_since_note(request: ToolRequest) -> int:
    notes = [place for place, step in enumerate(request.steps) if step.tool == "note"]
    after = request.steps[notes[-1] + 1 :] if notes else request.steps
    return sum(step.tool == "search" for step in after)


def _best(item: SubQuestion, judged: Sequence[Judgement], request: ToolRequest) -> Judgement | None:
    """The best judgement for it that could be evidence and was not noted yet."""
    noted = [step.arguments for step in request.steps if step.tool == "note"]
    fresh = [
        one
        for one in judged
        if one.sub_question_id == item["id"]
        and one.score >= ENOUGH
        and {"sub_question": item["id"], "chunk": one.chunk_id} not in noted
    ]
    return max(fresh, key=lambda one: one.score, default=None)


def _note(judgement: Judgement, places: Mapping[str, Place], request: ToolRequest) -> ToolChoice:
    """The note; first the passage behind one that breaks off in the middle of a sentence."""
    place = places[judgement.chunk_id]
    behind = {"doc": place.passage.doc_id, "position": place.passage.end}
    broken = place.position + len(place.passage.text) >= place.passage.end and not _is_whole(place.passage.text)
    if broken and place.passage.end and not _was_made(request, "open", behind):
        return ToolChoice("open", behind)
    noted = {"sub_question": judgement.sub_question_id, "chunk": judgement.chunk_id}
    return ToolChoice("note", {**noted, "quote": judgement.quote[:2_000]})


def _is_whole(text: str) -> bool:
    """Whether the text ends where a sentence or a line of a table may."""
    return text.rstrip()[-1:] in _ENDS


def _inside(item: SubQuestion, places: Mapping[str, Place], request: ToolRequest) -> ToolChoice | None:
    """A look for the item's codes in the document that was found first, unless a passage at hand has them."""
    texts = [fold(place.passage.text) for place in places.values()]
    if not places:
        return None
    doc = next(iter(places.values())).passage.doc_id
    for code in dict.fromkeys(_EXACT.findall(item["text"])):
        look = {"doc": doc, "pattern": code}
        if not any(fold(code) in text for text in texts) and not _was_made(request, "find", look):
            return ToolChoice("find", look)
    return None


def _further(
    item: SubQuestion, places: Mapping[str, Place], request: ToolRequest, statistics: Statistics
) -> Iterator[str]:
    """Queries of the plan for it or for the whole question, then those of relevance feedback."""
    yield from (query["text"] for query in request.suggested if query["gap"] in (item["id"], None))
    found = [place.passage for place in places.values()][: feedback.PASSAGES]
    terms = feedback.expansion(item["text"], found, statistics, request.principal) if found else []
    for attempt in (1, 2, 3):
        yield from feedback.queries_for_gap(item["text"], attempt, terms)
    yield " ".join(dict.fromkeys(content_words(item["text"]))) or item["text"]


def _was_made(request: ToolRequest, tool: str, arguments: Mapping[str, Any]) -> bool:
    return any(step.tool == tool and dict(step.arguments) == arguments for step in request.steps)
