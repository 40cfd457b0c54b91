"""Bytes of a Markdown or text file to a document."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Final

import frontmatter
import yaml

import errors
from corpus.documents import NewDocument

SUFFIXES: Final = (".md", ".markdown", ".txt")
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read(doc_id: str, data: bytes) -> NewDocument:
    """A document of this file; front matter gives title, access and metadata. Raises `errors.BadRequest`."""
    if PurePosixPath(doc_id).suffix.lower() not in SUFFIXES:
        raise errors.BadRequest(f"Files of this kind are not read; these are: {', '.join(SUFFIXES)}.")
    text = decode(data)
    metadata, body = _front_matter(text)
    title = metadata.pop("title", None)
    return NewDocument(
        doc_id=doc_id,
        text=body,
        title=None if title is None else str(title),
        metadata=metadata,
        groups=_groups(metadata.pop("access", None)),
    )


def decode(data: bytes) -> str:
    """Text by byte order mark, else UTF-8, else GB 18030 (a superset of GBK). Raises `errors.BadRequest`."""
    encodings = [encoding for mark, encoding in _MARKS if data.startswith(mark)] or ["utf-8", "gb18030"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise errors.BadRequest("The file is not text in UTF-8, UTF-16 or GB 18030.")


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Metadata and the text after it; a text that merely begins with a rule has none."""
    try:
        post = frontmatter.loads(text)
    except yaml.YAMLError as error:
        raise errors.BadRequest("The front matter is not valid YAML.") from error
    except (AttributeError, TypeError, ValueError):
        return {}, text
    return dict(post.metadata), post.content


def _groups(access: object) -> frozenset[str]:
    """`access: {groups: [...]}`, read strictly: a mistake must not make a document public."""
    if access is None:
        return frozenset()
    groups = access.get("groups") if isinstance(access, dict) else None
    if not isinstance(groups, list) or not all(isinstance(group, str) and group for group in groups):
        raise errors.BadRequest("`access` must look like {groups: [name, …]}.")
    return frozenset(groups)
