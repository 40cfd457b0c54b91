"""The tables of docs/benchmarks.md on modes, from what `evals.condensed` kept of each set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from evals.again import AGENT, pooled
from evals.bootstrap import Interval
from evals.compare import Comparison, family
from evals.markdown import table
from evals.overview import NOTHING, amount, score
from evals.price import Cost, Price
from evals.report.tables import COMPARED, compared
from runs.engine import MODES

Set = Mapping[str, Any]

QUALITY: Final[Mapping[str, str]] = {
    "citation precision": "with gold",
    "citation recall": "with gold",
    "points": "with points",
    "contains": "with reference answers",
    "token F1": "with reference answers",
    "abstention F1": "without an answer",
    "answerable refused": "",
}
"""Figures beside `right`, each with the labels that it needs."""
EFFORT: Final = ("rounds", "searches", "chunks graded", "tool calls", "model calls", "tokens")
FIRST: Final = "bm25"
"""Times are told as multiples of this mode's in the same run: the machine is shared."""


def blocks(kept: Mapping[str, Any]) -> dict[str, str]:
    """The blocks of the page by the name of their place."""
    sets = list(kept.get("sets", {}).values())
    if not sets:
        return dict.fromkeys(("modes-overview", "modes-together", "modes-again", "modes"), "Not measured yet.")
    return {
        "modes-overview": overview(sets),
        "modes-together": together(sets),
        "modes-again": verdict(sets),
        "modes": "\n\n".join(section(one) for one in sets),
    }


def overview(sets: Sequence[Set]) -> str:
    """The share that is right, a row a set and a column a mode, and the mean of the sets."""
    names = list(dict.fromkeys(mode["mode"] for one in sets for mode in one["modes"]))
    rights = [{mode["mode"]: mode["right"]["mean"] for mode in one["modes"]} for one in sets]
    rows = [
        (one["set"], f"{one['questions']}", *(score(of.get(name)) for name in names))
        for one, of in zip(sets, rights, strict=True)
    ]
    whole = [of for of in rights if of.keys() >= set(names)]
    mean = [score(fmean(of[name] for of in whole)) for name in names] if whole else []
    last = [(f"mean of {len(whole)} sets", "", *mean)] if whole else []
    by_rules = all(one["rules"] for one in sets)
    return table(("set", "n", *(labelled(name, rules=by_rules) for name in names)), [*rows, *last])


def together(sets: Sequence[Set]) -> str:
    """Every mode beside the base, over all sets together."""
    return _together(_pairs(sets, "beside"), rules=all(one["rules"] for one in sets))


def verdict(sets: Sequence[Set]) -> str:
    """What the loop and the agent gain or lose over all sets together, and on which sets and kinds for certain."""
    pairs = _pairs(sets, "again")
    if not pairs:
        return "Neither the loop nor the agent was measured."
    by_rules = all(one["rules"] for one in sets)
    told = [f"* {_on_sets(several, rules=by_rules)}" for several in pairs.values()]
    kinds = [(one, comparison(found)) for one in sets for found in one["kinds"]]
    return "\n\n".join([_together(pairs, rules=by_rules), "\n".join(told), "\n".join(_certain_kinds(kinds))])


Pairs = Mapping[tuple[str, str], Sequence[tuple[str, Comparison]]]
"""By the two modes, what each set that asked both says of them."""


def _pairs(sets: Sequence[Set], name: str) -> Pairs:
    pairs: dict[tuple[str, str], list[tuple[str, Comparison]]] = {}
    for one in sets:
        for found in map(comparison, one[name]):
            pairs.setdefault((found.other, found.base), []).append((one["set"], found))
    return pairs


def _together(pairs: Pairs, *, rules: bool) -> str:
    found = family(pooled([c for _, c in several]) for several in pairs.values())
    rows = [_row(c, rules=rules) for c in found]
    return f"{table(('all sets together', *COMPARED, *PRICE), rows)}\n\n{_tests(rows)}"


def section(one: Set) -> str:
    """A set: where its numbers are from, every mode, and what searching again brings, over all and by kind."""
    found, kinds = ([comparison(row) for row in one[name]] for name in ("again", "kinds"))
    at = f"commit {one['commit']}; " if one["commit"] else ""
    parts = [f"### {one['set']}", f"{at}{one['source']} {_labels(one)}", _modes(one)]
    if found:
        rows = [_row(c, rules=one["rules"]) for c in found]
        parts += [table(("mode", *COMPARED, *PRICE), rows), _tests(rows)]
    parts += [_kinds(kinds, rules=one["rules"]), _tests(kinds)] if kinds else []
    return "\n\n".join(parts)


PRICE: Final = ("extra searches a question", "extra searches per extra right")


def _row(c: Comparison, *, rules: bool) -> tuple[str, ...]:
    extra = f"{c.price.extra.searches / c.questions:+.2f}"
    return (f"{labelled(c.other, rules=rules)} beside {c.base}", *compared(c), extra, c.price.told("searches"))


def _tests(found: Sequence[object]) -> str:
    return f"Adjusted p, and what is told apart: among the {len(found)} tests of this table."


def _modes(one: Set) -> str:
    shown = [name for name in EFFORT if any(mode["effort"][name] for mode in one["modes"])]
    first = next((mode["time"] for mode in one["modes"] if mode["mode"] == FIRST), None)
    rows = [
        (
            labelled(mode["mode"], rules=one["rules"]),
            "{mean:.3f} ({low:.3f} to {high:.3f})".format(**mode["right"]),
            *(score(mode["quality"][name]) for name in QUALITY),
            *(f"{mode['effort'][name]:,.2f}" for name in shown),
            *_times(mode, first),
        )
        for mode in one["modes"]
    ]
    times = ("p50 ms", "p95 ms", f"p50 to {FIRST}", f"p95 to {FIRST}")
    return table(("mode", "right", *QUALITY, *shown, *times), rows)


def _times(mode: Mapping[str, Any], first: Mapping[str, float] | None) -> list[str]:
    """Milliseconds, and the ratio to the first mode. What no caller can ask for, such as `one_pass`, has no times."""
    time = mode["time"] if mode["mode"] in MODES else None
    if not time:
        return [NOTHING] * 4
    shares = [f"{time[name] / first[name]:.1f}" if first and first[name] else NOTHING for name in ("p50", "p95")]
    return [*(amount(time[name]) for name in ("p50", "p95")), *shares]


def _labels(one: Set) -> str:
    """What the questions have, and which figures nothing could be measured for."""
    has = ", ".join(f"{count} {label}" for label, count in one["labels"].items() if count)
    missing: dict[str, list[str]] = {}
    for figure, label in QUALITY.items():
        if label and not one["labels"][label]:
            missing.setdefault(label, []).append(figure)
    none = [f"No question is {label}: there is no {' and no '.join(of)}." for label, of in missing.items()]
    calls = [] if any(mode["effort"]["model calls"] for mode in one["modes"]) else ["No model was called: no tokens."]
    return " ".join([f"{one['questions']} questions: {has or 'without labels'}.", *none, *calls])


def _kinds(found: Sequence[Comparison], *, rules: bool) -> str:
    """A row a kind: the share that is right in each mode, then each gain."""
    pairs = list(dict.fromkeys((c.other, c.base) for c in found))
    modes = list(dict.fromkeys([base for _, base in pairs] + [other for other, _ in pairs]))
    kinds = list(dict.fromkeys(c.kind for c in found))
    rows = [_kind_row([c for c in found if c.kind == kind], modes, pairs) for kind in kinds]
    named = [labelled(mode, rules=rules) for mode in modes]
    return table(("kind", "n", *named, *(f"{other} to {base}" for other, base in pairs)), rows)


def _kind_row(found: Sequence[Comparison], modes: Iterable[str], pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    rights = {c.base: c.base_right for c in found} | {c.other: c.other_right for c in found}
    gains = {(c.other, c.base): c for c in found}
    cells = (_gain(gains[pair]) if pair in gains else NOTHING for pair in pairs)
    return (found[0].kind or "no kind", f"{found[0].questions}", *(score(rights.get(mode)) for mode in modes), *cells)


def _gain(c: Comparison) -> str:
    if not c.only_base + c.only_other:
        return "same"
    told = " better" if c.certain else " worse" if c.certainly_worse else ""
    return f"{c.gain.mean:+.3f} ({c.gain.low:+.3f} to {c.gain.high:+.3f}){told}"


def _on_sets(found: Sequence[tuple[str, Comparison]], *, rules: bool) -> str:
    first = found[0][1]
    named = {
        "surely better on": [name for name, c in found if c.certain],
        "surely worse on": [name for name, c in found if c.certainly_worse],
        "not told apart, right more often, on": [name for name, c in found if _open(c) and c.gain.mean > 0],
        "not told apart, right less often, on": [name for name, c in found if _open(c) and c.gain.mean < 0],
        "right as often on": [name for name, c in found if c.gain.mean == 0],
    }
    told = [f"{said} {', '.join(f'`{name}`' for name in names) or 'none'}" for said, names in named.items()]
    return f"{labelled(first.other, rules=rules)} beside {first.base}: {'; '.join(told)}."


def _open(c: Comparison) -> bool:
    return not c.certain and not c.certainly_worse


def _certain_kinds(found: Iterable[tuple[Set, Comparison]]) -> Iterator[str]:
    sure = [(one, c) for one, c in found if not _open(c)]
    if not sure:
        yield "No kind of question of any set tells them apart for certain."
    for one, c in sure:
        other = labelled(c.other, rules=one["rules"])
        yield f"* `{one['set']}`, {c.kind or 'no kind'}: {other} beside {c.base}, {_gain(c)}."


def labelled(name: str, *, rules: bool) -> str:
    """Offline the agent's steps are chosen by rules: no figure of it says what a model would do."""
    return f"{name} (rules)" if rules and name == AGENT else name


def comparison(kept: Mapping[str, Any]) -> Comparison:
    """The comparison that was written as this JSON."""
    price = Price(kept["price"]["gained"], Cost(**kept["price"]["extra"]))
    return Comparison(**{**kept, "gain": Interval(**kept["gain"]), "price": price})
