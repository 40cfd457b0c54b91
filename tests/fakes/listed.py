"""All that an index lists, for tests that ask what it holds."""

from __future__ import annotations

import asyncio

from context.retrieval import Principal
from corpus.documents import DocumentInfo
from corpus.index import Index

MOST = 1_000


async def listed(index: Index, principal: Principal) -> list[DocumentInfo]:
    """Documents that the principal may see, by doc_id."""
    page = await asyncio.to_thread(index.catalogue.page, principal, "", None, MOST)
    assert page.next is None
    return page.documents
