"""Hybrid search side by side, with and without a filter: how soon, and how near to the exact answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, Final

from evals.bench.contender import Contender
from evals.bench.exact import Exact
from evals.bench.gapseek import Gapseek
from evals.bench.material import TENTHS
from evals.bench.timing import Times, interleaved

WARM_UP: Final = 2

Asked = tuple[str, int | None]
"""A question and the tenth that it is filtered to."""
Row = dict[str, Any]


def compare(
    contenders: Sequence[Contender], exact: Exact, questions: Iterator[str], rounds: int, most_seconds: float
) -> list[Row]:
    """A row a contender and filter; the first contender is the one that ratios are to.

    Every timed question is new to everybody, so that no cache of results can answer; every filter was used before.
    """
    plain = _compare(contenders, exact, _asked(questions, rounds + WARM_UP), WARM_UP, most_seconds)
    tenths = _asked(questions, rounds + TENTHS, filtered=True)
    return [*plain, *_compare(contenders, exact, tenths, TENTHS, most_seconds)]


def keyword(ours: Gapseek, exact: Exact, questions: Iterator[str], rounds: int, most_seconds: float) -> list[Row]:
    """The keyword lane alone against `rank_bm25`; raises when a score differs by more than 1e-9."""
    asked = [next(questions) for _ in range(rounds + WARM_UP)]
    for question in asked[:WARM_UP]:
        _same_scores(ours, exact, question)
    mine, theirs = iter(asked[WARM_UP:]), iter(asked[WARM_UP:])
    times = interleaved(
        [lambda: ours.lane(next(mine), "keyword"), lambda: exact.words(next(theirs))], rounds, most_seconds
    )
    return [_row(name, of_one, times[0]) for name, of_one in zip((ours.name, "rank_bm25"), times, strict=True)]


def vector_recall(ours: Gapseek, exact: Exact, questions: Sequence[str], depth: int = 10) -> float:
    """The share of the nearest ten, by comparing every vector, that the vector lane finds."""
    shares = []
    for question in questions:
        found = {name for doc in ours.lane(question, "vector", depth).docs for name in _names(doc)}
        shares.append(len(found & set(exact.nearest(question, depth))) / depth)
    return fmean(shares)


def _names(doc: Mapping[str, Any]) -> list[str]:
    """The piece, and those that were found and left out because they say the same."""
    return [doc["doc_id"], *doc.get("also_in", ())]


def _asked(questions: Iterator[str], count: int, *, filtered: bool = False) -> list[Asked]:
    return [(next(questions), number % TENTHS if filtered else None) for number in range(count)]


def _compare(
    contenders: Sequence[Contender], exact: Exact, asked: Sequence[Asked], warm_up: int, most_seconds: float
) -> Iterator[Row]:
    for contender in contenders:
        for question, tenth in asked[:warm_up]:
            contender.search(question, tenth)
    timed = asked[warm_up:]
    answers: list[list[list[str]]] = [[] for _ in contenders]
    calls: list[Callable[[], object]] = [
        partial(_ask, contender, iter(timed), given) for contender, given in zip(contenders, answers, strict=True)
    ]
    times = interleaved(calls, len(timed), most_seconds)
    wanted = [exact.search(question, tenth) for question, tenth in timed[: len(answers[0])]]
    for contender, of_one, given in zip(contenders, times, answers, strict=True):
        yield _row(contender.name, of_one, times[0]) | {"filter": timed[0][1] is not None} | _near(given, wanted)


def _ask(contender: Contender, asked: Iterator[Asked], answers: list[list[str]]) -> None:
    answers.append([name for name, _ in contender.search(*next(asked))])


def _row(name: str, times: Times, ours: Times) -> Row:
    return {"contender": name, **times.milliseconds(), "ratio": round(times.p50 / ours.p50, 2)}


def _near(given: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> Row:
    pairs = list(zip(given, wanted, strict=True))
    return {
        "overlap_10": round(fmean(len(set(mine) & set(best)) / len(best) for mine, best in pairs), 3),
        "same_first": round(fmean(float(mine[:1] == best[:1]) for mine, best in pairs), 3),
    }


def _same_scores(ours: Gapseek, exact: Exact, question: str) -> None:
    scores = exact.scores(question)
    for doc in ours.lane(question, "keyword").docs:
        difference = abs(doc["lanes"][0]["score"] - scores[doc["doc_id"]])
        if difference > 1e-9:
            raise AssertionError(f"The keyword lane's score differs from rank_bm25's by {difference}.")
