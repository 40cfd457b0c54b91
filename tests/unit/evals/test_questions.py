"""The committed question set is whole and leads to what the documents say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evals.overlap import point_recall
from evals.questions import Question, questions
from evals.sets import NOTICES, elevator

SAMPLE = Path(__file__).parents[3] / "corpus" / "samples" / "elevator"
OPTIONAL = {"history", "answers"}
KINDS = {
    "zh": {
        "opening": 1,
        "single": 19,
        "paraphrase": 19,
        "multi": 14,
        "needle": 7,
        "follow_up": 8,
        "unanswerable": 7,
        "small_talk": 3,
        "conflict": 2,
    },
    "en": {
        "single": 6,
        "paraphrase": 4,
        "multi": 3,
        "needle": 1,
        "follow_up": 2,
        "unanswerable": 2,
        "small_talk": 1,
        "conflict": 1,
    },
}


def texts() -> str:
    return "\n".join(part.read_text("utf-8") for folder in (SAMPLE, NOTICES) for part in sorted(folder.glob("*.md")))


def test_there_are_eighty_questions_in_chinese_and_twenty_in_english_and_the_first_opens() -> None:
    asked = questions()
    assert [question["id"] for question in asked] == [f"elevator-{n:02}" for n in range(1, 101)]
    assert len({question["question"] for question in asked}) == len(asked)
    assert {lang: dict(Counter(q["kind"] for q in asked if q["lang"] == lang)) for lang in KINDS} == KINDS
    assert asked[0]["kind"] == "opening"


def test_every_question_has_all_fields() -> None:
    assert all(question.keys() - OPTIONAL == Question.__annotations__.keys() - OPTIONAL for question in questions())


def test_every_gold_article_stands_in_the_documents() -> None:
    text = texts()
    assert [gold for question in questions() for gold in question["gold"] if gold not in text] == []


def test_only_answerable_questions_have_gold_and_points() -> None:
    for question in questions():
        assert bool(question["gold"]) == bool(question["points"]) == question["answerable"], question["id"]
        assert bool(question.get("answers")) == question["answerable"], question["id"]
        assert question["answerable"] != (question["kind"] in ("unanswerable", "small_talk")), question["id"]
        assert bool(question.get("history")) == (question["kind"] == "follow_up"), question["id"]


@pytest.mark.parametrize("question", [q for q in questions() if q["points"]], ids=lambda question: question["id"])
def test_each_point_can_be_made_in_the_words_of_the_gold(question: Question) -> None:
    """An answer that only quotes must be able to make every point."""
    gold = _gold(question)
    assert [point for point in question["points"] if not any(wording in gold for wording in point)] == []


@pytest.mark.parametrize("question", [q for q in questions() if q["points"]], ids=lambda question: question["id"])
def test_one_whole_answer_at_least_is_in_the_words_of_the_gold_and_makes_every_point(question: Question) -> None:
    gold = _gold(question)
    quoted = [answer for answer in question["answers"] if all(part in gold for part in answer.split("；"))]
    assert quoted
    assert any(point_recall(answer, question["points"]) == 1.0 for answer in quoted)


def _gold(question: Question) -> str:
    return "".join(
        part
        for document in elevator().documents
        for part in _articles(document.text, document.title or "")
        if any(label in part for label in question["gold"])
    )


def _articles(text: str, title: str) -> list[str]:
    """The paragraphs of a text; a notice is one."""
    return text.split("\n\n") if "第" in title and "部分" in title else [f"{title} {text}"]
