"""Codes in a folded text, such as x200-pro, v2.3.1, gb/t 7588 or 3.5mm: whole, and their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from text.scripts import CJK, WORD

_STANDARD: Final = r"(?:[a-z]{1,6}\d{0,3}/[a-z]{1,5}|gbz?|jgj|tsg|cjj?|db\d{2}|iso|iec|ieee|astm|din)(?=\s{0,3}\d)"
_GRADE: Final = r"(?:pro|max|plus|ultra|mini|lite|air|turbo)"
"""What follows a model's number or name after a blank, as in iPhone 15 Pro Max."""
_MODEL: Final = rf"(?:[a-z]{{2,15}}\s\d{{1,4}}|[a-z]{{0,9}}\d[a-z\d]{{0,9}})(?:\s{_GRADE})+"
_UNIT: Final = r"(?:[mcku]m|[kcm]?m[23]|[mk]?g|ml|k?[wv]h?|[kmg]?hz|[kmgt]b|[kmg]?pa|ms|rpm|db|°c)"
_MEASURE: Final = rf"\d+(?:\.\d+)?\s?{_UNIT}"
_ENDS: Final = rf"(?![^\W{CJK}]|[-.]\w)"
_ADDRESS: Final = r"[a-z0-9][\w.+-]{0,60}@[a-z0-9-]+(?:\.[a-z0-9-]+)+"
_LINK: Final = r"(?:https?://|www\.)[a-z0-9][\w.-]*(?::\d+)?(?:/[\w./?%&=#~+:-]*)?"
_JOINED: Final = rf"{WORD}(?:(?:[-_/.&]|:(?=(?:19|20)\d\d(?!\d))){WORD})*(?:\+\+|\#)?"
_WITH_BLANKS: Final = rf"(?:{_MODEL}|{_MEASURE}){_ENDS}|{_STANDARD}\s{{0,3}}{_JOINED}"
CODE: Final = rf"(?:(?<![^\W_{CJK}])(?:{_ADDRESS}|{_WITH_BLANKS}))|{_LINK}|{_JOINED}"
"""One code or word, for a regular expression over text that is folded."""

_PART: Final = re.compile(WORD)
_MEASURED: Final = re.compile(rf"(?P<number>\d+(?:\.\d+)?)\s?(?P<unit>{_UNIT})")
_GRADED: Final = re.compile(_MODEL)
_MIXED: Final = re.compile(r"(?=.*\d)(?=.*[a-z])[a-z\d]+")
_NUMBERED: Final = re.compile(rf"^{_STANDARD}\s*")
_SCHEME: Final = re.compile(r"https?://(?:www\.)?|www\.")
_LONGEST: Final = 120
ALONE: Final = "="
"""Ends the token of a one-part code that stands alone: x200 by itself is not the x200 in x200-pro."""


def code_words(code: str) -> Iterator[str]:
    """The whole in one spelling, then the parts: the whole is what tells a code from a longer or shorter one."""
    if code.isalpha():  # a plain word, as most are
        yield code
        return
    if measured := _MEASURED.fullmatch(code):
        yield from ("".join(measured.groups()), *measured.groups())
        return
    parts = _PART.findall(_NUMBERED.sub(lambda name: f"{name[0].rstrip()} ", code))
    whole = _whole(code)
    if len(whole) <= _LONGEST:
        yield from _wholes(whole, parts)
    yield from parts


def is_measure(code: str) -> bool:
    """Whether a code counts something: 3.5mm, 220v."""
    return _MEASURED.fullmatch(code) is not None


def _whole(code: str) -> str:
    if _GRADED.fullmatch(code):
        return "-".join(code.split())
    scheme = _SCHEME.match(code)
    return code[scheme.end() :].rstrip("./?&#:-") if scheme else "".join(code.split())


def _wholes(whole: str, parts: list[str]) -> Iterator[str]:
    """Also each end of a range and a standard without its year: v2.0 of v2.0-v2.3, iso9001 of iso9001:2015."""
    if [whole] == parts:
        yield from [whole + ALONE] if _MIXED.fullmatch(whole) else []
        return
    yield whole
    for end in re.split("[-:]", whole):
        if end != whole and (re.search(r"[./]", end) or _NUMBERED.match(end)):
            yield end
