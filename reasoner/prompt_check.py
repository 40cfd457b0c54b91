"""What is wrong with a prompt file, in sentences that name file, section and what is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from string import Template
from typing import Final

from context.reasoning import BANDS
from evidence import Band
from reasoner.blocks import TAGS
from reasoner.templates import NEEDED, Section, cases, sections
from text.token_estimate import estimate_tokens

ANCHORED: Final = "evaluate"
"""The stem of the prompt that states the anchors of a grade."""

_DELIMITED = re.compile(rf"<({'|'.join(TAGS)})>\s*\$(?:\w+|\{{\w+\}})\s*</\1>")
_BAND = re.compile(rf"(?<![A-Za-z])({'|'.join(BANDS)})(?![A-Za-z])")
_NEXT: Final = 10
"""Characters after a stray dollar sign that tell where it stands."""


def problems(file: str, markdown: str) -> list[str]:
    """What keeps a file from being used, empty for a good one."""
    stem = file.partition(".")[0]
    before, found = sections(markdown)
    wrong = [f"{file} has text before its first heading, which no model would see."] if before else []
    wrong += _missing_and_unknown(file, stem, found)
    for section in found:
        wrong += [f"{file}, `{section.heading}`: {problem}" for problem in _in_section(section, NEEDED[stem])]
    if stem == ANCHORED:
        wrong += [f"{file} {sentence}" for sentence in _anchors_missing(markdown)]
    return wrong


def advice(file: str, markdown: str, most: int) -> list[str]:
    """What is unwise in a good file: nothing to go by once a server has cut off a long prompt's beginning, and more
    than so many tokens of its own."""
    told = []
    for case, prompt in cases(markdown).items():
        heading, last_words = Section("User", case, "").heading, after_the_data(prompt.user)
        if not last_words:
            told.append(f"{file}, `{heading}`: no instruction stands after the data, where no server cuts it off.")
        elif file.startswith(ANCHORED) and _anchors_missing(last_words):
            told.append(
                f"{file}, `{heading}`: the anchors do not stand again after the data, where none cuts them off."
            )
        tokens = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        if tokens > most:
            told.append(f"{file}, `{heading}`: it takes some {tokens} tokens, where budgets count on {most}.")
    return told


def after_the_data(user: str) -> str:
    """What a user section says after its last placeholder."""
    ends = [match.end() for match in _DELIMITED.finditer(user)]
    return user[ends[-1] :].strip() if ends else ""


def _missing_and_unknown(file: str, stem: str, found: list[Section]) -> Iterator[str]:
    """Each case needs both sections, once."""
    counted = Counter(section.heading for section in found)
    needed = [Section(role, case, "").heading for case in NEEDED[stem] for role in ("System", "User")]
    yield from (f"{file} has no section `{heading}`." for heading in needed if heading not in counted)
    for heading, times in counted.items():
        if heading not in needed:
            yield f"{file} has a section `{heading}` that nothing asks for; there are {', '.join(needed)}."
        elif times > 1:
            yield f"{file} has {times} sections `{heading}`."


def _in_section(section: Section, known: Mapping[str, frozenset[str]]) -> Iterator[str]:
    if not section.body:
        yield "it is empty."
    elif section.role == "System":
        named = sorted(Template(section.body).get_identifiers())
        yield from (f"${name} stands where nothing is filled in; it belongs under `# User`." for name in named)
    elif section.case in known:
        yield from _stray(section.body)
        yield from _placeholders(section.body, known[section.case])


def _stray(user: str) -> Iterator[str]:
    for match in Template.pattern.finditer(user):
        if match["invalid"] is not None:
            near = " ".join(user[match.end() :][:_NEXT].split())
            yield f"the $ before '{near}' begins no placeholder; a dollar sign itself is written $$."


def _placeholders(user: str, needed: frozenset[str]) -> Iterator[str]:
    """Each is used, no other is, and each stands alone between a tag and its end, which no document can forge."""
    named = set(Template(user).get_identifiers())
    yield from (f"${name} is missing." for name in sorted(needed - named))
    known = ", ".join(f"${name}" for name in sorted(needed))
    yield from (f"${name} is no placeholder here; there are {known}." for name in sorted(named - needed))
    bare = set(Template(_DELIMITED.sub("", user)).get_identifiers()) & needed
    yield from (
        f"${name} must stand alone between a tag and its end, such as <{_tag(name)}> and </{_tag(name)}>, so that "
        "nothing in it can pose as an instruction."
        for name in sorted(bare)
    )


def _tag(placeholder: str) -> str:
    return placeholder if placeholder in TAGS else "reason"


def _anchors_missing(markdown: str) -> list[str]:
    bands = [band for band in BANDS if not _states(markdown, band)]
    return [f"does not state the anchor `{band}` beside {_edge(band)}." for band in bands]


def _edge(band: Band) -> float:
    """The number by which a prompt tells a band from the next: its lower end, of the last one the upper."""
    low, high = BANDS[band]
    return low or high


def _states(markdown: str, band: Band) -> bool:
    """Whether the band's edge stands next to its name: with no other band's name between them."""
    pieces = _BAND.split(markdown)
    edge = re.compile(rf"(?<![\d.]){re.escape(str(_edge(band)))}0?(?!\d)")
    beside = (pieces[place - 1] + pieces[place + 1] for place, piece in enumerate(pieces) if piece == band)
    return any(edge.search(text) for text in beside)
