"""A document's text as sections: what stands under one path of headings, each article by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NUMERAL: Final = "[零〇一二两三四五六七八九十百千\\d]+"
_LABEL: Final = rf"(?P<label>第\s?{_NUMERAL}\s?条(?:之{_NUMERAL})?|案例\s?{_NUMERAL})"
_LINE: Final = re.compile(r"[^\n]+")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING: Final = re.compile(r"\s{0,3}(?P<marks>#{1,6})\s+(?P<title>\S.*)$")
_CLOSING: Final = re.compile(r"(?<=\s)#+$")
# At the start of a line and set off from what follows, so that 第六十一条规定的 inside prose starts nothing.
_ARTICLE: Final = re.compile(rf"\s*(?:\*\*|__)?{_LABEL}(?:\*\*|__)?(?=[\s　:：、.．【（(]|$)")
# A law's 第一章 总则 on a line of its own, which no Markdown marks; under every Markdown heading.
_CHAPTER: Final = re.compile(
    rf"\s*(?P<title>第\s?{_NUMERAL}\s?(?P<kind>[编篇章节])(?:[\s　]+[^\s。；，][^\n。；]{{0,39}})?)\s*$"
)
_LEVELS: Final = {"编": 7, "篇": 7, "章": 8, "节": 9}


@dataclass(frozen=True)
class Section:
    """`text[start:end]` of the document; `article` is its label, such as 第六十一条 or 案例一."""

    headings: tuple[str, ...]
    article: str | None
    start: int
    end: int


def sections(text: str) -> list[Section]:
    """Sections in order, headings left out of them. A blank one is not listed."""
    reader = _Reader(text)
    for line in _LINE.finditer(text):
        reader.read(line)
    reader.close(len(text))
    return reader.found or ([Section((), None, 0, len(text))] if text.strip() else [])


def first_heading(text: str) -> str | None:
    """The heading of the first level that opens the document, None when it opens otherwise."""
    for line in _LINE.finditer(text):
        if line[0].strip():
            heading = _HEADING.match(line[0])
            return _title(heading) if heading and heading["marks"] == "#" else None
    return None


class _Reader:
    """Goes through the lines once and keeps the path of headings and the open section."""

    def __init__(self, text: str) -> None:
        self.found: list[Section] = []
        self._text = text
        self._path: list[tuple[int, str]] = []
        self._article: str | None = None
        self._start = 0
        self._fenced = False

    def read(self, line: re.Match[str]) -> None:
        if _FENCE.match(line[0]):
            self._fenced = not self._fenced
        elif self._fenced:
            return
        elif heading := _HEADING.match(line[0]):
            self._enter(line, len(heading["marks"]), _title(heading))
        elif chapter := _CHAPTER.match(line[0]):
            self._enter(line, _LEVELS[chapter["kind"]], " ".join(chapter["title"].split()))
        elif article := _ARTICLE.match(line[0]):
            self.close(line.start())
            self._article = _label(article)

    def close(self, end: int) -> None:
        """End the open section here; the next one starts at the same place."""
        if self._text[self._start : end].strip():
            titles = tuple(title for _, title in self._path)
            self.found.append(Section(titles, self._article, self._start, end))
        self._start = end

    def _enter(self, line: re.Match[str], level: int, title: str) -> None:
        self.close(line.start())
        self._path = [above for above in self._path if above[0] < level] + [(level, title)]
        article = _ARTICLE.match(title)
        self._article = _label(article) if article else None
        self._start = line.end()


def _title(heading: re.Match[str]) -> str:
    """What a heading says, without the marks that may close it; the one of C# is no such mark."""
    said = heading["title"].rstrip()
    return _CLOSING.sub("", said).rstrip() or said


def _label(article: re.Match[str]) -> str:
    return "".join(article["label"].split())
