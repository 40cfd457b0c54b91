"""`/documents`: what the knowledge base holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from api.dependencies import IndexDep, PrincipalDep, problems
from api.problems import problem
from api.schemas.knowledge import Documents, DocumentsBody, Outcomes
from errors import NotFound

router = APIRouter(prefix="/documents", tags=["documents"])

_FAILED: Final = 422


@router.post("", response_model=Outcomes, responses=problems(413, 422, 503))
async def post_documents(body: DocumentsBody, index: IndexDep, principal: PrincipalDep) -> Response:
    """Index documents. Unchanged ones cost nothing; a changed one's new version replaces the old when wholly indexed.

    When any of them failed the status is 422, and `documents` still says what became of each.
    """
    outcomes = await index.add([document.document() for document in body.documents], principal)
    said = [asdict(outcome) for outcome in outcomes]
    failed = [outcome.doc_id for outcome in outcomes if outcome.result == "failed"]
    if failed:
        detail = f"{len(failed)} of {len(said)} documents could not be indexed; the others were."
        return problem(_FAILED, "documents_failed", detail, documents=said)
    return JSONResponse({"documents": said})


@router.get("", response_model=Documents)
async def get_documents(index: IndexDep, principal: PrincipalDep) -> Response:
    """Every document that this principal may see."""
    return JSONResponse({"documents": [asdict(document) for document in await index.documents(principal)]})


@router.delete("/{doc_id:path}", status_code=204, responses=problems(404))
async def delete_document(doc_id: str, index: IndexDep, principal: PrincipalDep) -> None:
    """Remove a document: from now on no search finds it and no model reads it."""
    if not await index.delete(doc_id, principal):
        raise NotFound("There is no such document.")
