"""Which pictures a report shows, each with what it shows in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.bootstrap import mean_interval
from evals.pairing import Group, of_kind, right, share_right
from evals.report import plots
from evals.report.blocks import Plot
from evals.scores import EFFORT
from evals.sweep import Sweep

Asked = Mapping[str, Sequence[Group]]


def against_cost(asked: Asked, source: str) -> Plot:
    """Accuracy over cost, a dot for each mode."""
    cost = paid(asked)
    dots = {}
    for mode, groups in asked.items():
        shares = mean_interval([right(group) for group in groups])
        dots[mode] = (_spent(groups, cost), shares.mean, shares.low, shares.high)
    told = "; ".join(f"{mode}: {right:.3f} right for {spent:,.2f} {cost}" for mode, (spent, right, *_) in dots.items())
    return Plot(f"Right against {cost} a question", plots.against_cost(dots, cost), told, source)


def paid(asked: Asked) -> str:
    """What modes are paid with: tokens where a model was called, else searches."""
    return "tokens" if any(_spent(groups, "tokens") for groups in asked.values()) else "searches"


def kinds(asked: Asked, source: str) -> Plot:
    """How right each mode is by kind."""
    names = sorted({group[0].kind for groups in asked.values() for group in groups})
    shares = {mode: {kind: share_right(of_kind(groups, kind)) for kind in names} for mode, groups in asked.items()}
    told = "; ".join(f"{kind}: " + ", ".join(f"{mode} {of[kind]:.3f}" for mode, of in shares.items()) for kind in names)
    return Plot("Right, by kind of question", plots.by_kind(shares), told, source)


def latencies(asked: Asked, source: str) -> Plot:
    """How long asks take."""
    took = {
        mode: [r.latency_ms for group in groups for r in group if r.error is None] for mode, groups in asked.items()
    }
    known = {mode: found for mode, found in took.items() if found}
    told = "; ".join(f"{mode}: half within {sorted(of)[len(of) // 2]:,.0f} ms" for mode, of in known.items())
    return Plot("Latency", plots.latencies(known), told, source)


def curves(found: Sweep, source: str) -> Plot:
    """The accuracy/cost curve of a sweep."""
    cost = found.cost.replace("_", " ")
    lines = {
        f"threshold {threshold:g}": [(p.spent, p.right) for p in found.points if p.threshold == threshold]
        for threshold in dict.fromkeys(point.threshold for point in found.points)
    }
    knee = (found.knee.spent, found.knee.right) if found.knee else None
    told = f"Knee at {found.knee.mode}" if found.knee else "The curve has no knee"
    return Plot(f"Right against {cost}, by threshold and retries", plots.curves(lines, knee, cost), told, source)


def _spent(groups: Sequence[Group], cost: str) -> float:
    return EFFORT[cost]([record for group in groups for record in group]) or 0.0
