"""`POST /documents`: documents as JSON, or files, into the knowledge base."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from api import multipart
from api.dependencies import ConverterDep, IndexDep, IngesterDep, problems
from api.disconnect import until_gone
from api.indexing import Source, index_all, told
from api.multipart import Files
from api.problems import problem
from api.schemas.events import of_upload
from api.schemas.inline import inline
from api.schemas.knowledge import DocumentsBody, Outcomes
from api.sse import EventStream
from context.retrieval import Principal
from corpus.documents import NewDocument, Outcome
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from errors import BadRequest, Misconfigured, Unavailable

router = APIRouter(prefix="/documents", tags=["documents"])

_FAILED: Final = 422
_UNAVAILABLE: Final = 503
_GONE: Final = 499
_FORM: Final = "multipart/form-data"
_JSON: Final = "application/json"
_READ_AT_ONCE: Final = 65_536
"""Bytes of JSON that are read on the event loop, which takes under a millisecond."""
_BODY: Final = {
    "required": True,
    "content": {_JSON: {"schema": inline(DocumentsBody)}, _FORM: {"schema": multipart.schema()}},
}


@router.post("", response_model=Outcomes, responses=of_upload() | problems(408), openapi_extra={"requestBody": _BODY})
async def post_documents(
    request: Request, index: IndexDep, converter: ConverterDep, principal: IngesterDep
) -> Response:
    """Index documents or files. Unchanged ones cost nothing; a new version replaces the old when wholly indexed.

    With `Accept: text/event-stream` each is told of as it is done: events `document`, within a long one `chunks`, at
    last `done`. Without, `documents` says what became of each, and the status is 422 when any of them failed, but 503
    when one did because a service did not answer: then the same again can help.
    """
    try:
        body = await _body(request, converter)
    except ClientDisconnect:
        return Response(status_code=_GONE)
    if "text/event-stream" in request.headers.get("accept", ""):
        return EventStream(told(body.sources, index, principal), body.close)
    outcomes = await until_gone(request.receive, _indexed(body, index, principal))
    return Response(status_code=_GONE) if outcomes is None else _answer(outcomes)


async def _body(request: Request, converter: Converter) -> Files:
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    if kind == _FORM:
        return await multipart.files(request, converter)
    if kind == _JSON or (kind.startswith("application/") and kind.endswith("+json")):
        documents = await _documents(await request.body())
        return Files([Source(document.doc_id, partial(_same, document)) for document in documents], lambda: None)
    raise BadRequest(f"The body must be {_JSON} or {_FORM}.")


async def _documents(body: bytes) -> list[NewDocument]:
    """A large body is read beside the event loop, on which everybody else waits."""
    if len(body) > _READ_AT_ONCE:
        return await asyncio.to_thread(_parsed, body)
    return _parsed(body)


def _same(document: NewDocument) -> NewDocument:
    return document


def _parsed(body: bytes) -> list[NewDocument]:
    """The body as FastAPI would take it: by Python's JSON reader, which knows lone surrogates."""
    try:
        return [document.document() for document in DocumentsBody.model_validate(json.loads(body)).documents]
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error
    except (ValueError, RecursionError) as error:
        raise RequestValidationError([_no_json(body)]) from error


def _no_json(body: bytes) -> dict[str, Any]:
    return {"type": "json_invalid" if body else "missing", "loc": ("body",), "msg": "", "input": None}


async def _indexed(body: Files, index: Index, principal: Principal) -> list[Outcome]:
    try:
        return await index_all(body.sources, index, principal)
    finally:
        body.close()


def _answer(outcomes: Sequence[Outcome]) -> Response:
    said = [asdict(outcome) for outcome in outcomes]
    failed = sum(outcome.result == "failed" for outcome in outcomes)
    lost = [outcome for outcome in outcomes if outcome.code in (Misconfigured.code, Unavailable.code)]
    if lost:
        # While one of them may pass by itself, the same again can help.
        lost.sort(key=lambda outcome: outcome.code != Unavailable.code)
        code, passes = str(lost[0].code), lost[0].code == Unavailable.code
        detail = f"{failed} of {len(said)} documents could not be indexed; the others were. {lost[0].sentence}"
        again = {"Retry-After": "1"} if passes else None
        return problem(_UNAVAILABLE, code, detail, headers=again, retryable=passes, documents=said)
    if failed:
        detail = f"{failed} of {len(said)} documents could not be indexed; the others were."
        return problem(_FAILED, "documents_failed", detail, documents=said)
    return JSONResponse({"documents": said})
