"""What a correction may say."""

from __future__ import annotations

import pytest

import errors
from corpus.correction import Correction


def test_values_are_set_and_unset_and_null_is_a_value() -> None:
    correction = Correction(set={"draft": None, "page": 0}, unset=frozenset({"year"}))
    correction.check()
    assert correction.metadata({"year": 2024, "city": "上海"}) == {"city": "上海", "draft": None, "page": 0}


@pytest.mark.parametrize(
    "correction",
    [
        Correction(),
        Correction(set={"a": 1}, unset=frozenset({"a"})),
        Correction(groups=frozenset(), groups_as_given=True),
        Correction(set={"title": "x"}),
        Correction(set={"doc_id": "x"}),
        Correction(set={"access": {"groups": []}}),
    ],
)
def test_what_says_nothing_or_too_much_is_refused(correction: Correction) -> None:
    with pytest.raises(errors.BadRequest):
        correction.check()


@pytest.mark.parametrize(
    "correction",
    [Correction(unset=frozenset({"yaer"})), Correction(set={"$x": 1}), Correction(set={"a": float("nan")})],
)
def test_what_cannot_be_kept_or_was_never_set_is_refused(correction: Correction) -> None:
    with pytest.raises(errors.BadRequest):
        correction.metadata({"year": 2024})


def test_no_groups_at_all_is_a_change() -> None:
    Correction(groups=frozenset()).check()
