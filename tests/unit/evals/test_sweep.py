from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.sweep import Point, frontier, grid, knee, sweep
from tests.unit.evals.test_compare import asked


def test_the_knee_of_the_papers_example() -> None:
    x = np.linspace(0.0, 1.0, 10)
    assert knee(x.tolist(), (-1 / (x + 0.1) + 5).tolist()) == 2


@pytest.mark.parametrize(
    ("x", "y", "place"),
    [
        ([1, 2, 3], [0.0, 0.5, 1.0], None),
        ([1, 2, 3], [0.0, 0.1, 1.0], None),
        ([1, 2, 10], [0.2, 0.5, 0.6], 1),
        ([1, 2], [0.0, 1.0], None),
        ([], [], None),
    ],
)
def test_a_curve_without_a_bend_has_no_knee(x: list[float], y: list[float], place: int | None) -> None:
    assert knee(x, y) == place


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_nothing_as_cheap_is_better_than_a_point_of_the_frontier(pairs: list[tuple[int, int]]) -> None:
    points = [Point(str(n), 0.7, 1, right / 9, spent) for n, (spent, right) in enumerate(pairs)]
    best = frontier(points)
    assert all(p.spent < q.spent and p.right < q.right for p, q in pairwise(best))
    assert all(any(b.spent <= p.spent and b.right >= p.right for b in best) for p in points)


def test_a_sweep_worked_out_by_hand() -> None:
    few, some, many, waste = grid([0.6], [0, 1, 2, 3])
    found = sweep(
        [
            *asked(few, "1000000000", searches=1),
            *asked(some, "1111111000", searches=2),
            *asked(many, "1111111100", searches=6),
            *asked(waste, "1111111100", searches=8),
            *asked("hybrid", "1", searches=1),
        ]
    )
    assert found is not None
    assert (found.cost, found.questions) == ("searches", 10)
    assert [(p.threshold, p.max_retries, p.right, p.spent) for p in found.points] == [
        (0.6, 0, 0.1, 1.0),
        (0.6, 1, 0.7, 2.0),
        (0.6, 2, 0.8, 6.0),
        (0.6, 3, 0.8, 8.0),
    ]
    assert [p.mode for p in found.frontier] == [few, some, many]
    assert found.knee is not None
    assert found.knee.mode == some


def test_with_a_model_the_curve_is_over_tokens() -> None:
    found = sweep([r for mode in grid([0.7], [0, 1]) for r in asked(mode, "10", tokens=9, searches=2)])
    assert found is not None
    assert found.cost == "tokens"


def test_one_point_is_no_sweep() -> None:
    assert sweep(asked(grid([0.7], [0])[0], "11")) is None
    assert sweep(asked("loop", "11")) is None
