"""Is a document of another year than the edition or the period that the question names?

The year of an event (2019年签的合同到期了) says nothing of the document that answers. A question that names several
years is contradicted only by a document that fits none of them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from text.dates import in_digits, parse_date
from text.normalise import fold

YEAR: Final = r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?!\d)"
STANDING: Final = (
    "条例|办法|规定|细则|规范|标准|制度|政策|规则|章程|法典|laws?|acts?|regulations?|polic(?:y|ies)|rules?"
)
"""Documents that hold until they are replaced: one of an earlier year may still be in force."""
PERIODIC: Final = (
    "年报|报告|预算|决算|财报|报表|计划|总结|价目表?|价格表|报价|名单|目录|手册|指南|校历|奖学金|招生简章|reports?|budgets?|plans?|results"
    "|accounts|price lists?|statements?|handbooks?|guides?|catalogues?|surveys?"
)
"""Documents of one year."""
_REVISED: Final = "修订|修正|修改"
_ISSUED: Final = "发布|颁布|印发|公布|出台|制定|施行|实施|通过"
_DAY: Final = r"\s?年?(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?日)?(?:底|末|初|年底|年末)?\s?"
_BEFORE: Final = "(?:之?前|以前)"
_AFTER: Final = "(?:之?后|以后)"
_EDITIONS: Final = (
    rf"{YEAR}{_DAY}(?:(?:{_REVISED})(?P<rel1>{_BEFORE}|{_AFTER})?|(?P<rel2>{_BEFORE}|{_AFTER})的?版|的?版(?!权))",
    rf"{YEAR}{_DAY}(?:{_ISSUED})的?[^,。?!;]{{0,12}}?(?:{STANDING}|{PERIODIC})",
    rf"{YEAR}\s(?:edition|version|revision|amendment)\b",
    rf"\b(?:edition|version|revision|amendment)\s(?:of|from)\s{YEAR}",
    rf"\b(?:{STANDING}|{PERIODIC})\s(?:as\s)?(?:amended|revised|issued|published)\sin\s{YEAR}",
)
EVENT: Final = "(?!签|订|发生|购|买|入|租|因|被|在|到|起|开始|以|前|后)"
_PERIODS: Final = (
    rf"{YEAR}\s?年度?的?{EVENT}[^,。?!;的]{{0,6}}?(?P<noun>{STANDING}|{PERIODIC})",
    rf"{YEAR}\s(?:[a-z]+\s){{0,2}}?(?P<noun>{STANDING}|{PERIODIC})\b",
    rf"\b(?P<noun>{STANDING}|{PERIODIC})\s(?:for|of|in)\s{YEAR}",
)
_BESIDE: Final = re.compile(r"((?:19|20)\d\d)\s?年?度?\s?(?:[和与及或、至到~-]|and|to|or|vs\.?)\s?$")
_DATED: Final = ("date", "published", "issued", "version_date", "日期", "发布日期", "颁布日期", "印发日期")


@dataclass(frozen=True)
class _Asked:
    """A year that is asked for: of an edition, or a period in which a document shall hold."""

    year: int
    what: Literal["edition", "before", "after", "standing", "periodic"]


def other_year(sub_question: str, question: str, title: str, metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    """The document's year and those asked for; None when nothing contradicts."""
    asked = list(_asked(sub_question)) or list(_asked(question))
    if not asked:
        return None
    first, last = (_date(metadata.get(field)) for field in ("effective_from", "effective_to"))
    year = _year(metadata) or (first.year if first else None)
    named = {int(found["year"]) for found in re.finditer(YEAR, in_digits(fold(title)))}
    if year is None or any(one.year in named or _fits(one, year, first, last) for one in asked):
        return None
    return str(year), "、".join(sorted({str(one.year) for one in asked}))


def _asked(text: str) -> Iterator[_Asked]:
    read = in_digits(fold(text))
    for pattern in _EDITIONS:
        for found in re.finditer(pattern, read):
            relation = found.groupdict().get("rel1") or found.groupdict().get("rel2") or ""
            yield _Asked(int(found["year"]), "before" if "前" in relation else "after" if relation else "edition")
    for pattern in _PERIODS:
        for found in re.finditer(pattern, read):
            what: Literal["standing", "periodic"] = "standing" if re.fullmatch(STANDING, found["noun"]) else "periodic"
            yield _Asked(int(found["year"]), what)
            yield from (_Asked(int(year), what) for year in _BESIDE.findall(read[: found.start()]))


def _fits(asked: _Asked, year: int, first: dt.date | None, last: dt.date | None) -> bool:
    if asked.what == "edition":
        return year == asked.year
    if asked.what == "before":
        return year < asked.year
    if asked.what == "after":
        return year >= asked.year
    begun = (first.year if first else year) <= asked.year
    if last is not None:
        return begun and asked.year <= last.year
    return year == asked.year or (asked.what == "standing" and begun)


def _year(metadata: Mapping[str, Any]) -> int | None:
    """The field of that name, or the year of a date."""
    for value in (metadata.get("year"), metadata.get("年份")):
        if value is not None and re.fullmatch(r"(?:19|20)\d\d年?", str(value)):
            return int(str(value)[:4])
    dates = (date for field in _DATED if (date := _date(metadata.get(field))))
    return next((date.year for date in dates), None)


def _date(value: object) -> dt.date | None:
    return parse_date(str(value)[:10]) if isinstance(value, str | dt.date) else None
