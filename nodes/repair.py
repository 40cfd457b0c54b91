"""What a grader got wrong, made good and counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from context.reasoning import BANDS, Judgement, clamp
from context.retrieval import Passage
from evidence import Band, Repairs
from state import SubQuestion
from text.quotes import locate

_BELOW: Final[dict[Band, Band]] = dict(pairwise(BANDS))


def repaired(
    judgements: Sequence[Judgement], asked: Sequence[SubQuestion], passages: Mapping[str, Passage]
) -> tuple[list[Judgement], Repairs]:
    """The judgements of what was asked for, the first of each pair, with their scores inside their bands.

    A grade above irrelevant whose quote does not stand in its passage, or that has none, falls to the band below.
    """
    wanted = {(question["id"], chunk_id) for question in asked for chunk_id in passages}
    kept: dict[tuple[str, str], Judgement] = {}
    for judgement in judgements:
        pair = judgement.sub_question_id, judgement.chunk_id
        if pair in wanted:
            kept.setdefault(pair, judgement)
    banded = [replace(judgement, score=clamp(judgement.band, judgement.score)) for judgement in kept.values()]
    quoted = [_held_to_its_quote(judgement, passages[judgement.chunk_id]) for judgement in banded]
    unquoted = {before.chunk_id for before, after in zip(banded, quoted, strict=True) if before != after}
    return [_against_quotes(judgement, unquoted) for judgement in quoted], {
        "missing": len(wanted) - len(kept),
        "dropped": len(judgements) - len(kept),
        "rescored": _differing(kept.values(), banded),
        "unquoted": _differing(banded, quoted),
    }


def _held_to_its_quote(judgement: Judgement, passage: Passage) -> Judgement:
    below = _BELOW.get(judgement.band)
    if below is None or locate(judgement.quote, passage.text) is not None:
        return judgement
    return replace(judgement, band=below, score=clamp(below, judgement.score))


def _against_quotes(judgement: Judgement, unquoted: Collection[str]) -> Judgement:
    """What has no quote of its own contradicts nothing."""
    if judgement.chunk_id in unquoted:
        return replace(judgement, contradicts=())
    return replace(judgement, contradicts=tuple(one for one in judgement.contradicts if one not in unquoted))


def _differing(before: Iterable[Judgement], after: Iterable[Judgement]) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))
