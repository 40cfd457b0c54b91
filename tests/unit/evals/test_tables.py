from __future__ import annotations

from dataclasses import replace

from evals.measure import LookAlikes
from evals.tables import retrieval_blocks
from tests.unit.evals.made import result, row

ONE = result(
    "one",
    *(row(way, score) for way, score in (("bm25", 0.9), ("vector", 0.5), ("hybrid", 0.8))),
    *(row(way, 1.0, kind="city", filtered=True) for way in ("bm25", "vector", "hybrid")),
    caught=LookAlikes(34, 0.853, 0.0),
)
TWO = result("two", row("bm25", 0.7), row("vector", 0.8), row("hybrid", 0.9))
BLOCKS = retrieval_blocks([ONE, TWO], {("one", "all", False): 0.88, ("one", "city", True): 0.96})


def test_a_row_a_set_and_the_mean_of_them() -> None:
    assert BLOCKS["recall"].splitlines() == [
        "| set | questions | bm25 | vector | hybrid | bm25 to baseline |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| one | 10 | 0.900 | 0.500 | 0.800 | +0.020 |",
        "| two | 10 | 0.700 | 0.800 | 0.900 |  |",
        "| mean of public sets |  | 0.800 | 0.650 | 0.850 |  |",
    ]


def test_all_metrics_a_row_a_set_and_way() -> None:
    assert "| two | hybrid | 0.900 | 0.900 | 0.450 | 0.225 | 1 |" in BLOCKS["ranking"].splitlines()
    assert "| mean of public sets | vector | 0.650 | 0.650 | 0.325 | 0.163 | 7 |" in BLOCKS["ranking"].splitlines()


def test_kinds_with_and_without_filter() -> None:
    assert BLOCKS["kinds"].splitlines()[2:] == ["| one, city + filter | 10 | 1.000 | 1.000 | 1.000 | +0.040 |"]


def test_sets_of_the_same_code_and_versions_are_told_together() -> None:
    versions = {"code": "c0de", "gapseek": "1", "python": "3.11", "processors": 2, "system": "Linux", "packages": {}}
    known = [replace(one, versions=versions) for one in (ONE, TWO)]
    before = result("old", row("bm25", 0.7))
    assert retrieval_blocks([*known, before], {})["retrieval-sources"].splitlines() == [
        "* `one`, `two`: search code c0de; gapseek 1; embedder hash; Python 3.11, 2 processors, Linux.",
        "* `old`: versions not recorded; embedder hash.",
    ]


def test_sets_far_below_and_look_alikes() -> None:
    assert BLOCKS["far-below"].splitlines()[2:] == ["| one | bm25 | 0.900 | 0.800 |"]
    assert BLOCKS["look-alikes"].splitlines()[2:] == ["| one | 34 | 0.853 | 0.000 |"]
    assert retrieval_blocks([TWO], {})["far-below"] == retrieval_blocks([TWO], {})["look-alikes"] == "None."
