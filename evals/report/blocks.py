"""What a report consists of, whatever it is written in."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """Columns after the first `words` ones are numbers. `note` says how to read it, `source` where its numbers are
    from: command, seed and versions."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    source: str
    note: str = ""
    words: int = 1


@dataclass(frozen=True)
class Plot:
    """A picture as SVG; `told` says the same in words, for who cannot see it."""

    title: str
    svg: bytes
    told: str
    source: str


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    words: str


Block = Table | Plot | Text


@dataclass(frozen=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """`findings` are the sentences that the summary consists of."""

    title: str
    sections: tuple[Section, ...]
    findings: tuple[str, ...]
    source: str
    warnings: tuple[str, ...] = field(default=())
