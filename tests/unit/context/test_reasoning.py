"""The anchors of a grade."""

from __future__ import annotations

import itertools
import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import BANDS, band_of, clamp
from evidence import Band

bands = st.sampled_from(get_args(Band))


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (1.0, "direct"),
        (0.9, "direct"),
        (0.89, "inference"),
        (0.7, "inference"),
        (0.69, "partial"),
        (0.5, "partial"),
        (0.49, "irrelevant"),
        (-3.0, "irrelevant"),
        (math.nan, "irrelevant"),
    ],
)
def test_bands_are_half_open(score: float, band: Band) -> None:
    assert band_of(score) == band


def test_bands_cover_zero_to_one_without_a_hole() -> None:
    assert set(BANDS) == set(get_args(Band))
    edges = list(BANDS.values())
    assert all(upper[0] == lower[1] for upper, lower in itertools.pairwise(edges))
    assert (edges[-1][0], edges[0][1]) == (0.0, 1.0)


@given(band=bands, score=st.floats())
def test_a_clamped_score_lies_in_its_band(band: Band, score: float) -> None:
    clamped = clamp(band, score)
    assert band_of(clamped) == band
    assert band_of(round(clamped, 2)) == band, "two decimals must not show the next band"
    assert clamp(band, clamped) == clamped


@given(band=bands, one=st.floats(0, 1), other=st.floats(0, 1))
def test_clamping_keeps_order(band: Band, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert clamp(band, low) <= clamp(band, high)


@pytest.mark.parametrize(
    ("band", "top"), [("direct", 1.0), ("inference", 0.89), ("partial", 0.69), ("irrelevant", 0.49)]
)
def test_the_top_of_a_band(band: Band, top: float) -> None:
    assert clamp(band, 7.0) == top
