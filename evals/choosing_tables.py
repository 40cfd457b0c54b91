"""The tables of docs/choosing-a-mode.md, from what is kept beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.bootstrap import Interval
from evals.compare import Comparison
from evals.markdown import table
from evals.overview import amount, score
from evals.price import Cost, Price
from evals.report.tables import COMPARED, RIGHT, compared, family

Set = Mapping[str, Any]


def blocks(kept: Mapping[str, Any]) -> dict[str, str]:
    """Every table of the page by the name of its place."""
    sets = list(kept["sets"].values())
    return {
        "choice": "\n".join(_choice(one) for one in sets) or "Not measured yet.",
        "modes": _modes(sets),
        "gains": _gains(sets),
        "kinds": _kinds(sets),
        "cost": _cost(sets, kept["prices"]),
        "sources": "\n".join(f"* `{one['set']}`: {one['source']}" for one in sets),
    }


def _choice(one: Set) -> str:
    """What to take on this set, and how little that may say."""
    if not one["beaten"]:
        return (
            f"* `{one['set']}`, {one['questions']} questions: no mode is better than another for certain; "
            f"**{one['choice']}** takes least."
        )
    beaten = "; ".join(f"{mode} is surely worse than {other}" for mode, other in one["beaten"].items())
    return f"* `{one['set']}`, {one['questions']} questions: **{one['choice']}** is the cheapest of the rest; {beaten}."


def _modes(sets: Sequence[Set]) -> str:
    rows = [
        (
            f"{one['set']}, {mode['mode']}",
            f"{one['questions']}",
            "{mean:.3f} ({low:.3f} to {high:.3f})".format(**mode["right"]),
            score(mode["refused"]),
            *(amount(mode["effort"][name]) for name in ("rounds", "searches", "model calls", "tokens")),
            *(amount(mode["time"] and mode["time"][name]) for name in ("p50", "p95")),
        )
        for one in sets
        for mode in one["modes"]
    ]
    head = ("set, mode", "n", "right", "answerable refused", "rounds", "searches", "model calls", "tokens")
    return f"{table((*head, 'p50 ms', 'p95 ms'), rows)}\n\n{RIGHT}"


def _gains(sets: Sequence[Set]) -> str:
    found = [(one["set"], comparison(row)) for one in sets for row in one["gains"]]
    rows = [
        (f"{name}, {c.other} beside {c.base}", *compared(c), *(c.price.told(spent) for spent in ("searches", "tokens")))
        for name, c in found
    ]
    extra = ("extra searches per extra right", "extra tokens per extra right")
    return "\n\n".join([table(("set, mode", *COMPARED, *extra), rows), *_families(sets, "gains")])


def _kinds(sets: Sequence[Set]) -> str:
    rows = [
        (f"{one['set']}, {c.kind or 'no kind'}: {c.other} beside {c.base}", *compared(c))
        for one in sets
        for c in map(comparison, one["kinds"])
    ]
    return "\n\n".join([table(("set, kind: mode", *COMPARED), rows), *_families(sets, "kinds")])


def _families(sets: Sequence[Set], name: str) -> list[str]:
    """How many tests each set's rows are adjusted for; said once where they are as many."""
    return [f"`{one['set']}`: {family(len(one[name]))}" for one in sets if one[name]]


def _cost(sets: Sequence[Set], prices: Sequence[Mapping[str, Any]]) -> str:
    """Tokens of a question times a price a million are the price of a million questions."""
    head = ("set, mode", "tokens sent", "tokens received", *(_priced(price) for price in prices))
    rows = [
        (
            f"{one['set']}, {mode['mode']}",
            *(amount(mode[name]) for name in ("input_tokens", "output_tokens")),
            *(_million(mode, price) for price in prices),
        )
        for one in sets
        for mode in one["modes"]
    ]
    return table(head, rows)


def _priced(price: Mapping[str, Any]) -> str:
    return f"{price['name']} ({price['input']:g} in, {price['output']:g} out, {price['dated']})"


def _million(mode: Mapping[str, Any], price: Mapping[str, Any]) -> str:
    if not mode["effort"]["model calls"]:
        return "no model was called"
    return f"{mode['input_tokens'] * price['input'] + mode['output_tokens'] * price['output']:,.0f}"


def comparison(kept: Mapping[str, Any]) -> Comparison:
    """The comparison that was written as this JSON."""
    price = Price(kept["price"]["gained"], Cost(**kept["price"]["extra"]))
    return Comparison(**{**kept, "gain": Interval(**kept["gain"]), "price": price})
