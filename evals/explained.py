"""What each column of a user's questions and each figure means: the tables of docs/evaluate.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evals.markdown import fill
from evals.sheet import COLUMNS

PAGE: Final = Path("docs/evaluate.md")
FIGURES: Final[Mapping[str, str]] = {
    "right": "Something that answers is cited; without gold, every point or one of the answers is said. Where there is "
    "no answer, only a refusal is right; small talk is right when nothing was looked up.",
    "abstention precision": "Of what was refused, the share that the documents do not answer.",
    "abstention recall": "Of what the documents do not answer, the share that was refused.",
    "abstention F1": "The harmonic mean of these two.",
    "answerable refused": "Of what the documents answer, the share that was refused. Low is good.",
    "Recall@5": "Of gold (at most 5), the share among the first five documents of the last round.",
    "all gold@5": "How often all gold is among these.",
    "MRR@10": "1 / rank of the first gold document, 0 beyond the tenth.",
    "nDCG@10": "Gain of gold by its ranks, beside that of the best order.",
    "gold in evidence": "Of gold, the share that was graded as evidence (0.5 or more) in any round.",
    "citation precision": "Of the documents that an answer cites, the share that is gold; over answers that cite.",
    "citation recall": "Of gold, the share that is cited.",
    "points": "Of the points, the share of which one wording stands in the answer.",
    "contains": "How often one of the answers stands in what was said.",
    "token F1": "Words (Chinese: characters) shared with the nearest of the answers.",
    "exact match": "How often what was said is one of the answers, and nothing else.",
    "judged right": "What the judge says, with --judge.",
    "answered directly": "Should have been looked up, and was answered without. Low is good.",
    "small talk looked up": "Small talk that something was looked up for. Low is good.",
    "sufficient without gold": "Stopped as sufficient with no gold in the evidence. Low is good.",
    "went on with gold": "Searched again although all gold had been graded. Low is good.",
    "refused with gold": "Refused although gold had been graded. Low is good.",
    "cites what it must not": "Of questions that name such documents. Low is good.",
    "failed": "Asks that ended in an error. Low is good.",
}


def page(text: str) -> str:
    """The page with its tables written."""
    return fill(text, {"columns": _table("column", COLUMNS), "figures": _table("figure", FIGURES)})


def _table(head: str, rows: Mapping[str, str]) -> str:
    lines = (f"| `{name}` | {told.replace('|', chr(92) + '|')} |" for name, told in rows.items())
    return "\n".join([f"| {head} | what it is |", "| --- | --- |", *lines])


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
