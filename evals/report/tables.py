"""The tables of a report: from records and comparisons to rows of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evals.bootstrap import mean_interval
from evals.compare import Comparison
from evals.ladder import Ladder
from evals.overview import NOTHING, amount, score
from evals.pairing import Group, of_kind, right, share_right
from evals.report.blocks import Table
from evals.scores import scores
from evals.sweep import Sweep

MOST_SHOWN: Final = 200
"""Questions of the table of differences; all of them stand in the records."""
_FIGURES: Final = ("abstention F1", "answerable refused", "citation recall", "points")
_EFFORT: Final = ("rounds", "searches", "model calls", "tokens", "cost")


def modes(asked: Mapping[str, Sequence[Group]], source: str) -> Table:
    """How good, how costly and how fast each mode is."""
    rows = []
    for mode, groups in asked.items():
        found = scores([record for group in groups for record in group])
        shares = mean_interval([right(group) for group in groups])
        whole, first = found["time"]["whole"], found["time"]["first event"]
        rows.append(
            (
                mode,
                f"{len(groups):,}",
                f"{shares.mean:.3f} ({shares.low:.3f} to {shares.high:.3f})",
                *(score(found["quality"][name]) for name in _FIGURES),
                *(amount(found["effort"][name]) for name in _EFFORT),
                *(amount(whole and whole[name]) for name in ("p50", "p95", "p99")),
                amount(first and first["p50"]),
            )
        )
    head = ("mode", "n", "right", *_FIGURES, *_EFFORT, "p50 ms", "p95 ms", "p99 ms", "first event, p50 ms")
    return Table("Every mode", head, tuple(rows), source, note=RIGHT)


RIGHT: Final = (
    "“Right” means: an answer that cites gold or makes its points; a refusal where the documents have no answer; small "
    "talk that was not looked up. Rounds to cost are means of a question; a dash is a figure that nothing was measured "
    "for, or a model without a price."
)


def comparisons(found: Sequence[Comparison], title: str, source: str) -> Table:
    """The gain of each mode over the base, how certain it is, and its price."""
    kinds = len({comparison.kind for comparison in found}) > 1
    rows = tuple(
        (
            *((comparison.kind, comparison.other) if kinds else (comparison.other,)),
            *compared(comparison),
            *(comparison.price.told(spent) for spent in ("searches", "model_calls", "tokens")),
        )
        for comparison in found
    )
    head = (*(("kind", "mode") if kinds else ("mode",)), *COMPARED)
    extra = tuple(f"extra {spent} per extra right" for spent in ("searches", "model calls", "tokens"))
    return Table(title, (*head, *extra), rows, source, note=family(len(found)), words=2 if kinds else 1)


COMPARED: Final = ("n", "base right", "right", "gain", "base only", "this only", "p", "adjusted p", "told apart")


def compared(c: Comparison) -> tuple[str, ...]:
    """The cells of a comparison."""
    return (
        f"{c.questions:,}",
        f"{c.base_right:.3f}",
        f"{c.other_right:.3f}",
        f"{c.gain.mean:+.3f} ({c.gain.low:+.3f} to {c.gain.high:+.3f})",
        f"{c.only_base:,}",
        f"{c.only_other:,}",
        f"{c.p:.3f}",
        f"{c.adjusted_p:.3f}",
        "better" if c.certain else "worse" if c.certainly_worse else "no",
    )


def family(tests: int) -> str:
    """What is to be known of several tests at once."""
    return (
        f"p: McNemar's exact test, two-sided. Adjusted p: Holm's, among the {tests} tests of this table; other tables "
        "are counted apart. Told apart: the interval leaves out 0 and the adjusted p is below 0.05; with fewer than "
        "six questions on which two modes differ no test can tell, whatever the interval. Where no question tells them "
        "apart an interval has no width and says nothing."
    )


def kinds(asked: Mapping[str, Sequence[Group]], source: str) -> Table:
    """The share that is right of each kind of question, which the average hides."""
    names = sorted({group[0].kind for groups in asked.values() for group in groups})
    some = next(iter(asked.values()))
    rows = tuple(
        (kind, f"{len(of_kind(some, kind)):,}", *(score(_share(groups, kind)) for groups in asked.values()))
        for kind in names
    )
    return Table("Right, by kind of question", ("kind", "n", *asked), rows, source)


def rungs(found: Ladder, source: str) -> Table:
    """Each rung beside the last one that gained."""
    rows = tuple(
        (
            rung.label,
            rung.mode,
            *((rung.step.base, *compared(rung.step)) if rung.step else _lowest(rung.questions, rung.right)),
        )
        for rung in found.rungs
    )
    note = f"{found.sentence} {family(len(found.rungs) * (len(found.rungs) - 1) // 2)}"
    return Table("Ladder", ("rung", "asked as", "beside", *COMPARED), rows, source, note=note, words=3)


def _lowest(questions: int, share: float) -> tuple[str, ...]:
    return (NOTHING, f"{questions:,}", NOTHING, f"{share:.3f}", *[NOTHING] * (len(COMPARED) - 3))


def points(found: Sweep, source: str) -> Table:
    """Every setting of a sweep."""
    rows = tuple(
        (
            f"{point.threshold:g}",
            f"{point.max_retries}",
            f"{point.right:.3f}",
            f"{point.spent:,.2f}",
            "yes" if point in found.frontier else "",
            "knee" if point == found.knee else "",
        )
        for point in found.points
    )
    head = ("threshold", "retries", "right", f"{found.cost.replace('_', ' ')} a question", "frontier", "knee")
    return Table("Threshold × retries", head, rows, source, note=KNEE)


KNEE: Final = (
    "Frontier: no setting that is as cheap is right more often. Knee: both axes of the frontier scaled to 0..1, where "
    "it stands highest above the straight line between its ends (Kneedle: Satopää, Albrecht, Irwin, Raghavan, 2011); "
    "none where it does not bend."
)


def stops(asked: Mapping[str, Sequence[Group]], source: str) -> Table:
    """Why asks stopped."""
    counts = {mode: scores([r for group in groups for r in group])["stop reasons"] for mode, groups in asked.items()}
    reasons = sorted({reason for of in counts.values() for reason in of})
    rows = tuple((mode, *(f"{of.get(reason, 0):,}" for reason in reasons)) for mode, of in counts.items())
    return Table("Stop reasons", ("mode", *reasons), rows, source)


def differing(asked: Mapping[str, Sequence[Group]], source: str) -> Table:
    """The questions that some modes get right and others do not, in their own words."""
    by_question = list(zip(*asked.values(), strict=True))
    apart = [groups for groups in by_question if len({right(group) for group in groups}) > 1]
    rows = tuple(
        (groups[0][0].id, groups[0][0].kind, groups[0][0].question, *(_verdict(right(group)) for group in groups))
        for groups in apart[:MOST_SHOWN]
    )
    more = f" The first {MOST_SHOWN} are shown." if len(apart) > MOST_SHOWN else ""
    note = f"{len(apart):,} of {len(by_question):,} questions.{more}"
    return Table("Where modes differ", ("id", "kind", "question", *asked), rows, source, note=note, words=3)


def _verdict(share: float) -> str:
    return {0.0: "✗", 1.0: "✓"}.get(share, f"{share:.2f}")


def _share(groups: Sequence[Group], kind: str) -> float | None:
    of = of_kind(groups, kind)
    return share_right(of) if of else None
