"""`/documents`: what the knowledge base holds."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from api.dependencies import IndexDep, IngesterDep, PrincipalDep, problems
from api.schemas.documents import CorrectionBody, DocumentDetail
from api.schemas.knowledge import Documents
from errors import NotFound

router = APIRouter(prefix="/documents", tags=["documents"])


@router.get("", response_model=Documents)
async def get_documents(
    index: IndexDep,
    principal: PrincipalDep,
    prefix: Annotated[str, Query(description="Only documents whose doc_id begins so.")] = "",
    after: Annotated[str | None, Query(description="The `next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """Documents that this principal may see, in order of doc_id, a page at a time."""
    return JSONResponse(asdict(await asyncio.to_thread(index.catalogue.page, principal, prefix, after, limit)))


@router.get("/{doc_id:path}", response_model=DocumentDetail, responses=problems(404))
async def get_document(
    doc_id: str,
    index: IndexDep,
    principal: PrincipalDep,
    version: Annotated[str | None, Query(description="Whose chunks to show; else the current one's.")] = None,
    offset: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=0, le=500)] = 50,
) -> Response:
    """A document: its metadata by layer, its versions, and the chunks of one of them, a page at a time."""
    detail = await asyncio.to_thread(index.catalogue.detail, doc_id, principal, version, offset, limit)
    return JSONResponse(asdict(detail))


@router.patch("/{doc_id:path}", status_code=204, response_class=Response, responses=problems(404, 408))
async def patch_document(doc_id: str, body: CorrectionBody, index: IndexDep, principal: IngesterDep) -> None:
    """Correct metadata and access by hand. Filters see it at once; nothing is embedded, and no ingest overwrites it."""
    await index.correct(doc_id, principal, body.correction())


@router.delete("/{doc_id:path}", status_code=204, response_class=Response, responses=problems(404))
async def delete_document(doc_id: str, index: IndexDep, principal: IngesterDep) -> None:
    """Remove a document: from now on no search finds it and no model reads it."""
    if not await index.delete(doc_id, principal):
        raise NotFound("There is no such document.")
