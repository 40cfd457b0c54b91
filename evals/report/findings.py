"""What a comparison found, a sentence each, without making more of it than was measured."""

from __future__ import annotations

from collections.abc import Sequence

from evals.compare import Comparison
from evals.price import NO_GAIN
from evals.sweep import Sweep


def gains(found: Sequence[Comparison]) -> list[str]:
    """A sentence for each mode beside the base, over all questions."""
    return [_beside(comparison) for comparison in found]


def hidden(found: Sequence[Comparison]) -> list[str]:
    """Kinds of question on which a mode is surely better or worse."""
    return [
        f"On questions of the kind “{c.kind or 'no kind'}” {c.other} is {'better' if c.certain else 'worse'} than "
        f"{c.base}: {_difference(c)}."
        for c in found
        if c.certain or c.certainly_worse
    ]


def knee(found: Sweep) -> str:
    """Where the curve of a sweep bends."""
    if found.knee is None:
        return f"Over {len(found.points)} settings of threshold and retries the curve has no knee."
    at = found.knee
    return (
        f"Over {len(found.points)} settings the knee is at threshold {at.threshold:g} and {at.max_retries} retries: "
        f"{at.right:.3f} right for {at.spent:,.2f} {found.cost.replace('_', ' ')} a question."
    )


def _beside(c: Comparison) -> str:
    if not (c.certain or c.certainly_worse):
        return f"{c.other} and {c.base} cannot be told apart on {c.questions:,} questions: {_difference(c)}."
    if c.certainly_worse:
        return f"{c.other} is worse than {c.base} on {c.questions:,} questions: {_difference(c)}; {NO_GAIN}."
    price = ", ".join(
        f"{c.price.told(spent)} {spent.replace('_', ' ')}" for spent in ("searches", "model_calls", "tokens")
    )
    return (
        f"{c.other} is better than {c.base} on {c.questions:,} questions: {_difference(c)}. "
        f"Extra for each question more that is right: {price}."
    )


def _difference(c: Comparison) -> str:
    return (
        f"{c.other_right:.3f} against {c.base_right:.3f}, "
        f"{c.gain.mean:+.3f} ({c.gain.low:+.3f} to {c.gain.high:+.3f}), adjusted p {c.adjusted_p:.3f}"
    )
