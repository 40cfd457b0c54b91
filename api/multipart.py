"""A multipart body to files on disk and what is said about them; nothing of it stays when the request has ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from api.indexing import Source
from api.schemas.knowledge import MOST_DOCUMENTS, UploadFields
from corpus.documents import NewDocument
from corpus.ingest.convert.converter import Converter
from corpus.ingest.readers import Given, check_kind, check_size, read
from errors import BadRequest, Unavailable

_IN_MEMORY: Final = 65_536
_LONGEST_FIELD: Final = 1_000_000
_SHOWN: Final = 200


class _Parser(MultiPartParser):
    """Keeps little of each file in memory; the rest goes to a nameless file in the system's temporary folder."""

    spool_max_size = _IN_MEMORY


@dataclass(frozen=True)
class Files:
    """The files of a body, to be read one after another, and closed."""

    sources: Sequence[Source]
    close: Callable[[], None]


async def files(request: Request, converter: Converter) -> Files:
    """The files of this body. Raises `errors.BadRequest` and `RequestValidationError` for what it should not hold."""
    try:
        form = await _Parser(
            request.headers, request.stream(), max_files=MOST_DOCUMENTS, max_fields=10, max_part_size=_LONGEST_FIELD
        ).parse()
    except (MultiPartException, UnicodeError) as error:  # the latter from a charset that decodes nothing
        sentence = f"The body is no multipart form of at most {MOST_DOCUMENTS:,} files."
        raise BadRequest(sentence) from error
    except OSError as error:
        raise Unavailable("The upload could not be kept; the disk may be full.") from error
    try:
        return Files(_sources(form, converter), lambda: _close(form))
    except BaseException:
        _close(form)
        raise


def _close(form: FormData) -> None:
    for _, item in form.multi_items():
        if isinstance(item, UploadFile):
            item.file.close()


def _sources(form: FormData, converter: Converter) -> list[Source]:
    uploads = [item for _, item in form.multi_items() if isinstance(item, UploadFile)]
    fields = _fields({name: item for name, item in form.multi_items() if isinstance(item, str)})
    # Some programs of Windows write their own separator into file names; a doc_id is meant as it is.
    names = fields.doc_ids or [(upload.filename or "").replace("\\", "/") for upload in uploads]
    if not uploads or len(names) != len(uploads):
        raise BadRequest("The form needs at least one file, and a doc_id for each or for none.")
    given = Given(fields.metadata, fields.groups())
    taken: set[str] = set()
    sources = []
    for name, upload in zip(names, uploads, strict=True):
        sources.append(_source(name, upload, converter, given, _shown(name) in taken))
        taken.add(_shown(name))
    return sources


def _fields(texts: dict[str, str]) -> UploadFields:
    """The fields beside the files, each a JSON value."""
    try:
        values = {name: json.loads(text) for name, text in texts.items()}
    except (ValueError, RecursionError) as error:
        raise BadRequest("A field beside the files is no valid JSON.") from error
    try:
        return UploadFields.model_validate(values)
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error


def _source(name: str, upload: UploadFile, converter: Converter, given: Given, again: bool) -> Source:
    def document() -> NewDocument:
        if again:
            raise BadRequest("Another file of this upload has the same name.")
        doc_id = doc_id_of(name)
        check_kind(doc_id)
        check_size(upload.size or 0, converter.limits)
        upload.file.seek(0)
        return read(doc_id, upload.file.read(), converter, given)

    return Source(_shown(name), document)


def doc_id_of(name: str) -> str:
    """A file's name with its folders, in Unicode form NFC. Raises `errors.BadRequest` for one that leads upwards."""
    parts = [part for part in normalize("NFC", name).split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        raise BadRequest("A file needs a name, and none may lead out of its folder.")
    return "/".join(parts)


def _shown(name: str) -> str:
    try:
        return doc_id_of(name)
    except BadRequest:
        return "".join(char for char in name if char.isprintable())[:_SHOWN] or "a file without a name"


def schema() -> dict[str, Any]:
    """The form as OpenAPI has it."""
    json_part = {"contentMediaType": "application/json", "type": "string"}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["files"],
        "properties": {
            "files": {"type": "array", "items": {"type": "string", "contentMediaType": "application/octet-stream"}},
            "metadata": json_part
            | {"description": "An object that every file is given.", "examples": ['{"year": 2024}']},
            "access": json_part | {"description": "Who may see them.", "examples": ['{"groups": ["hr"]}']},
            "doc_ids": json_part | {"description": "A list, one a file, instead of the file names."},
        },
    }
