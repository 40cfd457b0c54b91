"""Metadata that a document states about itself, by rule. Wrong is worse than absent: only clear statements count.

| field | from |
|---|---|
| `title` | where none is given and no heading opens the text: a first line that stands alone |
| `year` | front matter's date, the title, the document's number, file and folder names, the date of effect |
| `kind` | the word that a title ends with, or a folder's name: 办法, 合同, 通知, policy, contract, report … |
| `place` | the province, city and district that the title, or a folder's name, begins with |
| `document_number` | 文号 such as 沪府规〔2024〕5号, on a line of its own near the top or after 文号 |
| `effective_from`, `effective_to` | 自2024年3月1日起施行, 有效期至…, effective 1 March 2024, valid until … |
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from corpus.documents import NewDocument
from corpus.ingest.effect import effect
from corpus.ingest.kinds import kind_of_folder, kind_of_title
from corpus.ingest.sections import first_heading
from text.dates import in_digits, parse_date
from text.normalise import clean, fold
from text.places import leading_places

FIELDS: Final = ("title", "year", "kind", "place", "document_number", "effective_from", "effective_to")
"""What `extract` may give."""

_DATED: Final = ("date", "published", "issued", "version_date", "日期", "发布日期", "颁布日期", "印发日期")
_HEAD: Final = 2_000
"""Characters in which a document introduces itself."""
_READ: Final = 200_000
_TITLE: Final = re.compile(r"[^#|*>\-\s][^\n]{1,58}[^。.!?！？;；:：,，、|\s]")
_YEAR: Final = re.compile(
    r"(?<![\d.:/-])(?P<dated>(?:19|20)\d\d)(?=年|版|[-_.]\d{1,2}(?!\d))"
    r"|[(\[〔【]\s?(?P<bracketed>(?:19|20)\d\d)\s?[)\]〕】]"
    r"|^(?P<leading>(?:19|20)\d\d)(?=[\s_.-]|$)"
    r"|(?<![\d:/])(?<!windows)(?<!office)(?<!server)(?<!studio)(?<!room)(?<!model)[\s_-](?P<trailing>(?:19|20)\d\d)$"
)
"""A bare number in the middle may be anything (Windows 2000 手册), and one with a unit is no year (2000元)."""
_YEARS: Final = re.compile(r"(?:19|20)\d\d年?\s?[-~至到—/]+\s?(?:19|20)\d\d(?!\d)")
_NUMBER: Final = r"[\u4e00-\u9fff]{2,12}\s?[〔\[(【]\s?(?:19|20)\d\d\s?[〕\])】]\s?第?\d{1,5}\s?号"
_NUMBER_LINE: Final = re.compile(rf"^[^\S\n]*(?:(?:发文字号|发文号|文\s?号)\s?:\s?)?({_NUMBER})[^\S\n]*$", re.MULTILINE)


def extract(document: NewDocument) -> dict[str, Any]:
    """The fields of the table above that the document is clear about, in plain JSON types, dates as ISO strings."""
    known = document.title or first_heading(document.text)
    title = known.strip() if known else _first_line(document.text[:_HEAD])
    stem, *folders = _names(document.doc_id)
    number = _number(in_digits(clean(document.text[:_HEAD])))
    start, end = effect(document.text[:_READ], title)
    facts = {
        "title": None if known else title or None,
        "year": _year(document.metadata, [title, number or "", stem, *folders], start),
        "kind": _kind([title, stem], folders),
        "place": _place(title, folders),
        "document_number": number,
        "effective_from": start.isoformat() if start else None,
        "effective_to": end.isoformat() if end else None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _names(doc_id: str) -> list[str]:
    """The file's name without its ending, then the folders', from the inside out."""
    path = PurePosixPath(doc_id)
    return [path.stem, *reversed(path.parts[:-1])]


def _first_line(head: str) -> str:
    """The first line when it is short, ends no sentence and stands alone, as titles do; otherwise empty."""
    first, _, rest = head.strip().partition("\n")
    alone = rest.startswith("\n") or len(rest.split("\n", 1)[0]) > len(first)
    return first.strip() if rest and alone and _TITLE.fullmatch(first.strip()) else ""


def _year(metadata: Mapping[str, Any], names: Sequence[str], effective: dt.date | None) -> int | None:
    """From the first place that names one; a place that names two, such as 2020-2023, is not clear and ends it."""
    for field in _DATED:
        if isinstance(value := metadata.get(field), str | dt.date) and (date := parse_date(str(value)[:10])):
            return date.year
    for name in names:
        folded = in_digits(fold(name)).strip()
        years = {int(found[found.lastgroup or 0]) for found in _YEAR.finditer(folded)}
        if years or _YEARS.search(folded):
            return years.pop() if len(years) == 1 and not _YEARS.search(folded) else None
    return effective.year if effective else None


def _kind(names: Sequence[str], folders: Sequence[str]) -> str | None:
    candidates = [kind_of_title(fold(name)) for name in names] + [kind_of_folder(fold(name)) for name in folders]
    return next(filter(None, candidates), None)


def _place(title: str, folders: Sequence[str]) -> str | list[str] | None:
    """One name, or several when they stand in a row: 浙江省杭州市."""
    for name in (title, *folders):
        places = leading_places(fold(name).lstrip("《"))
        if places:
            return places[0] if len(places) == 1 else places
    return None


def _number(head: str) -> str | None:
    """The only number on a line of its own: one inside a sentence is another document's."""
    found = {"".join(match[1].split()) for match in _NUMBER_LINE.finditer(head)}
    if len(found) != 1:
        return None
    opened = re.sub(r"[\[(【]", "〔", found.pop())
    return re.sub(r"[\])】]", "〕", opened).replace("〕第", "〕")
