"""A document as given to a version ready for the store, but for its vectors."""

from __future__ import annotations

import json

import errors
from corpus.documents import NewDocument, digest, indexed_text
from corpus.ingest import chunks as chunking
from corpus.store.records import ReadyChunk, ReadyVersion
from corpus.store.terms import count


def prepare(tenant: str, document: NewDocument, version: str) -> ReadyVersion:
    """Cut and count a checked document. Raises `errors.BadRequest` when there is nothing in it to index."""
    title = chunking.title_of(document)
    chunks = chunking.chunks(document)
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
        title=title,
        metadata=document.metadata,
        groups=tuple(sorted(document.groups)),
        text=document.text,
        chunks=tuple(ready),
    )


def version_of(document: NewDocument) -> str:
    """Hash of all that makes a version: text, title, metadata, and the rules of cutting. Access is no part of it."""
    content = [chunking.RULES, document.title, document.text, dict(document.metadata)]
    return digest(json.dumps(content, sort_keys=True, ensure_ascii=False))[:16]
