"""Lines at the top of a file that seem to say who may see it, in a form that is not read.

To take them for text would show the file to everybody, so it is refused; prose with a line `Access: …` is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from unicodedata import category, normalize

import errors

_HEAD: Final = 2_000
"""Characters in which a file says such things."""
_BLANKS: Final = "\u034f\u115f\u1160\u180e\u3164\ufe0e\ufe0f"
"""Invisible, though Unicode counts them among letters and accents."""
_DASHES: Final = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-", "\u2500": "-"}
)
_LONG_DASHES: Final = re.compile("[\u2014\u2015\u2e3a\u2e3b]")
_OTHER_WORDS: Final = re.compile(r"access(?:ed|ib|ion|or)\w*")
_KEY: Final = r"(?:access?(?:[ _.-]?\w+)?|(?:访问|訪問)(?:权限|權限|控制|组|組|群组)?)"
_NAME: Final = re.compile(_KEY)
_LINE: Final = re.compile(rf"(?:<!--|[-+;]{{3,}}|[%:{{\[\"'*_`\s])*(?P<key>{_KEY})[\]\"'*_`\s]*[:=](?P<value>.*)")
_TABLE: Final = re.compile(rf"\s*\[{_KEY}\]\s*")
_INLINE: Final = re.compile(rf"[{{,]\s*[\"']?{_KEY}[\"']?\s*:\s*[\[{{\"']")
_PAIR: Final = re.compile(r"(?:<!--|[%:{\[\"'*_`\s])*\w[\w .-]{0,40}[\]\"'*_`\s]*[:=](?!//)")
_FENCE: Final = re.compile(r"\s*(?:[-+;]{3,}|```|~~~|\{\s*$)")
_ASIDE: Final = re.compile(r"\s*(?:$|#|//|<!--|.*-->\s*$)")
_CODE: Final = re.compile(r"\s*(```|~~~)")
_SHORT: Final = re.compile(r"\s*[\w/@-]{1,40}(?:[\s,;]+[\w/@-]{1,20}){0,2}\s*")


def folded(line: str) -> str:
    """A line as a reader sees it: Unicode form NFKC, without case and invisible characters, and dashes as `-`."""
    seen = "".join(char for char in normalize("NFKC", line) if char == "\t" or _is_seen(char))
    return _LONG_DASHES.sub("---", seen.translate(_DASHES)).casefold()


def means_access(key: str) -> bool:
    """Whether somebody who wrote this key meant `access`, however it is spelled; `accessed` is another word."""
    name = folded(key).strip()
    return not _OTHER_WORDS.fullmatch(name) and (name.startswith("acces") or _NAME.fullmatch(name) is not None)


def refuse_unread(text: str) -> None:
    """Raises `errors.BadRequest` when the first lines of what is no front matter seem to state access."""
    top = True
    for lines in _paragraphs(text[:_HEAD]):
        if any(_states(lines, place, top) for place in range(len(lines))):
            raise errors.BadRequest(
                "The first lines name `access` but are no front matter: write `access: {groups: [name, …]}`"
                " between two lines of --- at the very top, with `groups: []` for everybody (docs/files.md)."
            )
        top = top and all(map(_is_aside, lines))


def _is_seen(char: str) -> bool:
    return category(char) not in ("Cf", "Cc") and char not in _BLANKS


def _is_aside(line: str) -> bool:
    """A heading, a comment or a fence may stand before metadata."""
    return bool(_ASIDE.match(line) or _FENCE.match(line))


def _paragraphs(head: str) -> Iterator[list[str]]:
    """Folded lines between blank ones, without code that comes after text: that is an example."""
    lines: list[str] = []
    closes: str | None = None
    for line in map(folded, head.split("\n")):
        mark = _CODE.match(line)
        if closes is not None:
            closes = None if mark and mark[1] == closes else closes
            line = ""
        elif mark and not all(map(_is_aside, lines)) and not any(map(_CODE.match, lines)):
            closes, line = mark[1], ""
        lines.append(line)
    for blank, run in groupby(lines, lambda line: not line.strip()):
        if not blank:
            yield list(run)


def _states(lines: Sequence[str], place: int, top: bool) -> bool:
    """Whether this line of a paragraph states access; one at the `top` has no text before it."""
    line = lines[place]
    if _TABLE.fullmatch(line) or _INLINE.search(line):
        return True
    said = _LINE.match(line)
    if said is None or _OTHER_WORDS.fullmatch(said["key"]):
        return False
    after = lines[place + 1] if place + 1 < len(lines) else ""
    return _is_value(said["value"], after, top) or _in_block(lines, place, top, said["value"])


def _is_value(value: str, after: str, top: bool) -> bool:
    """Whether it is written as a value of `access` is; a Markdown link is not."""
    listed = top and re.match(r"\s*\[(?![^\]]*\]\()", value)
    below = not value.strip() and re.match(r"\s*[\"']?groups?[\"']?\s*[:=]", after)
    return bool(listed or below or re.match(r"\s*(?:\{|[\"']?groups?[\"']?\s*[:=])", value))


def _in_block(lines: Sequence[str], place: int, top: bool, value: str) -> bool:
    """Whether the line stands among others like it or below a fence, as metadata do."""
    before, after = lines[:place], lines[place + 1 :]
    if not all(_PAIR.match(line) or _is_aside(line) or line[:1].isspace() for line in before):
        return False
    pairs = sum(bool(_PAIR.match(line)) for line in lines)
    fenced = bool(_FENCE.match(lines[place])) or any(map(_FENCE.match, before))
    if fenced:
        return top or pairs > 1 or any(map(_FENCE.match, after))
    return top and (pairs > 1 or (not after and _SHORT.fullmatch(value) is not None))
