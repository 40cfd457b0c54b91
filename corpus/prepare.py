"""A document as given to a version ready for the store, but for its vectors."""

from __future__ import annotations

import json
from typing import Final

import errors
from corpus.documents import NewDocument, digest, indexed_text
from corpus.ingest import chunks as chunking
from corpus.ingest.chunks import Sizes
from corpus.store.fingerprints import chunker_of
from corpus.store.records import ReadyChunk, ReadyVersion
from corpus.store.terms import count

_FORM: Final = 1
"""Part of every version's hash. How a text is cut is not: `gapseek reindex` cuts anew and the version stays."""


def prepare(tenant: str, document: NewDocument, version: str, sizes: Sizes) -> ReadyVersion:
    """Cut and count a checked document; one that says nothing of access is open.

    Raises `errors.BadRequest` when there is nothing in it to index.
    """
    title = chunking.title_of(document)
    chunks = chunking.chunks(document, sizes)
    if not chunks:
        raise errors.BadRequest("The document has no text.")
    ready = []
    for chunk in chunks:
        text = indexed_text(title, chunk.heading, chunk.text)
        ready.append(ReadyChunk(chunk, text, digest(text), count(text)))
    return ReadyVersion(
        tenant=tenant,
        doc_id=document.doc_id,
        version=version,
        chunker=chunker_of(sizes),
        title=title,
        metadata=document.metadata,
        groups=tuple(sorted(document.groups or ())),
        text=document.text,
        chunks=tuple(ready),
        extracted=document.extracted,
    )


def version_of(document: NewDocument) -> str:
    """Hash of all that makes a version: text, title and metadata as given. Access is no part of it."""
    content = [_FORM, document.title, document.text, dict(document.metadata)]
    return digest(json.dumps(content, sort_keys=True, ensure_ascii=False))[:16]
