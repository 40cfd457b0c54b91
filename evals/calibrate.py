"""Fit the grades of the offline reasoner: `python -m evals.calibrate FOLDER... [--keep DIR] [--clean NAMES]`.

Each FOLDER holds `corpus.jsonl` and `questions.jsonl`. Constants are fitted on the questions whose id hashes even, and
what they make of the odd ones is told. Prints the constants of `reasoner/grading.py`, whose source is decision 0025.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from context.retrieval import Principal, SearchRequest
from corpus.index import Index
from errors import BadRequest, GapseekError
from evals.fitting import Grade, Numbers, Sample, logistic, loosest, passed, weights
from evals.retrieval import ingest
from evals.sets import Case, QuestionSet, from_folder, is_even
from graph.wiring import open_services
from policy.contradiction import Described, contradiction
from settings import Endpoint, Settings
from text.coverage import covered, words_of
from text.language import language
from text.tokens import content_tokens

ACROSS: Final = ", across"
"""Ends the name of a set's part that is asked in another language than it is answered in."""
THRESHOLD: Final = 0.7
MEANING: Final = (0.89, 150.0)
"""Centre and slope of the cosine alone, as in `reasoner/grading.py`: given, since the built-in sample decides them."""
FIT: Final = "cmrc2018_zh,drcd_zh_hant,property_law_zh"
"""Sets on which words and cosines tell an answer from its neighbours at all."""
CANDIDATES: Final = 6
"""Best hits of a question: what a loop of two rounds grades of one sub-question."""
CLEAN: Final = "cmrc2018_zh,drcd_zh_hant"
"""Sets in which a passage that is not gold does not answer: each has a subject of its own."""
ACROSS_CENTRES: Final = tuple(float(c) for c in np.round(np.arange(0.78, 0.90, 0.001), 3))
SHIFTS: Final = tuple(float(s) for s in np.round(np.arange(-4, 2.01, 0.1), 1))

Words = tuple[float, float, float]
Halves = tuple[list[Sample], list[Sample]]
"""The even half and the odd one."""


def grade(words: Words, cosines: Numbers, cover: Numbers) -> Numbers:
    """`reasoner.grading.score` over arrays, with these weights."""
    by_cosine, by_coverage, intercept = words
    in_words = logistic(by_cosine * cosines + by_coverage * cover + intercept)
    return 1 - (1 - in_words) * (1 - across(MEANING[0], cosines, cover))


def across(centre: float, cosines: Numbers, cover: Numbers) -> Numbers:
    """The same where question and passage are in two languages."""
    return logistic(MEANING[1] * (cosines - centre))


async def sample(index: Index, asked: QuestionSet, case: Case) -> tuple[Sample, bool]:
    """The candidates of a question, without those that its names of codes, places and years rule out; and whether the
    best is in another language."""
    asker = Principal()
    hits = await index.search(SearchRequest((case.question,), asker, top_k=CANDIDATES))
    found = list((await index.read([doc["chunk_id"] for doc in hits.docs], asker)).values())
    kept = [p for p in found if not _ruled_out(case.question, Described(p.title, p.heading, p.text, p.metadata))]
    near = await index.statistics.similarities([case.question], [p.chunk_id for p in kept], asker)
    if near is None:
        raise BadRequest("The grades are fitted to cosines, and the embedder is off.")
    idf = {term: index.statistics.idf(term, asker) for term in set(content_tokens(case.question))}
    cover = [covered(idf, *words_of(p.title, p.heading, p.text)) for p in kept]
    gold = [asked.label(p) in case.gold for p in kept]
    foreign = bool(kept) and language(kept[0].text) != language(case.question)
    return Sample(near[0].astype(np.float64), np.array(cover, np.float64), np.array(gold, bool)), foreign


def _ruled_out(question: str, passage: Described) -> bool:
    return contradiction(question, question, passage, language(question)) is not None


async def samples(folder: Path, data: Path, console: Console) -> dict[str, Halves]:
    """Both halves of a set, what is asked in another language apart. Left out are follow-ups, and answerable questions
    whose passage is not found."""
    none = Endpoint()
    asked = from_folder(folder)
    deployed = Settings(chat=none, small_chat=none, embeddings=none, data=data)
    found: dict[str, Halves] = {}
    async with open_services(deployed, sample=False) as services:
        await ingest(services.index, asked, console)
        for case in (case for case in asked.asked if not case.history):
            one, foreign = await sample(services.index, asked, case)
            if one.answerable == bool(case.gold):
                name = asked.name + (ACROSS if foreign else "")
                found.setdefault(name, ([], []))[0 if is_even(case.id) else 1].append(one)
    return found


def fitted(sets: Mapping[str, Halves], clean: Sequence[str]) -> Words:
    """WORDS: the weights by logistic regression, then the intercept."""
    even = [halves[0] for halves in sets.values()]
    by_cosine, by_coverage, intercept = weights(even)
    choices = [(by_cosine, by_coverage, intercept + shift) for shift in SHIFTS]
    return choices[
        loosest([partial(grade, words) for words in choices], even, [sets[name][0] for name in clean], THRESHOLD)
    ]


def fitted_across(sets: Mapping[str, Halves]) -> float:
    """The centre for passages in another language; all questions alike, as most sets have a stray one or none."""
    even = [[one for halves in sets.values() for one in halves[0]]]
    return ACROSS_CENTRES[loosest([partial(across, c) for c in ACROSS_CENTRES], even, even, THRESHOLD)]


def told(sets: Mapping[str, Halves], judge: Grade, table: Table) -> None:
    """A row a set and half: how many answerable questions pass, and how many fail whose passage is absent."""
    for name, halves in sets.items():
        for half, part in zip(("even", "odd"), halves, strict=True):
            answerable, none = ([s for s in part if s.answerable is wanted] for wanted in (True, False))
            gone = [s.without_gold() for s in answerable]
            right = [s.gold[judge(s.cosines, s.covered).argmax()] for s in answerable]
            refused = (1 - passed(samples, judge, THRESHOLD) for samples in (none, gone))
            shares = (passed(answerable, judge, THRESHOLD), *refused, float(np.mean(right)) if right else float("nan"))
            table.add_row(f"{name}, {half}", f"{len(answerable)}", f"{len(none)}", *(f"{s:.2f}" for s in shares))


async def main(options: argparse.Namespace, data: Path, console: Console) -> None:
    """Fit, print the constants, and print what they make of both halves."""
    found: dict[str, Halves] = {}
    for folder in options.folders:
        found |= await samples(folder, data / folder.resolve().name, console)
    foreign = {name: halves for name, halves in found.items() if name.endswith(ACROSS)}
    own = {name: halves for name, halves in found.items() if name not in foreign}
    fit = {name: halves for name, halves in own.items() if name in options.fit}
    words = fitted(fit, [name for name in options.clean if name in fit])
    table = Table("set, half", "answerable", "not", "answerable pass", "not: fail", "gold away: fail", "best is gold")
    told(own, partial(grade, words), table)
    console.print(f"WORDS = ({words[0]:.1f}, {words[1]:.2f}, {words[2]:.1f})")
    if any(halves[0] for halves in foreign.values()):
        centre = fitted_across(foreign)
        console.print(f"ACROSS = ({centre}, {MEANING[1]})")
        told(foreign, partial(across, centre), table)
    console.print(table)


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    parser = argparse.ArgumentParser(prog="python -m evals.calibrate", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="each holds corpus.jsonl and questions.jsonl")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the indexes here, one a set")
    names = partial(str.split, sep=",")
    parser.add_argument("--clean", type=names, default=CLEAN.split(","), help="sets whose other passages do not answer")
    parser.add_argument("--fit", type=names, default=FIT.split(","), help="sets to fit to; the others are told of")
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        data = options.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-calibrate-")))
        try:
            asyncio.run(main(options, data, Console(width=None if sys.stdout.isatty() else 120)))
        except GapseekError as error:
            sys.exit(f"evals.calibrate: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
