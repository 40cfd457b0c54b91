"""`POST /search`: hits for a query, without an answer."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from api.dependencies import EngineDep, PrincipalDep, problems
from api.schemas.knowledge import Hits, SearchBody
from context import Passage, SearchRequest, SearchResult
from errors import BadRequest, Unavailable
from runs.ask import checked_question
from state import Doc, Lane

router = APIRouter(tags=["search"])

LANES: Final[dict[str, tuple[Lane, ...]]] = {
    "bm25": ("keyword",),
    "naive": ("vector",),
    "hybrid": ("keyword", "vector"),
}
"""The modes of a search that are built, and the lanes that each reads."""


@router.post("/search", response_model=Hits, responses=problems(413, 422, 503))
async def post_search(body: SearchBody, engine: EngineDep, principal: PrincipalDep) -> Response:
    """The best chunks by keyword, by vector, or by both fused. No model is called and nothing is kept."""
    if body.mode not in LANES:
        raise BadRequest(f"The mode '{body.mode}' is not built yet for a search; these are: {', '.join(LANES)}.")
    retriever = engine.context_for(principal).retriever
    query = checked_question(engine, body.query)
    lanes = LANES[body.mode]
    result = await retriever.search(SearchRequest((query,), principal, body.filters, lanes, top_k=body.k))
    check_answered(result)
    passages = await retriever.read([doc["chunk_id"] for doc in result.docs], principal)
    readable = [doc for doc in result.docs if doc["chunk_id"] in passages]
    return JSONResponse({"hits": [hit(doc, passages[doc["chunk_id"]]) for doc in readable]})


def check_answered(result: SearchResult) -> None:
    """Raises `Unavailable` when every lane was lost: an empty list would say that nothing matches."""
    lost = [lane["error"] for lane in result.lanes if lane["error"] is not None]
    if result.lanes and len(lost) == len(result.lanes):
        raise Unavailable(f"No search lane answered: {lost[0]}", code="source_unavailable")


def hit(doc: Doc, passage: Passage) -> dict[str, Any]:
    """A hit with its text and metadata."""
    told = ("chunk_id", "doc_id", "version", "title")
    named = {name: value for name, value in doc.items() if name in told}
    return {**named, "text": passage.text, "metadata": passage.metadata, "rank": doc["rank"], "lanes": doc["lanes"]}
