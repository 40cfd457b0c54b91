"""Queries for a conflict look for what holds now, or replaced one of the sides."""

from __future__ import annotations

from typing import get_args

import pytest

from evidence import Disagreement
from policy.drift import added
from reasoner.settling import IN_FORCE, REPLACED, queries_for_conflict
from state import Language
from tests.unit.reasoner import samples


def test_the_subject_and_the_sides_titles_stand_beside_words_of_replacement() -> None:
    conflict: Disagreement = {**samples.CONFLICTS[0]}
    held, replaced = queries_for_conflict("Who bears the 2024 cost?", [conflict], "sq-a", "en")
    assert held == "bears cost in force effective current"
    assert replaced == f"bears cost rules part {REPLACED['en']}"


def test_the_titles_of_another_conflict_stay_out() -> None:
    assert "rules" not in " ".join(queries_for_conflict("damage", samples.CONFLICTS, "sq-b", "en"))


@pytest.mark.parametrize("language", get_args(Language))
def test_the_words_add_nothing_that_the_asker_did_not_say(language: Language) -> None:
    assert added(f"{IN_FORCE[language]} {REPLACED[language]}", "") == []
