"""A sentence on what the sources disagree about: does it give one side as plain fact, or a value that no side has?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evidence import Disagreement, Side
from policy.claims import says_the_same, tells_disagreement
from state import Language
from text.quantities import stated, unfounded

ONE_SIDE: Final[dict[Language, str]] = {"zh": "（另有资料说法不同）", "en": " (another source says otherwise)"}


@dataclass(frozen=True)
class Dispute:
    """The sides of a conflict, the numbers of the sources that are one, and those of all on its sub-question."""

    sides: tuple[Side, ...]
    of_sides: frozenset[int]
    of_all: frozenset[int]


def disputes(
    conflicts: Iterable[Disagreement], by_chunk: Mapping[str, int], by_question: Mapping[str, Collection[int]]
) -> tuple[Dispute, ...]:
    """The conflicts by the numbers of the answer's sources."""
    return tuple(
        Dispute(
            sides=tuple(conflict["sides"]),
            of_sides=frozenset(by_chunk[s["chunk_id"]] for s in conflict["sides"] if s["chunk_id"] in by_chunk),
            of_all=frozenset(by_question.get(conflict["sub_question_id"], ())),
        )
        for conflict in conflicts
    )


def stance(words: str, cited: Collection[int], among: Sequence[Dispute]) -> Literal["one side", "no side"] | None:
    """What a sentence that cites these sources makes of a dispute, None where it says both sides or neither.

    `no side`: it cites several and gives an amount that none has, such as their average.
    """
    stances = [_stance(words, cited, dispute) for dispute in among if dispute.of_all.intersection(cited)]
    return "no side" if "no side" in stances else next(filter(None, stances), None)


def _stance(words: str, cited: Collection[int], dispute: Dispute) -> Literal["one side", "no side"] | None:
    named = [side for side in dispute.sides if _names(words, side)]
    if named:
        return None if len(named) == len(dispute.sides) or tells_disagreement(words) else "one side"
    averaged = unfounded(words, [side["quote"] for side in dispute.sides]) and stated(words).amounts
    return "no side" if averaged and len(dispute.of_sides.intersection(cited)) > 1 else None


def _names(words: str, side: Side) -> bool:
    value, quote = side.get("value"), side["quote"]
    if value and stated(value).amounts:
        return not unfounded(value, [words])
    return says_the_same(quote, words) or (bool(stated(words).amounts) and not unfounded(words, [quote]))
