"""The committed question set is whole and leads to articles that exist."""

from __future__ import annotations

from pathlib import Path

from evals.questions import Question, questions

SAMPLE = Path(__file__).parents[3] / "corpus" / "samples" / "elevator"


def test_there_are_twenty_questions_and_the_first_opens() -> None:
    asked = questions()
    assert len({question["id"] for question in asked}) == len(asked) == 20
    assert asked[0]["kind"] == "opening"


def test_every_question_has_all_fields() -> None:
    assert all(question.keys() == Question.__annotations__.keys() for question in questions())


def test_every_gold_article_stands_in_the_sample() -> None:
    text = "\n".join(part.read_text(encoding="utf-8") for part in SAMPLE.glob("*.md"))
    assert [gold for question in questions() for gold in question["gold"] if gold not in text] == []


def test_only_answerable_questions_have_gold() -> None:
    assert all(bool(question["gold"]) == question["answerable"] for question in questions())
