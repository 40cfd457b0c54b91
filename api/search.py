"""`POST /search`: hits for a query, without an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from api.dependencies import AskerDep, EngineDep, problems
from api.schemas.knowledge import Hits, SearchBody
from context.retrieval import Passage, Principal, Retriever, SearchRequest, SearchResult
from errors import BadRequest, Unavailable
from runs.ask import checked_question
from state import Doc, Lane

router = APIRouter(tags=["search"])

LANES: Final[dict[str, tuple[Lane, ...]]] = {
    "bm25": ("keyword",),
    "naive": ("vector",),
    "bm25_rerank": ("keyword",),
    "hybrid": ("keyword", "vector"),
    "hybrid_rerank": ("keyword", "vector"),
}
"""The modes of a search, and the lanes that each reads."""

KEYWORD_HITS: Final = 20
"""How many hits of the keyword lane `bm25_rerank` re-orders by embedding."""


@router.post("/search", response_model=Hits, responses=problems(413, 422, 503))
async def post_search(body: SearchBody, engine: EngineDep, principal: AskerDep) -> Response:
    """The best chunks by keyword, by vector, or by both fused, re-ordered where the mode says so. Nothing is kept."""
    if body.mode not in LANES:
        raise BadRequest(f"The mode '{body.mode}' is not built yet for a search; these are: {', '.join(LANES)}.")
    retriever = engine.context_for(principal).retriever
    query = checked_question(engine, body.query)
    request = replace(asked(body, query, principal), timeout_s=engine.search_timeout_s)
    result = await retriever.search(request)
    check_answered(result)
    passages = await texts(result, retriever, principal)
    hits = [hit(doc, passages[doc["chunk_id"]]) for doc in result.docs if doc["chunk_id"] in passages]
    warnings = list(dict.fromkeys(lane["error"] for lane in result.lanes if lane["error"]))
    return JSONResponse({"hits": hits} | ({"warnings": warnings} if warnings else {}))


def asked(body: SearchBody, query: str, principal: Principal) -> SearchRequest:
    """The search that a mode stands for."""
    request = SearchRequest((query,), principal, body.filters, LANES[body.mode], top_k=body.k, merge=body.merge)
    if body.mode == "bm25_rerank":
        return replace(request, rerank=True, reranker="embedding", rerank_depth=KEYWORD_HITS)
    return replace(request, rerank=body.mode == "hybrid_rerank")


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
