"""An HTML page, in the encoding that it names or that can be told."""

from __future__ import annotations

import codecs
import re
from typing import Final

import errors
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits
from corpus.ingest.convert.markdown import markdown
from corpus.ingest.decode import Decoded, decode
from corpus.ingest.unread_access import refuse_unread

_NAMED: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,40})", re.IGNORECASE)
_LOOKED_AT: Final = 4_096
_BEFORE: Final = re.compile(
    r"(?:\s|<!--.{0,2000}?-->|<!doctype[^>]{0,200}>)*+([^<]{1,2000})", re.DOTALL | re.IGNORECASE
)
"""The text before any element, where a generator of sites has its front matter."""


def convert(data: bytes, limits: Limits) -> Converted:
    """Raises `errors.BadRequest` for what is no text and for a page with too many table cells, or with front
    matter that names `access`, which pages have not."""
    decoded = _decoded(data)
    if before := _BEFORE.match(decoded.text):
        refuse_unread("\n".join(before[1].splitlines()))
    text, title = markdown(decoded.text, limits.cells)
    if not text.strip():
        raise errors.BadRequest("The page has no text of its own; a script may have to bring it.")
    return Converted(text, " ".join((title or "").split()) or None, decoded.note)


def _decoded(data: bytes) -> Decoded:
    """By mark or UTF-8 if it can be, since pages err more often than bytes; then as the page says."""
    named = _NAMED.search(data[:_LOOKED_AT])
    try:
        return decode(data, last=named is None)
    except errors.BadRequest:
        if named is None:
            raise
    try:
        encoding = codecs.lookup(named[1].decode("ascii")).name
        return Decoded(data.decode("gb18030" if encoding in ("gb2312", "gbk") else encoding))
    except (LookupError, UnicodeDecodeError) as error:
        raise errors.BadRequest("The page is not in the encoding that it names.") from error
