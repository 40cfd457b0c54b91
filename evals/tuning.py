"""Which settings are worth most to somebody for whom a wrong answer, a refusal and tokens have a price.

Chosen on the even half of the questions, judged on the odd half: what was chosen for its luck there loses it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from evals import verdicts
from evals.bootstrap import Interval, mean_interval
from evals.compare import SIGNIFICANT
from evals.modes import LOOP
from evals.outcome import mcnemar
from evals.pairing import Group, shared
from evals.record import Record
from evals.sets import is_even
from evals.variants import Variant, turned, variant

TUNED: Final = ("threshold", "max_retries", "top_k")
MILLION: Final = 1_000_000
THRESHOLDS: Final = (0.6, 0.7, 0.8)
RETRIES: Final = (0, 1, 3)
TOP_K: Final = (10, 30)


@dataclass(frozen=True)
class Losses:
    """All in one unit, such as money: of an answer that is wrong, of a refusal where there is an answer, of a million
    tokens. What is right costs its tokens only."""

    wrong: float = 1.0
    refusal: float = 0.2
    million_tokens: float = 0.0

    def of(self, record: Record) -> float:
        """What this ask cost its asker. An ask that failed helps as little as a refusal does."""
        if verdicts.right(record):
            lost = 0.0
        elif verdicts.abstained(record) or record.status == "failed":
            lost = self.refusal
        else:
            lost = self.wrong
        return lost + record.tokens / MILLION * self.million_tokens

    def mean(self, groups: Iterable[Group]) -> list[float]:
        """Of each question the mean over its repeats."""
        return [fmean(map(self.of, group)) for group in groups]


@dataclass(frozen=True)
class Proposal:
    """`chosen` has the least loss on the even half; `saved` is what a question of the odd half costs less with it.

    `better` and `worse` count the questions of the odd half whose loss falls and rises, `p` is the sign test's.
    """

    set: str
    default: Variant
    chosen: Variant
    fitted_on: int
    judged_on: int
    default_loss: float
    chosen_loss: float
    saved: Interval
    better: int
    worse: int
    p: float

    @property
    def certain(self) -> bool:
        """Whether to change anything: the interval is above nought, and more questions gain than chance allows."""
        return self.chosen != self.default and self.saved.low > 0 and self.p < SIGNIFICANT


def settings(default: Mapping[str, float]) -> list[Variant]:
    """The default first, then the grid around it."""
    around = [
        {"threshold": threshold, "max_retries": retries, "top_k": top_k}
        for threshold in sorted({*THRESHOLDS, default["threshold"]})
        for retries in sorted({*RETRIES, default["max_retries"]})
        for top_k in sorted({*TOP_K, default["top_k"]})
    ]
    return list(dict.fromkeys(_variant(dials) for dials in ({name: default[name] for name in TUNED}, *around)))


def _variant(dials: Mapping[str, float]) -> Variant:
    """By its name, so that it is equal to the one that a record names."""
    return variant(Variant(LOOP, dials=tuple(dials.items())).name)


def propose(records: Iterable[Record], default: Variant, losses: Losses) -> Proposal | None:
    """Over the questions asked at every setting, one set's. None where a half has no question or the default is absent.

    Of settings with an equal loss the earliest asked is chosen, and the default is asked first.
    """
    known = list(records)
    asked = shared(known, tuple(turned(known, TUNED)))
    if default.name not in asked:
        return None
    even, odd = (
        {mode: [g for g in of if is_even(g[0].id) is half] for mode, of in asked.items()} for half in (True, False)
    )
    if not even[default.name] or not odd[default.name]:
        return None
    order = sorted(asked, key=lambda mode: mode != default.name)
    chosen = min(order, key=lambda mode: fmean(losses.mean(even[mode])))
    return _judged(default, variant(chosen), len(even[chosen]), odd, losses)


def _judged(
    default: Variant, chosen: Variant, fitted_on: int, odd: Mapping[str, Sequence[Group]], losses: Losses
) -> Proposal:
    before, after = (losses.mean(odd[at.name]) for at in (default, chosen))
    saved = [b - a for b, a in zip(before, after, strict=True)]
    better, worse = sum(s > 0 for s in saved), sum(s < 0 for s in saved)
    return Proposal(
        set=odd[default.name][0][0].set,
        default=default,
        chosen=chosen,
        fitted_on=fitted_on,
        judged_on=len(saved),
        default_loss=fmean(before),
        chosen_loss=fmean(after),
        saved=mean_interval(saved),
        better=better,
        worse=worse,
        p=mcnemar(better, worse),
    )


def environment_lines(proposal: Proposal) -> str:
    """The settings as lines of an environment file: the chosen ones, or, where nothing is certain, the present ones."""
    kept = proposal.chosen if proposal.certain else proposal.default
    lines = [
        *(_gains(proposal) if proposal.certain else _kept(proposal)),
        f"# Chosen on {proposal.fitted_on} questions, judged on {proposal.judged_on} others; {_counted(proposal)}.",
        *(f"GAPSEEK_{name.upper()}={value:g}" for name, value in kept.dials),
    ]
    return "\n".join(lines) + "\n"


def _gains(proposal: Proposal) -> list[str]:
    return [f"# Expected to save {_saved(proposal)} a question, which costs {proposal.default_loss:.4g} now."]


def _kept(proposal: Proposal) -> list[str]:
    """What was best on the first half is told, so that nobody needs to wonder what was found."""
    best = ", ".join(f"{name} {value:g}" for name, value in proposal.chosen.dials)
    found = (
        []
        if proposal.chosen == proposal.default
        else [f"# Best on the first half: {best}; saves {_saved(proposal)} on the second."]
    )
    return ["# Keep what you have: nothing else is better for certain.", *found]


def _saved(proposal: Proposal) -> str:
    saved = proposal.saved
    return f"{saved.mean:.4g} ({saved.low:.4g} to {saved.high:.4g})"


def _counted(proposal: Proposal) -> str:
    return f"{proposal.better} of them cost less and {proposal.worse} more (p {proposal.p:.3f})"
