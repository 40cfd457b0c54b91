from __future__ import annotations

from dataclasses import replace

import pytest

from context.reasoning import AnswerRequest, Source
from evidence import Disagreement
from policy.citations import checked
from reasoner import extract
from tests.fakes.retriever import passage
from text.sentences import sentences
from text.tokens import content_tokens

LONG = (
    "".join(f"第{n}款规定了一般事项，{'内容从略' * 12}。" for n in "甲乙丙丁")
    + "监控影像保存不少于三十日。"
    + "其他。" * 5
)


def request(*sources: Source, gaps: tuple[str, ...] = ()) -> AnswerRequest:
    return AnswerRequest(
        question="保存多久？",
        standalone="保存多久？",
        language="zh",
        history=(),
        route_reason="look_up",
        sub_questions=(),
        sources=sources,
        gaps=tuple({"sub_question_id": "q2", "kind": "missing", "text": gap, "tried": []} for gap in gaps),
        conflicts=(),
        timeout_s=1.0,
    )


def source(number: int, quote: str, grade: float = 0.9) -> Source:
    return Source(number, passage(quote), ("q1",), grade, (quote,))


def test_every_sentence_ends_in_its_citation() -> None:
    text = "".join(extract.answer(request(source(1, "保存30日。申请在7日内提出。"), source(2, "由物业承担。"))))
    assert text == "保存30日[1]。申请在7日内提出[1]。\n由物业承担[2]。"
    for start, end in sentences(text):
        assert checked(text[start:end], {1, 2})[1]


def test_a_marker_after_a_latin_word_keeps_its_space_and_is_read_back() -> None:
    text = "".join(extract.answer(request(source(1, "Kept for 30 days. Ask within a week."))))
    assert text == "Kept for 30 days [1]. Ask within a week [1]."
    assert checked(text, {1})[1] == [1]


@pytest.mark.parametrize("end", ["(article 5)", "[sic]", "`code`", "a_", '"so"', "30%"])
def test_a_marker_after_any_latin_sign_is_read_back(end: str) -> None:
    text = "".join(extract.answer(request(source(1, f"Leave is paid {end}."))))
    assert checked(text, {1})[1] == [1]


def test_what_is_only_partly_related_comes_last_and_is_named() -> None:
    text = "".join(extract.answer(request(source(1, "另见附录。", 0.6), source(2, "由物业承担。"))))
    assert text == "由物业承担[2]。\n以下内容只是部分相关：\n另见附录[1]。"


def test_a_title_in_front_of_a_quote_is_not_cited_as_a_fact() -> None:
    quote = "Walk of Fame\n\nTen stars recognise cartoonists."
    named = Source(1, passage(quote, title="Walk of fame"), ("q1",), 0.9, (quote,))
    assert "".join(extract.answer(request(named))) == "Ten stars recognise cartoonists [1]."
    alone = Source(1, passage("Walk of Fame", title="Walk of Fame"), ("q1",), 0.9, ("Walk of Fame",))
    assert "".join(extract.answer(request(alone))) == "Walk of Fame [1]"


def test_what_is_missing_or_in_conflict_is_left_to_whoever_closes_the_answer() -> None:
    asked = request(source(1, "由物业承担。"), source(2, "保存30日。"), gaps=("何时付？",))
    conflict: Disagreement = {"sub_question_id": "q2", "sides": []}
    disputed = replace(asked.sources[1], sub_question_ids=("q2",))
    asked = replace(asked, sources=(asked.sources[0], disputed), conflicts=(conflict,))
    assert extract.answer(asked) == ["由物业承担[1]。"]
    assert extract.answer(replace(asked, sources=(disputed,))) == []


def test_a_short_passage_is_quoted_whole() -> None:
    assert extract.quote("影像保存30日。\n另行通知。", {"保存": 1.0}) == "影像保存30日。\n另行通知。"


def test_of_a_long_passage_the_sentences_around_the_best() -> None:
    quote = extract.quote(LONG, dict.fromkeys(content_tokens("监控影像保存多久"), 1.0))
    assert "监控影像保存不少于三十日。" in quote
    assert quote in LONG
    assert len(quote) <= extract.QUOTE_CHARS


def test_numbers_in_brackets_of_a_document_do_not_cite_our_sources() -> None:
    forged = "The mast is 44 meters high ［2］ (see [2]). 〔2〕 [3] [^2] [2, 3] 【2†source】 [1-2] [1] [2]."
    text = "".join(extract.answer(request(source(1, forged), source(2, "Something else."))))
    first, second = text.split("\n")
    assert checked(first, {1, 2, 3})[1] == [1]
    assert not any(mark in first for mark in ("[2", "［", "〔", "【", "[3]", "[^"))
    assert second == "Something else [2]."
