"""The two small sets that the package carries are whole, and every answer stands in what is named as gold."""

from __future__ import annotations

from collections import Counter

import pytest

from evals.sets import BUILT_IN, CARRIED, SMALL, Case, QuestionSet, carried

SETS = [carried(name) for name in CARRIED if name != BUILT_IN]
KINDS = {
    "it_handbook_en": {
        "single": 5,
        "paraphrase": 7,
        "multi": 4,
        "needle": 2,
        "version": 1,
        "conflict": 1,
        "follow_up": 2,
        "unanswerable": 2,
        "small_talk": 1,
    },
    "warranty_zh": {
        "single": 5,
        "version": 3,
        "paraphrase": 7,
        "multi": 3,
        "needle": 2,
        "conflict": 1,
        "follow_up": 1,
        "unanswerable": 2,
        "small_talk": 1,
    },
}
ANSWERED = [(asked, case) for asked in SETS for case in asked.cases]


def test_every_folder_is_carried_by_its_name() -> None:
    assert {folder.name for folder in SMALL.iterdir() if folder.is_dir()} == set(CARRIED) - {BUILT_IN}
    assert [asked.name for asked in SETS] == [name for name in CARRIED if name != BUILT_IN]


@pytest.mark.parametrize("asked", SETS, ids=lambda asked: asked.name)
def test_each_has_twelve_documents_and_twenty_five_questions_of_all_kinds(asked: QuestionSet) -> None:
    assert len({document.doc_id for document in asked.documents}) == len(asked.documents) == 12
    assert len({case.question for case in asked.asked}) == 25
    assert dict(Counter(case.kind for case in asked.asked)) == KINDS[asked.name]


@pytest.mark.parametrize("asked", SETS, ids=lambda asked: asked.name)
def test_what_a_question_names_are_documents_and_what_nothing_answers_names_none(asked: QuestionSet) -> None:
    ids = {document.doc_id for document in asked.documents}
    for case in asked.asked:
        assert {*case.gold, *case.contrary} <= ids, case.id
        assert not set(case.gold) & set(case.contrary), case.id
        assert bool(case.gold) == bool(case.points) == case.answerable, case.id
        assert case.answerable != (case.kind in ("unanswerable", "small_talk")), case.id
        assert bool(case.history) == (case.kind == "follow_up"), case.id


@pytest.mark.parametrize(("asked", "case"), ANSWERED, ids=[case.id for _, case in ANSWERED])
def test_each_point_can_be_made_in_the_words_of_the_gold(asked: QuestionSet, case: Case) -> None:
    gold = "\n".join(document.text for document in asked.documents if document.doc_id in case.gold)
    assert [point for point in case.points if not any(wording in gold for wording in point)] == []
