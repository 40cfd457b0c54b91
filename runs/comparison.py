"""Two runs beside each other: what one asked, found, decided and cost, and the other did not. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from policy.budget import BUDGETS
from policy.step_cost import spent_between
from runs.differing import differs, ran_on
from state import RAGState

_WORD: Final = re.compile(r"[^\W_\u2e80-\uffff]+\s*|\s+|.", re.DOTALL)
"""A word of letters and digits with the space after it, space, or one character: Chinese has no space between words."""

Reply = Mapping[str, Any]


def compared(first: RAGState, second: RAGState, said: tuple[Reply, Reply]) -> dict[str, Any]:
    """What differs between two runs, whose replies show no more than their reader may see."""
    a, b = said
    return {
        "questions": _both(first["question"], second["question"]),
        "mode": _both(first["mode"], second["mode"]),
        "filters": _both(first["filters"], second["filters"]),
        "status": _both(a["status"], b["status"]),
        "stop_reason": _both(a["stop_reason"], b["stop_reason"]),
        "relevance_score": _both(a["relevance_score"], b["relevance_score"]),
        "rounds": _both(_rounds(first), _rounds(second)),
        "sub_questions": _lists(_texts(first["sub_questions"]), _texts(second["sub_questions"])),
        "queries": _lists(_texts(first["tried"]), _texts(second["tried"])),
        "evidence": _evidence(a, b),
        "answer": {**_both(a["answer"], b["answer"]), "words": word_diff(a["answer"], b["answer"])},
        "dials": _dials(first, second),
        "ran_on": _both(ran_on(first["recorded"]), ran_on(second["recorded"])),
        "differs": differs(first["recorded"], second["recorded"]),
        "cost": _both(spent_between(None, first["spent"]), spent_between(None, second["spent"])),
    }


def word_diff(before: str, after: str) -> list[dict[str, str]]:
    """The pieces of both texts in order, each `same`, only `before`, or only `after`."""
    words, others = _WORD.findall(before), _WORD.findall(after)
    pieces: list[dict[str, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append({"kind": "same", "text": "".join(words[i:j])})
            continue
        told = (("before", words[i:j]), ("after", others[k:m]))
        pieces += [{"kind": side, "text": "".join(piece)} for side, piece in told if piece]
    return pieces


def _both(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


def _rounds(state: RAGState) -> int:
    """Rounds that were searched: none of a turn that looked nothing up."""
    return state["retry_count"] + 1 if state["tried"] else 0


def _texts(items: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(item["text"]) for item in items))


def _lists(before: list[str], after: list[str]) -> dict[str, list[str]]:
    return {
        "lost": [one for one in before if one not in after],
        "gained": [one for one in after if one not in before],
        "kept": [one for one in before if one in after],
    }


def _evidence(before: Reply, after: Reply) -> dict[str, Any]:
    """By chunk and by what the sub-question says: its id may mean another one in the other run."""
    old, new = _by_place(before), _by_place(after)
    regraded = [place for place in old if place in new and old[place]["grade"] != new[place]["grade"]]
    return {
        "lost": [one for place, one in old.items() if place not in new],
        "gained": [one for place, one in new.items() if place not in old],
        "regraded": [
            {**_named(new[place]), **_both(old[place]["grade"]["score"], new[place]["grade"]["score"])}
            for place in regraded
        ],
        "kept": sum(place in new for place in old),
    }


def _by_place(said: Reply) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (entry["text"], one["chunk_id"]): {"sub_question": entry["text"], **one}
        for entry in said["ledger"]
        for one in entry["evidence"]
    }


def _named(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {name: evidence[name] for name in ("sub_question", "chunk_id", "doc_id", "title")}


def _dials(first: RAGState, second: RAGState) -> dict[str, Any]:
    """The dials that are not the same, of those that a caller can turn."""
    before, after = dict(first["dials"]), dict(second["dials"])
    names = (*BUDGETS, "threshold", "top_k")
    return {name: _both(before[name], after[name]) for name in names if before[name] != after[name]}
