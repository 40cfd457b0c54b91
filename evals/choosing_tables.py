"""The tables of docs/choosing-a-mode.md, from what `evals.condensed` kept of each set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.again import AGAIN, ONCE
from evals.markdown import table
from evals.mode_tables import Set, comparison, labelled, overview, together, verdict
from evals.overview import amount, score


def blocks(kept: Mapping[str, Any]) -> dict[str, str]:
    """Every table of the page by the name of its place."""
    sets, metered = list(kept["sets"].values()), list(kept.get("tokens", {}).values())
    return {
        "choice": "\n".join(_choice(one) for one in sets) or "Not measured yet.",
        "modes": overview(sets),
        "together": together(sets),
        "again": verdict(sets),
        "kinds": _kinds(sets),
        "cost": _cost([*sets, *metered], kept["prices"]),
        "sources": "\n".join(f"* `{one['set']}`: {one['source']}" for one in sets),
        "metered": "\n".join(f"* `{one['set']}`, {one['questions']} questions: {one['source']}" for one in metered),
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


def _kinds(sets: Sequence[Set]) -> str:
    """A row a set and kind: the share that is right in the modes that look once, and in those that look again."""
    rights: dict[tuple[str, str], dict[str, float]] = {}
    asked: dict[tuple[str, str], int] = {}
    for one in sets:
        for found in map(comparison, one["kinds"]):
            at = (one["set"], found.kind or "no kind")
            rights.setdefault(at, {}).update({found.base: found.base_right, found.other: found.other_right})
            asked[at] = found.questions
    modes = [mode for mode in (*ONCE, *AGAIN) if any(mode in of for of in rights.values())]
    rows = [
        (f"{name}, {kind}", f"{asked[name, kind]}", *(score(of.get(mode)) for mode in modes))
        for (name, kind), of in rights.items()
    ]
    by_rules = all(one["rules"] for one in sets)
    return table(("set, kind", "n", *(labelled(mode, rules=by_rules) for mode in modes)), rows)


def _cost(sets: Sequence[Set], prices: Sequence[Mapping[str, Any]]) -> str:
    """Tokens of a question times a price a million are the price of a million questions."""
    called = [(one, mode) for one in sets for mode in one["modes"] if mode["effort"]["model calls"]]
    if not called:
        return "No model was called in any of these sets: there are no tokens to be priced."
    head = ("set, mode", "model calls", "tokens sent", "tokens received", *(_priced(price) for price in prices))
    rows = [
        (
            f"{one['set']}, {labelled(mode['mode'], rules=one['rules'])}",
            f"{mode['effort']['model calls']:.2f}",
            *(amount(mode[name]) for name in ("input_tokens", "output_tokens")),
            *(_million(mode, price) for price in prices),
        )
        for one, mode in called
    ]
    return table(head, rows)


def _priced(price: Mapping[str, Any]) -> str:
    return f"{price['name']} ({price['input']:g} in, {price['output']:g} out, {price['dated']})"


def _million(mode: Mapping[str, Any], price: Mapping[str, Any]) -> str:
    return f"{mode['input_tokens'] * price['input'] + mode['output_tokens'] * price['output']:,.0f}"
