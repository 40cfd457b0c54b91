from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evals.calibrate import CLEAN, FIT, Halves, fitted, fitted_across, run
from evals.fitting import Sample


def one(cosine: float, covered: float, *, gold: bool) -> Sample:
    """A candidate that answers or not, beside one that is far off."""
    return Sample(np.array([cosine, 0.8]), np.array([covered, 0.0]), np.array([gold, False]))


def drawn(seed: int) -> list[Sample]:
    random = np.random.default_rng(seed)
    answerable = [one(random.normal(0.91, 0.01), random.uniform(0.5, 1), gold=True) for _ in range(60)]
    return answerable + [one(random.normal(0.87, 0.01), random.uniform(0, 0.6), gold=False) for _ in range(60)]


def passing(samples: list[Sample], words: tuple[float, float, float]) -> int:
    a, b, c = words
    return sum(a * s.cosines[0] + b * s.covered[0] + c >= np.log(0.7 / 0.3) for s in samples)


def test_the_fit_is_made_on_the_even_half_alone_and_separates_the_odd_one() -> None:
    sets: dict[str, Halves] = {"a": (drawn(1), drawn(2))}
    words = fitted(sets, ["a"])
    assert fitted({"a": (drawn(1), [])}, ["a"]) == words
    odd = drawn(2)
    assert passing([s for s in odd if s.answerable], words) >= 54
    assert passing([s for s in odd if not s.answerable], words) <= 9


def test_the_centre_for_another_language_lies_between_gold_and_the_rest() -> None:
    even = [one(0.84, 0, gold=True) for _ in range(20)]
    assert 0.795 <= fitted_across({"a": (even, [])}) <= 0.84


def test_clean_sets_are_among_those_fitted_to() -> None:
    assert set(CLEAN.split(",")) <= set(FIT.split(","))


def test_a_folder_that_is_no_set_ends_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"evals\.calibrate: There is no corpus\.jsonl in that folder\."):
        run([str(tmp_path)])
