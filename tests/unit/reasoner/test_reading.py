"""Replies of a model become values that nodes can trust."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import BANDS, ProposedQuery, Rewrite, Route, band_of
from evidence import Band
from reasoner.reading import judgements_of, repairs_of, rewrite_of, route_of
from reasoner.schemas import ContradictionForm, GradeForm, GradesForm, RewriteAgainForm, RewriteForm, RouteForm
from tests.unit.reasoner import samples

CHUNKS = [passage.chunk_id for passage in samples.PASSAGES]


def grade(
    passage: int = 1, sub_question: int = 1, band: Band = "direct", score: float = 0.95, **more: Any
) -> GradeForm:
    said = {"reason": " because ", "quote": "The site owner bears repairs of the gate."} | more
    return GradeForm(passage=passage, sub_question=sub_question, band=band, score=score, **said)


def grades(*given: GradeForm) -> GradesForm:
    return GradesForm(reason="", grades=list(given))


def rewrite(sub_questions: list[tuple[str, bool]], queries: list[tuple[str, int]]) -> Rewrite:
    form = RewriteForm.model_validate(
        {
            "reason": "",
            "sub_questions": [{"text": text, "required": required} for text, required in sub_questions],
            "queries": [{"text": text, "sub_question": number} for text, number in queries],
        }
    )
    return rewrite_of(form, samples.first_rewrite())


def test_a_route_without_a_standalone_question_keeps_the_askers_words() -> None:
    form = RouteForm(reason=" a fact ", need_retrieval=True, standalone=" ")
    assert route_of(form, samples.route_request()) == Route(True, "a fact", samples.QUESTIONS["en"])


def test_judgements_cover_every_pair_in_order_with_the_ids_of_the_request() -> None:
    judged = judgements_of(grades(grade(passage=3, sub_question=2)), samples.grade_request())
    assert [(j.chunk_id, j.sub_question_id) for j in judged] == [(c, s) for c in CHUNKS for s in ("sq-a", "sq-b")]
    assert [j.band for j in judged] == ["irrelevant"] * 5 + ["direct"]


@pytest.mark.parametrize(("language", "word"), [("en", "named no relation"), ("zh", "未指出")])
def test_a_pair_that_was_left_out_is_irrelevant_and_says_so(language: Any, word: str) -> None:
    judged = judgements_of(grades(), samples.grade_request(language))
    assert {(j.band, j.score, j.quote) for j in judged} == {("irrelevant", 0.0, "")}
    assert all(word in j.reason for j in judged)


@pytest.mark.parametrize(
    "stranger", [grade(passage=0), grade(passage=9), grade(sub_question=7), grade(sub_question=-1)]
)
def test_numbers_that_were_never_given_are_dropped(stranger: GradeForm) -> None:
    assert judgements_of(grades(stranger), samples.grade_request()) == judgements_of(grades(), samples.grade_request())


def test_the_first_grade_of_a_pair_counts() -> None:
    judged = judgements_of(grades(grade(score=0.91), grade(band="partial", score=0.6)), samples.grade_request())
    assert (judged[0].band, judged[0].score, judged[0].reason) == ("direct", 0.91, "because")


@given(band=st.sampled_from(get_args(Band)), score=st.floats())
def test_a_score_lies_in_its_band(band: Band, score: float) -> None:
    judged = judgements_of(grades(grade(band=band, score=score)), samples.grade_request())[0]
    assert judged.band == band == band_of(judged.score)
    assert BANDS[band][0] <= judged.score <= BANDS[band][1]


@pytest.mark.parametrize(
    ("claimed", "quote"),
    [
        ("owner  bears repairs of the gate.", "owner bears repairs\nof the gate."),
        ("The site owner pays.", ""),
        ("", ""),
    ],
)
def test_a_quote_is_the_passages_own_words_or_nothing(claimed: str, quote: str) -> None:
    assert judgements_of(grades(grade(quote=claimed)), samples.grade_request())[0].quote == quote


def test_an_irrelevant_passage_supports_nothing() -> None:
    judged = judgements_of(grades(grade(band="irrelevant", score=0.2)), samples.grade_request())[0]
    assert (judged.quote, judged.score) == ("", 0.2)


def test_a_quote_of_a_neutralised_delimiter_is_found() -> None:
    request = samples.grade_request(passages=(samples.passage(1, "Close it with </passage> always."),))
    judged = judgements_of(grades(grade(quote="with &lt;/passage> always")), request)[0]
    assert judged.quote == "with </passage> always"


def contradiction(first: int, second: int, sub_question: int = 1) -> GradesForm:
    named = ContradictionForm(sub_question=sub_question, reason="two sums", first=first, second=second)
    return GradesForm(reason="", grades=[grade(1), grade(2)], contradictions=[named, named])


def test_a_contradiction_names_the_other_chunk_on_both_sides() -> None:
    judged = judgements_of(contradiction(1, 2), samples.grade_request())
    named = {(j.chunk_id, j.sub_question_id): j.contradicts for j in judged if j.contradicts}
    assert named == {(CHUNKS[0], "sq-a"): (CHUNKS[1],), (CHUNKS[1], "sq-a"): (CHUNKS[0],)}


@pytest.mark.parametrize(
    "form", [contradiction(1, 1), contradiction(1, 9), contradiction(0, 8), contradiction(1, 2, 7)]
)
def test_a_contradiction_of_numbers_that_were_never_given_counts_for_nothing(form: GradesForm) -> None:
    assert not any(j.contradicts for j in judgements_of(form, samples.grade_request()))


def test_a_reply_without_contradictions_is_read() -> None:
    assert GradesForm.model_validate({"reason": "", "grades": []}).contradictions == []
    assert "contradictions" in GradesForm.json_form()["required"]


def test_what_is_made_good_is_counted() -> None:
    given = [grade(score=0.2), grade(), grade(passage=9), grade(passage=2, band="partial", score=0.6)]
    assert repairs_of(grades(*given), samples.grade_request()) == {
        "missing": 4,
        "dropped": 2,
        "rescored": 1,
        "unquoted": 0,
    }


def test_a_first_rewrite_keeps_order_and_maps_queries_to_items() -> None:
    got = rewrite([("who pays", True), ("what proves it", False)], [("cost bearer", 1), ("proof", 2), ("all", 0)])
    assert got.sub_questions == (("who pays", True), ("what proves it", False))
    assert got.queries == (ProposedQuery("cost bearer", 1), ProposedQuery("proof", 2), ProposedQuery("all", None))


def test_blanks_and_repeats_are_dropped_and_numbers_follow() -> None:
    got = rewrite(
        [(" ", True), ("a", False), ("a ", True), ("b", False)], [("x", 3), ("y", 4), (" x ", 1), ("", 2), ("z", 1)]
    )
    assert got.sub_questions == (("a", True), ("b", False))
    assert got.queries == (ProposedQuery("x", 1), ProposedQuery("y", 2), ProposedQuery("z", None))


def test_a_list_longer_than_allowed_is_cut() -> None:
    got = rewrite([(str(n), True) for n in range(9)], [(f"q{n}", n + 1) for n in range(9)])
    assert len(got.sub_questions) == 6
    assert [query.gap for query in got.queries] == [1, 2, 3, 4, 5, 6]


def test_a_later_rewrite_names_items_of_the_request_and_no_checklist() -> None:
    form = RewriteAgainForm.model_validate(
        {"reason": "", "queries": [{"text": "photo\n evidence", "sub_question": 2}, {"text": "x", "sub_question": 3}]}
    )
    got = rewrite_of(form, samples.later_rewrite())
    assert got == Rewrite((), (ProposedQuery("photo evidence", 2), ProposedQuery("x", None)))


def test_passages_of_the_request_may_be_any_number() -> None:
    request = dataclasses.replace(samples.grade_request(), passages=())
    assert judgements_of(grades(grade()), request) == ()
