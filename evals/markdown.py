"""Tables in Markdown, and a page whose tables are written by the machine: numbers are never typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from errors import BadRequest

_BLOCK: Final = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns after the first are numbers and stand to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fill(page: str, blocks: Mapping[str, str]) -> str:
    """The page with the content of every marked block replaced. Raises `BadRequest` for a block that nobody writes."""

    def content(found: re.Match[str]) -> str:
        if found["name"] not in blocks:
            raise BadRequest(f"Nothing is known about the table named {found['name']}.")
        return f"{found[1]}{blocks[found['name']]}\n{found[3]}"

    return _BLOCK.sub(content, page)
