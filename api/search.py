"""`POST /search`: hits for a query, without an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from api.dependencies import AskerDep, EngineDep, problems
from api.schemas.knowledge import Hits, SearchBody
from context.retrieval import Passage, Principal, Retriever, SearchRequest, SearchResult
from errors import Unavailable
from runs.ask import checked_question
from runs.modes import checked_search_mode, in_mode, refuse_unusable
from state import Doc

router = APIRouter(tags=["search"])


@router.post("/search", response_model=Hits, responses=problems(408))
async def post_search(body: SearchBody, engine: EngineDep, principal: AskerDep) -> Response:
    """The best chunks by keyword, by vector, or by both fused, re-ordered where the mode says so. Nothing is kept."""
    retriever = engine.context_for(principal).retriever
    mode = checked_search_mode(body.mode)
    refuse_unusable(mode, retriever)
    query = checked_question(engine, body.query)
    plain = SearchRequest((query,), principal, body.filters, merge=body.merge, timeout_s=engine.search_timeout_s)
    result = await retriever.search(in_mode(mode, plain, body.k))
    check_answered(result)
    passages = await texts(result, retriever, principal)
    hits = [hit(doc, passages[doc["chunk_id"]]) for doc in result.docs if doc["chunk_id"] in passages]
    warnings = list(dict.fromkeys(lane["error"] for lane in result.lanes if lane["error"]))
    return JSONResponse({"hits": hits} | ({"warnings": warnings} if warnings else {}))


async def texts(result: SearchResult, retriever: Retriever, principal: Principal) -> dict[str, Passage]:
    """The passages of the hits, by their ids; a merged hit's is the whole span of its version."""
    passages = await retriever.read([doc["chunk_id"] for doc in result.docs], principal)
    for doc in result.docs:
        if "span" in doc and doc["chunk_id"] in passages:
            start, end = doc["span"]
            text = await retriever.span(doc["doc_id"], doc["version"], (start, end), principal)
            if text is not None:
                passages[doc["chunk_id"]] = replace(passages[doc["chunk_id"]], text=text)
    return passages


def check_answered(result: SearchResult) -> None:
    """Raises `Unavailable` when every lane was lost: an empty list would say that nothing matches."""
    lost = [lane["error"] for lane in result.lanes if lane["error"] is not None]
    if result.lanes and len(lost) == len(result.lanes):
        raise Unavailable(f"No search lane answered: {lost[0]}", code="source_unavailable")


def hit(doc: Doc, passage: Passage) -> dict[str, Any]:
    """A hit with its text and metadata."""
    told = ("chunk_id", "doc_id", "version", "title")
    named = {name: value for name, value in doc.items() if name in told}
    shown = {"text": passage.text, "metadata": passage.metadata, "rank": doc["rank"], "lanes": doc["lanes"]}
    extra = {name: value for name, value in doc.items() if name in ("also_in", "span", "merged") and value}
    return {**named, **shown, **extra}
