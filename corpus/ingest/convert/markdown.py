"""HTML to Markdown: headings, lists, tables and code stay; scripts, styles and navigation go."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

import errors
from corpus.ingest.convert.grid import Grid, span

_SILENT: Final = frozenset(
    ("script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas", "button", "select", "head")
)
_NAVIGATION: Final = frozenset({"nav"})
_BLOCKS: Final = frozenset(
    (
        "address",
        "article",
        "blockquote",
        "body",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    )
)
_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_BODY: Final = _BLOCKS | _HEADINGS.keys() | {"body", "pre"}
# The parser's own way over unclosed ones takes the square of their number.
_DECLARATIONS: Final = re.compile(r"<!--.*?(?:-->|\Z)|<![^>]*(?:>|\Z)", re.DOTALL)
_ITEM: Final = re.compile(r"\s*(?:-|\d+\.) ")
_SPACE: Final = re.compile(r"\s+")


def markdown(html: str, most_cells: int) -> tuple[str, str | None]:
    """The text of a page, and what its `title` says. Raises `errors.BadRequest` for a page of more table cells."""
    page = _read(html, most_cells, _SILENT | _NAVIGATION)
    if not page.blocks:  # all of it stood in a navigation, perhaps in one that never ends
        page = _read(html, most_cells, _SILENT)
    return "\n\n".join(page.blocks), page.title


def _read(html: str, most_cells: int, silent: frozenset[str]) -> _Page:
    page = _Page(most_cells, silent)
    page.feed(_DECLARATIONS.sub("", html))
    page.close()
    page.finish()
    return page


class _Page(HTMLParser):
    """Collects blocks as tags come; a page that forgets to close some loses no text."""

    def __init__(self, most_cells: int, silent: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self._is_silent = silent
        self.blocks: list[str] = []
        self.title: str | None = None
        self._inline: list[str] = []
        self._prefix = ""
        self._after_item = False
        self._silent: list[str] = []
        self._titled = False
        self._code = 0
        self._lists: list[int | None] = []
        self._tables: list[Grid] = []
        self._most_cells = self._cells_left = most_cells

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent[:1] == ["head"] and tag in _BODY:
            self._silent.clear()
        if tag == "title" and self.title is None and self._silent[:1] in ([], ["head"]):
            self._titled, self.title = True, ""
        elif tag in self._is_silent or self._silent:
            # Only tags of the same name are counted: other ones within need no end to be trusted.
            if not self._silent or tag == self._silent[0]:
                self._silent.append(tag)
        elif tag == "br":
            self._inline.append("\n" if self._code or not self._tables else " ")
        elif tag in _HEADINGS or tag in _BLOCKS or tag == "pre":
            self._open_block(tag)
        elif tag in ("td", "th"):
            self._open_cell(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title" and self._titled:
            self._titled = False
        elif self._silent:
            if tag == self._silent[0]:
                self._silent.pop()
        elif tag in _HEADINGS or tag in _BLOCKS or tag == "pre":
            self._close_block(tag)
        elif tag in ("td", "th"):
            self._close_cell()

    def handle_data(self, data: str) -> None:
        if self._titled:
            self.title = (self.title or "") + data
        elif not self._silent:
            self._inline.append(data if self._code else _SPACE.sub(" ", data))

    def finish(self) -> None:
        """Close what the page left open."""
        while self._tables:
            self._close_table()
        self._fence() if self._code else self.block()

    def block(self) -> None:
        """End the block at hand; within a table's cell, text just goes on."""
        if self._tables and self._tables[-1].open:
            self._inline.append(" ")
            return
        text = "".join(self._inline)
        self._inline.clear()
        if not self._code:
            text = "\n".join(line.strip() for line in text.split("\n")).strip()
        if text.strip():
            self._add(f"{self._prefix}{text}")
            self._prefix = ""

    def _add(self, text: str) -> None:
        """A block of its own, or another item of the list at hand."""
        is_item = bool(_ITEM.match(self._prefix))
        if is_item and self._after_item:
            self.blocks[-1] += f"\n{text}"
        else:
            self.blocks.append(text)
        self._after_item = is_item

    def _open_block(self, tag: str) -> None:
        if tag == "tr":
            self._close_cell()
        self.block()
        if tag == "table":
            self._tables.append(Grid(self._inline))
            self._inline = []
        elif tag == "tr" and self._tables:
            self._tables[-1].row()
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "pre":
            self._code += 1
        elif tag == "li":
            self._prefix = self._bullet()
        elif tag in _HEADINGS and not self._tables:
            self._prefix = f"{_HEADINGS[tag]} "

    def _close_block(self, tag: str) -> None:
        if tag == "pre" and self._code:
            self._fence()
        self.block()
        if tag == "li" or tag in _HEADINGS:
            self._prefix = ""
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "table" and self._tables:
            self._close_table()

    def _bullet(self) -> str:
        indent = "  " * (len(self._lists) - 1)
        if not self._lists or self._lists[-1] is None:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "

    def _fence(self) -> None:
        self._code = 0
        if not self._tables:
            code = "".join(self._inline).strip("\n")
            self._inline.clear()
            self._add(f"```\n{code}\n```")

    def _open_cell(self, attributes: dict[str, str | None]) -> None:
        if self._tables:
            self._close_cell()
            self.block()
            wide = span(attributes.get("colspan"))
            self._cells_left -= wide
            if self._cells_left < 0:
                raise errors.BadRequest(f"The file has more than {self._most_cells:,} cells.")
            self._tables[-1].cell(wide, span(attributes.get("rowspan")))

    def _close_cell(self) -> None:
        if self._tables and self._tables[-1].open:
            self._tables[-1].fill("".join(self._inline))
            self._inline.clear()

    def _close_table(self) -> None:
        self._close_cell()
        self.block()
        inner = self._tables.pop()
        self._inline = inner.before
        if self._tables and self._tables[-1].open:
            self._inline.append(f" {inner.text()} ")
        elif text := inner.text():
            self._add(text)
