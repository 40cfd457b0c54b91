"""Whether what an answer quotes stands where it says: checked by code, against the documents as they were given."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from context.retrieval import Passage
from text.citing import CODE, MARKERS
from text.normalise import printable
from text.quotes import locate


def stands(quoted: Mapping[str, Any], passage: Passage | None, document: str) -> bool:
    """Whether `quote` is what `start` and `end` cut out of the chunk of that document and version, and, white space
    aside, stands in the document's own text."""
    return (
        passage is not None
        and (passage.doc_id, passage.version) == (quoted["doc_id"], quoted["version"])
        and passage.text[quoted["start"] : quoted["end"]] == quoted["quote"]
        and locate(quoted["quote"], printable(document)) is not None
    )


def dangling(answer: str, numbers: Collection[int]) -> list[int]:
    """Numbers that the answer cites and that no citation has; brackets inside backticks are code."""
    cited = (int(n) for marker in MARKERS.findall(CODE.sub("", answer)) for n in re.findall(r"\d+", marker))
    return [number for number in cited if number not in numbers]
