"""Outcomes of `evals.answers` as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, get_args

from evals.markdown import table
from evals.measure import ALL
from evals.outcome import NO_REASON, Outcome, Paired
from state import Status, StopReason

_STATUSES: Final = ("answered", "partial", "insufficient")
_OTHERS: Final = [status for status in get_args(Status) if status not in _STATUSES]


def statuses(outcomes: Sequence[Outcome]) -> str:
    """How questions with an answer and without one ended, and refusing as a classifier."""
    head = ("set, mode", "n", *(f"has an answer: {status}" for status in _STATUSES))
    head = (*head, *(f"has none: {status}" for status in _STATUSES), "failed")
    rows = [
        (
            _name(o),
            str(o.questions),
            *(str(o.answerable.get(status, 0)) for status in _STATUSES),
            *(str(o.unanswerable.get(status, 0)) for status in _STATUSES),
            str(sum(found.get(status, 0) for found in (o.answerable, o.unanswerable) for status in _OTHERS)),
        )
        for o in _whole(outcomes)
    ]
    return table(head, rows)


def abstention(outcomes: Sequence[Outcome]) -> str:
    """Precision, recall and F1 of refusing, a row a set and mode that has questions without an answer."""
    rows = [
        (
            _name(o),
            f"{sum(o.unanswerable.values())} of {o.questions}",
            *map(_score, (o.abstention.precision, o.abstention.recall, o.abstention.f1, o.abstention.refused)),
        )
        for o in _whole(outcomes)
    ]
    return table(("set, mode", "without an answer", "precision", "recall", "F1", "answerable refused"), rows)


def halves(outcomes: Sequence[Outcome]) -> str:
    """Refusing on each half of the questions: constants are chosen on the even one."""
    rows = [
        (f"{o.set}, {o.kind}", str(o.questions), _score(o.abstention.recall), _score(o.abstention.refused))
        for o in outcomes
    ]
    return table(("set, half", "n", "abstention recall", "answerable refused"), rows)


def answers(outcomes: Sequence[Outcome]) -> str:
    """What is cited and what is said."""
    return _scores(
        outcomes,
        {
            "citation precision": lambda o: o.citation_precision,
            "citation recall": lambda o: o.citation_recall,
            "points": lambda o: o.point_recall,
            "token F1": lambda o: o.token_f1,
            "right": lambda o: o.right,
        },
    )


def kinds(outcomes: Sequence[Outcome]) -> str:
    """How each kind of question ends."""
    rows = [
        (
            f"{_name(o)}: {o.kind}",
            str(o.questions),
            *(str(o.answerable.get(status, 0) + o.unanswerable.get(status, 0)) for status in _STATUSES),
            _score(o.citation_recall),
            _score(o.right),
        )
        for o in outcomes
        if o.kind != ALL
    ]
    return table(("set, mode: kind", "n", *_STATUSES, "citation recall", "right"), rows)


def effort(outcomes: Sequence[Outcome]) -> str:
    """What an ask takes."""
    rows = [
        (
            _name(o),
            *(f"{value:.2f}" for value in (o.rounds, o.searches, o.judged)),
            *(f"{value:,.0f}" for value in (o.model_calls, o.tokens, o.p50_ms, o.p95_ms)),
        )
        for o in _whole(outcomes)
    ]
    return table(
        ("set, mode", "rounds", "searches", "chunks graded", "model calls", "tokens", "p50 ms", "p95 ms"), rows
    )


def stops(outcomes: Sequence[Outcome]) -> str:
    """Why asks stopped."""
    seen = {reason for o in outcomes for reason in o.stop_reasons}
    reasons = [reason for reason in (*get_args(StopReason), NO_REASON) if reason in seen]
    rows = [(_name(o), *(str(o.stop_reasons.get(reason, 0)) for reason in reasons)) for o in _whole(outcomes)]
    return table(("set, mode", *reasons), rows)


def wrong_stops(outcomes: Sequence[Outcome]) -> str:
    """Stops against what was in hand, of the questions that have an answer."""
    rows = [
        (
            _name(o),
            str(sum(o.answerable.values())),
            *map(str, (o.stopped_without_gold, o.went_on_with_gold, o.refused_with_gold)),
        )
        for o in _whole(outcomes)
    ]
    return table(
        ("set, mode", "n", "sufficient without gold", "went on with all gold graded", "refused with gold graded"), rows
    )


def gain(pairs: Sequence[Paired]) -> str:
    """Right in the loop and not in the other mode, and the other way round."""
    rows = [
        (
            f"{pair.set}{' + filter' if pair.filtered else ''}, {pair.modes[1]}",
            str(pair.both + pair.first + pair.second + pair.neither),
            *map(str, (pair.both, pair.first, pair.second, pair.neither)),
            f"{pair.first - pair.second:+d}",
            f"{pair.p:.3f}",
        )
        for pair in pairs
    ]
    return table(("set, beside", "n", "both", "loop only", "the other only", "neither", "gain", "p"), rows)


def quotes(outcomes: Sequence[Outcome]) -> str:
    """Citations checked by code."""
    rows = [(_name(o), str(o.cited), str(o.not_standing), str(o.dangling)) for o in _whole(outcomes)]
    return table(("set, mode", "citations", "quotes that stand nowhere", "numbers that cite nothing"), rows)


def look_alikes(outcomes: Sequence[Outcome]) -> str:
    """Answers that cite what must not be cited."""
    rows = [(_name(o), str(o.could_mislead), str(o.misled)) for o in _whole(outcomes) if o.could_mislead]
    return table(("set, mode", "questions with look-alikes", "cite one"), rows)


def _scores(outcomes: Sequence[Outcome], columns: dict[str, Callable[[Outcome], float | None]]) -> str:
    rows = [(_name(o), str(o.questions), *(_score(value(o)) for value in columns.values())) for o in _whole(outcomes)]
    return table(("set, mode", "n", *columns), rows)


def _whole(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.kind == ALL]


def _name(o: Outcome) -> str:
    return f"{o.set}{' + filter' if o.filtered else ''}, {o.mode}"


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
