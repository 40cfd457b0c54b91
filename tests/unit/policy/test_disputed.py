from __future__ import annotations

import pytest

from policy.disputed import disputes, stance
from tests.unit.policy.test_ledger import evidence


def side(chunk: str, weeks: int) -> dict[str, object]:
    quote = f"Parental leave lasts {weeks} weeks."
    return {**evidence("q1", chunk, 0.9), "quote": quote, "value": f"{weeks} weeks"}


CONFLICT = {"sub_question_id": "q1", "sides": [side("a", 14), side("b", 20)]}
AMONG = disputes([CONFLICT], {"a": 1, "b": 2, "c": 3}, {"q1": [1, 2]})  # type: ignore[list-item]  # plain dicts


@pytest.mark.parametrize(
    ("words", "cited", "expected"),
    [
        ("Parental leave lasts 14 weeks.", [1], "one side"),
        ("Leave lasts 20 weeks.", [2], "one side"),
        ("It is 17 weeks on average.", [1, 2], "no side"),
        ("One rule says 14 weeks, the other 20 weeks.", [1, 2], None),
        ("The sources disagree: one says 14 weeks.", [1], None),
        ("Leave is paid.", [1], None),
        ("The notice period is 14 weeks.", [3], None),
    ],
)
def test_what_a_sentence_makes_of_a_dispute(words: str, cited: list[int], expected: str | None) -> None:
    assert stance(words, cited, AMONG) == expected
