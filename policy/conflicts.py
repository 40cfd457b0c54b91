"""Which sources disagree, and which of them has to yield. Pure: found anew from the ledger whenever it changes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import cast

from evidence import Disagreement, Evidence, Gap, LedgerEntry, Side, Superseded
from policy.contrast import Contrast, contrast
from policy.supersession import names, replaces, yields
from state import SubQuestion
from text.quotes import locate


def settled(
    sub_questions: Sequence[SubQuestion],
    ledger: Sequence[LedgerEntry],
    before: Sequence[Disagreement],
    *,
    threshold: float,
    day: dt.date,
    round_: int,
    current: Mapping[str, str],
) -> tuple[list[LedgerEntry], list[Disagreement]]:
    """The ledger with what is superseded marked, and what is left in conflict.

    `before` are the conflicts known so far, whose rounds are kept; `day` is the one as of which is asked, and `current`
    holds the versions of the documents that were found last.
    """
    known = {conflict["sub_question_id"]: conflict.get("round", 0) for conflict in before}
    texts = {question["id"]: question["text"] for question in sub_questions}
    entries, conflicts = [], []
    for entry in ledger:
        name = entry["sub_question_id"]
        found, sides = _entry(entry, texts.get(name, ""), threshold, day, current)
        entries.append(found)
        if sides:
            conflicts.append(Disagreement(sub_question_id=name, sides=sides, round=known.get(name, round_)))
    return entries, conflicts


def had_its_round(conflict: Disagreement, round_: int) -> bool:
    """Whether a later round than the one that found the conflict has been evaluated by now."""
    return conflict.get("round", 0) < round_


def worth_a_round(gaps: Iterable[Gap], conflicts: Iterable[Disagreement], round_: int) -> list[Gap]:
    """The gaps that a further round may aim at: a conflict that had its one round is not searched for again."""
    closed = {conflict["sub_question_id"] for conflict in conflicts if had_its_round(conflict, round_)}
    return [gap for gap in gaps if gap["kind"] != "conflict" or gap["sub_question_id"] not in closed]


def disagreement(a: Evidence, b: Evidence, question: str, beside: Iterable[str] = ()) -> Contrast | None:
    """Where two pieces of evidence for one sub-question assert different values.

    Versions of one document never do: the current one alone holds. Two places of one version do only if neither may
    be an exception to the other. `beside` are the quotes of all that answers.
    """
    within = a["doc_id"] == b["doc_id"]
    if a["chunk_id"] == b["chunk_id"] or (within and a["version"] != b["version"]):
        return None
    found = contrast(a["quote"], b["quote"], question, first_about=a["title"], second_about=b["title"], beside=beside)
    if found is not None and (found.are_rules or not within):
        return found
    named = b["chunk_id"] in a.get("contradicts", ()) or a["chunk_id"] in b.get("contradicts", ())
    return Contrast((a["quote"], b["quote"])) if named and not within else None


Apart = Mapping[tuple[str, str], Contrast]
"""Pairs of chunks that disagree, in the order of the evidence, with where they do."""


def _entry(
    entry: LedgerEntry, question: str, threshold: float, day: dt.date, current: Mapping[str, str]
) -> tuple[LedgerEntry, list[Side]]:
    plain = [_unmarked(evidence) for evidence in entry["evidence"]]
    strong = [e for e in plain if e["grade"]["score"] >= threshold and "superseded" not in e]
    quotes = [evidence["quote"] for evidence in strong]
    pairs = ((a, b, disagreement(a, b, question, quotes)) for a, b in combinations(strong, 2))
    apart = {(a["chunk_id"], b["chunk_id"]): found for a, b, found in pairs if found is not None}
    lost = _superseded(strong, apart, day, current)
    marked: list[Evidence] = [
        {**evidence, "superseded": lost[evidence["chunk_id"]]} if evidence["chunk_id"] in lost else evidence
        for evidence in plain
    ]
    left = {pair: found for pair, found in apart.items() if not lost.keys() & set(pair)}
    return {**entry, "evidence": marked}, _sides(strong, left)


def _superseded(
    strong: Sequence[Evidence], apart: Apart, day: dt.date, current: Mapping[str, str]
) -> dict[str, Superseded]:
    """By chunk, what yields to another source: where they disagree, its metadata name the other, or it is a version
    of the same document."""
    lost: dict[str, Superseded] = {}
    for loser, winner in permutations(strong, 2):
        pair = loser["chunk_id"], winner["chunk_id"]
        if pair in apart or pair[::-1] in apart or replaces(winner, loser) or loser["doc_id"] == winner["doc_id"]:
            because = yields(loser, winner, day, current)
            if because is not None and (loser["chunk_id"] not in lost or _is_named(because, loser, lost)):
                lost[loser["chunk_id"]] = because
    if len(lost) == len(strong):
        return {}  # metadata that go round in a circle settle nothing
    return {chunk_id: _last(because, lost) for chunk_id, because in lost.items()}


def _is_named(because: Superseded, loser: Evidence, lost: Mapping[str, Superseded]) -> bool:
    """Whether the loser's metadata name this one and not the one found before as what replaced it."""
    before = lost[loser["chunk_id"]]
    return names(loser, because["doc_id"], because["title"]) and not names(loser, before["doc_id"], before["title"])


def _last(because: Superseded, lost: Mapping[str, Superseded]) -> Superseded:
    """What holds at the end of a row of sources each of which yields to the next."""
    for _ in lost:
        following = lost.get(because["chunk_id"])
        if following is None:
            break
        because = {**following, "why": because["why"], "day": because["day"]}
    return because


def _sides(strong: Sequence[Evidence], apart: Apart) -> list[Side]:
    """What disagrees with something, best grade first; of pieces that disagree with the same ones only the best."""
    said: dict[str, tuple[str, str]] = {}
    against: dict[str, set[str]] = {}
    for (a, b), found in apart.items():
        for one, other, sentence, value in zip((a, b), (b, a), found.sentences, found.values, strict=True):
            said.setdefault(one, (sentence, value))
            against.setdefault(one, set()).add(other)
    best = {frozenset(against[e["chunk_id"]]): e for e in reversed(strong) if e["chunk_id"] in against}
    return [_side(e, *said[e["chunk_id"]]) for e in strong if e in best.values()]


def _side(evidence: Evidence, sentence: str, value: str) -> Side:
    start, end = locate(sentence, evidence["quote"]) or (0, len(evidence["quote"]))
    place = {"quote": evidence["quote"][start:end], "start": evidence["start"] + start, "end": evidence["start"] + end}
    return cast(Side, {**evidence, **place, **({"value": value} if value else {})})


def _unmarked(evidence: Evidence) -> Evidence:
    """The evidence as it was graded: what superseded it may be gone, but an old version does not become current."""
    if evidence.get("superseded", {}).get("why") == "version":
        return evidence
    return cast(Evidence, {name: value for name, value in evidence.items() if name != "superseded"})
