"""What became of a draft: does the answer bear it out? By code alone, and rather too strict than too kind."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from policy.citations import ends, without_markers
from policy.claims import kind_of, says_the_same
from state import Status, Verdict
from text.citing import MARKERS


def verdict(
    draft: str,
    rests_on: Collection[str],
    answer: str,
    cited: Collection[str],
    status: Status | str,
    *,
    disputed: bool = False,
) -> Verdict:
    """Withdrawn, when nothing was answered; confirmed, when the answer cites every chunk that the draft rests on and
    says, sentence by sentence, what the draft said: its words, numbers and negations. Otherwise changed, and so where
    the answer is `disputed`: it shows what the draft said as one side of a conflict.

    The same in other words passes for changed: that two wordings mean the same cannot be told by code.
    """
    if status not in ("answered", "partial"):
        return "withdrawn"
    if disputed:
        return "changed"
    said = without_markers(answer)
    holds = all(says_the_same(said, statement) for statement in _statements(draft))
    return "confirmed" if holds and set(rests_on) <= set(cited) else "changed"


def _statements(text: str) -> list[str]:
    """The words of its sentences, without those that cite nothing and only hold it together."""
    spoken = [text[start:end] for start, end in pairwise([0, *ends(text), len(text)])]
    words = {without_markers(one).strip(): MARKERS.search(one) for one in spoken}
    return [said for said, cites in words.items() if said and (cites or kind_of(said) != "frame")]
