"""`/documents`: what the knowledge base holds."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from api.dependencies import IndexDep, PrincipalDep, problems
from api.schemas.knowledge import Documents
from errors import NotFound

router = APIRouter(prefix="/documents", tags=["documents"])


@router.get("", response_model=Documents)
async def get_documents(index: IndexDep, principal: PrincipalDep) -> Response:
    """Every document that this principal may see."""
    return JSONResponse({"documents": [asdict(document) for document in await index.documents(principal)]})


@router.delete("/{doc_id:path}", status_code=204, responses=problems(404))
async def delete_document(doc_id: str, index: IndexDep, principal: PrincipalDep) -> None:
    """Remove a document: from now on no search finds it and no model reads it."""
    if not await index.delete(doc_id, principal):
        raise NotFound("There is no such document.")
