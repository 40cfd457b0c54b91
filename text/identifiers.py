"""Which codes does a text name: models, errors, versions, standards, articles? Each belongs to a family of neighbours.

X200-Pro and X200 are two members of one family, as are E1001 and E1003, V2.3.1 and V2.3.9, 第三十条 and 第31条.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from text.codes import CODE, code_words, is_measure
from text.normalise import fold
from text.numbers import normalise_numbers

ARTICLE: Final = "第条"
"""The family of a law's articles."""
VERSION: Final = "v"

_DIGITS: Final = r"\d{1,9}"
"""More are no number of anything; Python refuses to read one of more than 4,300."""
_NUMBER: Final = rf"{_DIGITS}(?:\.{_DIGITS})*"
_VERSIONED: Final = r"(?:版本号?|固件|version|ver\.?|release|firmware)[\s:为是]{0,2}"
_PIECE: Final = re.compile(
    rf"第\s?(?P<article>{_DIGITS})\s?条(?:之(?P<sub>[一二三四五六七八九\d]))?|\b(?:article|art\.)\s(?P<english>{_DIGITS})\b"
    rf"|{_VERSIONED}v?(?P<version>\d+(?:\.\d+)+)|(?P<code>{CODE})"
)
_FAMILY: Final = re.compile(r"(?P<letters>0x(?=[\da-f])|[a-z]+)[-_.]?(?P<rest>\d.*|(?<=0x).+)")
_NOT_CODES: Final = re.compile(r"@|://|^www\.|&|\+\+|#")
_NEXT: Final = re.compile(r"(?<=\d)[-_/](?=[a-z]+[-_]?\d)|/")
_TO: Final = r"\s?(?:[-~至到]|to|through|and|及)\s?"
_AND_UP: Final = (
    r"\s?(?:及|或|和)?\s?(?:其)?(?:以上|之后|以后|更高|更新)|\s(?:and|or)\s(?:later|above|newer|higher|up)|\+"
)
_AND_DOWN: Final = r"\s?(?:及|或|和)?\s?(?:其)?(?:以下|之前|以前|更低|更早)|\s(?:and|or)\s(?:earlier|below|older|lower)"
_SERIES: Final = r"\s?(?:全?系列|series|family)"
_STANDARD: Final = re.compile(r"(?:gb|jgj|tsg|cj|iso|iec|ieee|astm|din|db)[a-z]?\d")
_SQUEEZED: Final = re.compile(r"[-_\s/]")
_SUFFIX: Final = r"(?![a-z0-9]|[-_./]?\s?(?:pro|max|plus|ultra|mini|lite|air|turbo)\b|[-_]\w|\.\d)"


@dataclass(frozen=True)
class Identifier:
    """A code in one spelling, `x200-pro`, and its family, `x`."""

    family: str
    whole: str

    @property
    def key(self) -> str:
        """The same for X200-Pro, X200 Pro and x200pro, and for GB/T 7588 and GB 7588."""
        return _SQUEEZED.sub("", self.plain)

    @property
    def plain(self) -> str:
        """Without the /T of a recommended standard, which is often left out."""
        return re.sub(r"^([a-z]{2,5})/t(?=\d)", r"\1", self.whole)

    @property
    def number(self) -> tuple[int, ...] | None:
        """What orders the family, (2, 3, 1) of v2.3.1; None where letters follow the digits."""
        rest = self.plain.removeprefix(self.family).lstrip("-_")
        return tuple(int(part) for part in rest.split(".")) if re.fullmatch(_NUMBER, rest) else None

    @property
    def shown(self) -> str:
        return self.whole if self.family == ARTICLE else self.whole.upper()


@lru_cache(maxsize=4096)
def identifiers(text: str) -> tuple[Identifier, ...]:
    """The codes of a text, each once, in order. Measures (3.5mm), links, addresses and plain numbers are none."""
    folded = readable(text)
    return tuple(dict.fromkeys(one for piece in _PIECE.finditer(folded) for one in _of(piece)))


@lru_cache(maxsize=4096)
def readable(text: str) -> str:
    """The text as codes are read from it: folded, numbers in digits."""
    return normalise_numbers(fold(text)).replace("—", "-").replace("–", "-")


def names(text: str, asked: Identifier) -> bool:
    """Whether a text names the code: in any spelling, in a list, as the start of it (V2.3 of V2.3.1, GB 7588 of
    GB 7588-2003), inside a range (E1001–E1010, V2.0 and later), or with its whole series (X200 系列)."""
    if any(_covers(one, asked) for one in identifiers(text)):
        return True
    folded = readable(text)
    return bool(_spelling(asked).search(folded)) or _in_series(folded, asked) or _in_range(folded, asked)


def _of(piece: re.Match[str]) -> Iterator[Identifier]:
    if number := piece["article"] or piece["english"]:
        sub = normalise_numbers(f"第{piece['sub']}条")[1:-1] if piece["sub"] else ""
        yield Identifier(ARTICLE, f"第{int(number)}条" + (f"之{sub}" if sub else ""))
    elif piece["version"]:
        yield Identifier(VERSION, f"v{piece['version']}")
    elif not piece["code"].isalpha() and not _NOT_CODES.search(piece["code"]) and not is_measure(piece["code"]):
        yield from _of_code(piece["code"])


def _of_code(code: str) -> Iterator[Identifier]:
    """One, or the members of a list or range that is written without blanks: x200/x200-pro, e1001-e1010."""
    whole = next(iter(code_words(code))).rstrip("=")
    parts = [whole] if re.match(r"[a-z]+/[a-z]+\d", whole) else _NEXT.split(whole)
    first = _FAMILY.fullmatch(parts[0])
    for part in parts:
        if found := _FAMILY.fullmatch(part):
            yield Identifier(_family(found["letters"]), part)
        elif first and part.isalpha() and len(parts) > 1:
            yield Identifier(_family(first["letters"]), f"{parts[0]}-{part}")
    if len(parts) == 1 and (standard := re.match(r"([a-z]+)/[a-z]+(?=\d)", whole)):
        yield Identifier(standard[1], whole)


def _family(letters: str) -> str:
    return VERSION if letters in ("ver", "version") else letters


def _covers(one: Identifier, asked: Identifier) -> bool:
    if one.family != asked.family:
        return False
    if one.key == asked.key:
        return True
    wide, narrow = sorted((one.plain, asked.plain), key=len)
    has_parts = asked.family == VERSION or _STANDARD.match(asked.plain)
    return bool(has_parts) and bool(re.match(rf"{re.escape(wide)}[-.:]\d", narrow))


def _spelling(asked: Identifier) -> re.Pattern[str]:
    """The code with blanks or hyphens between its parts, or none."""
    parts = re.findall(r"[a-z]+|\d+(?:\.\d+)*|[^\W\d_a-z]+", asked.whole)
    optional = "v?" if asked.family == VERSION else ""
    body = r"[-_\s./]?".join(re.escape(part) for part in (parts[1:] if optional else parts))
    return re.compile(rf"(?<![a-z0-9.]){optional}{body}{_SUFFIX}")


def _in_series(folded: str, asked: Identifier) -> bool:
    """Whether the text names a series that the code is of, or the code itself is one (X200 系列)."""
    members = re.finditer(rf"(?<![a-z0-9])({re.escape(asked.family)}[-_]?\d[\w.]*?){_SERIES}", folded)
    return any(asked.key.startswith(_SQUEEZED.sub("", found[1])) for found in members)


def _in_range(folded: str, asked: Identifier) -> bool:
    number = asked.number
    if number is None:
        return False
    one = rf"(?<![a-z0-9.]){re.escape(asked.family)}[-_]?({_NUMBER})(?!\d)"
    for found in re.finditer(rf"{one}{_TO}(?:{re.escape(asked.family)}[-_]?)?({_NUMBER})(?!\d)", folded):
        if _ordered(found[1]) <= number <= _ordered(found[2]):
            return True
    above = (number >= _ordered(found[1]) for found in re.finditer(f"{one}(?:{_AND_UP})", folded))
    below = (number <= _ordered(found[1]) for found in re.finditer(f"{one}(?:{_AND_DOWN})", folded))
    return any(above) or any(below)


def _ordered(digits: str) -> tuple[int, ...]:
    return tuple(int(part) for part in digits.split("."))
