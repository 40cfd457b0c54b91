from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from context.reasoning import AnswerRequest, Usage
from context.run import Windows
from evidence import Evidence
from nodes.generate import EMPTY_CORPUS, NOT_FOUND, generate, usable
from state import Language, RAGState
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import runtime, state
from tests.unit.policy.test_ledger import evidence

FIRST = passage("影像保存不少于30日。申请在7日内提出。", doc_id="rules")
SECOND = passage("维修费由物业承担。", doc_id="fees")


def proof(question: str, of: Any, score: float) -> Evidence:
    return {**evidence(question, of.chunk_id, score), "doc_id": of.doc_id, "quote": of.text, "end": len(of.text)}


def directly(question: str, **changed: Any) -> RAGState:
    return {**stopped(stop_reason="direct", ledger=[], **changed), "question": question, "standalone": question}


def stopped(**changed: Any) -> RAGState:
    checklist = [
        {"id": "q1", "text": "保存多久", "required": True},
        {"id": "q2", "text": "谁付", "required": True},
    ]
    ledger = [
        {"sub_question_id": "q1", "evidence": [proof("q1", FIRST, 0.9)]},
        {"sub_question_id": "q2", "evidence": [proof("q2", SECOND, 0.8), proof("q2", FIRST, 0.6)]},
    ]
    return state(
        "保存多久？谁付？",
        **{
            "language": "zh",
            "stop_reason": "sufficient",
            "sub_questions": checklist,
            "ledger": ledger,
            "need_retrieval": True,
            **changed,
        },
    )


async def answered(
    asked: RAGState, *said: Any, passages: Any = (FIRST, SECOND)
) -> tuple[Any, list[str], ScriptedReasoner]:
    tokens: list[str] = []
    reasoner = ScriptedReasoner(answer=list(said))
    update = await generate(
        asked, runtime(reasoner, MemoryRetriever(passages), write=lambda event: tokens.append(event["text"]))
    )
    return update, tokens, reasoner


async def test_a_citation_names_the_documents_that_say_the_same() -> None:
    checked = stopped()
    checked["ledger"][1]["evidence"][0]["also_in"] = ["copy.md"]
    update, _, _ = await answered(checked, ["保存30日[1]。费用由物业承担[2]。"])
    assert [cited.get("also_in") for cited in update["citations"]] == [None, ["copy.md"]]


async def test_tokens_are_checked_sentences_and_join_to_the_answer() -> None:
    update, tokens, _ = await answered(stopped(), ["保存30", "日[1]。费用", "由物业承担【2】。", "另见[7]。"])
    assert tokens == ["保存30日[1]。", "费用由物业承担[2]。", "另见。"]
    assert "".join(tokens) == update["answer"]
    assert [(c["number"], c["doc_id"]) for c in update["citations"]] == [(1, "rules"), (2, "fees")]


async def test_each_number_is_the_chunk_that_the_model_was_shown_under_it() -> None:
    update, _, reasoner = await answered(stopped(), "只用第二个[2]。")
    shown = {source.number: source.passage.chunk_id for source in reasoner.answer_requests[0].sources}
    assert [(c["number"], c["chunk_id"]) for c in update["citations"]] == [(2, shown[2])]


async def test_evidence_of_an_open_sub_question_is_not_shown_to_the_model() -> None:
    open_second = [
        {"sub_question_id": "q1", "evidence": [proof("q1", FIRST, 0.9)]},
        {"sub_question_id": "q2", "evidence": [proof("q2", SECOND, 0.69)]},
    ]
    _, _, reasoner = await answered(stopped(ledger=open_second, stop_reason="max_retries"), "好[1]。")
    request: AnswerRequest = reasoner.answer_requests[0]
    assert [source.passage.doc_id for source in request.sources] == ["rules"]


def test_partly_related_evidence_only_makes_up_for_a_lack() -> None:
    def chosen(*scores: float) -> list[float]:
        ledger = [{"sub_question_id": "q1", "evidence": [evidence("q1", f"c{s}", s) for s in scores]}]
        return [e["grade"]["score"] for e in usable(stopped(ledger=ledger))]

    assert chosen(0.9, 0.6, 0.55) == [0.9, 0.6]
    assert chosen(0.9, 0.8, 0.75, 0.6) == [0.9, 0.8, 0.75]
    assert chosen(0.99, 0.95, 0.9, 0.85, 0.8) == [0.99, 0.95, 0.9, 0.85]


def test_a_later_sub_question_brings_chunks_of_its_own() -> None:
    ledger = [
        {"sub_question_id": "q1", "evidence": [evidence("q1", c, 0.9) for c in "abcd"]},
        {"sub_question_id": "q2", "evidence": [evidence("q2", c, 0.8) for c in "abcde"]},
    ]
    assert {e["chunk_id"] for e in usable(stopped(ledger=ledger))} == set("abcde")


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_no_evidence_at_the_threshold_is_the_fixed_sentence_without_a_call(language: Language) -> None:
    weak = [{"sub_question_id": "q1", "evidence": [proof("q1", FIRST, 0.69)]}]
    update, tokens, reasoner = await answered(stopped(ledger=weak, stop_reason="max_retries", language=language))
    assert update["answer"] == NOT_FOUND[language] == "".join(tokens)
    assert (update["citations"], reasoner.calls) == ([], [])


async def test_an_empty_corpus_has_its_own_sentence() -> None:
    update, _, _ = await answered(stopped(stop_reason="empty_corpus", ledger=[], sub_questions=[]))
    assert update["answer"] == EMPTY_CORPUS["zh"]


async def test_a_source_deleted_meanwhile_goes_to_no_model() -> None:
    _, _, reasoner = await answered(stopped(), "好[1]。", passages=(SECOND,))
    assert [source.passage for source in reasoner.answer_requests[0].sources] == [SECOND]


async def test_a_number_that_the_cited_source_lacks_is_remarked_on() -> None:
    update, tokens, _ = await answered(stopped(), ["保存90日[1]。", "费用30元[2]。", "保存三十日[1]。"])
    assert tokens == [
        "保存90日[1]。（引用的资料中没有：90日）",
        "费用30元[2]。（引用的资料中没有：30元）",
        "保存三十日[1]。",
    ]
    assert update["answer"] == "".join(tokens)


async def test_evidence_deleted_meanwhile_is_taken_out_of_ledger_score_and_reason() -> None:
    update, _, reasoner = await answered(stopped(), passages=())
    assert (update["answer"], update["stop_reason"], update["relevance_score"]) == (
        NOT_FOUND["zh"],
        "no_new_evidence",
        0.0,
    )
    assert [gap["sub_question_id"] for gap in update["gaps"]] == ["q1", "q2"]
    assert reasoner.calls == []


async def test_when_the_best_is_deleted_the_next_best_answers() -> None:
    only = [{"id": "q1", "text": "保存多久", "required": True}]
    extra = [proof("q1", passage(f"第{n}种", doc_id=n), 0.9) for n in "甲乙丙丁"]
    both = [{"sub_question_id": "q1", "evidence": [*extra, proof("q1", SECOND, 0.8)]}]
    update, _, reasoner = await answered(stopped(sub_questions=only, ledger=both), "好[1]。", passages=(SECOND,))
    assert [source.passage for source in reasoner.answer_requests[0].sources] == [SECOND]
    assert update["relevance_score"] == 0.8
    assert update["stop_reason"] == "sufficient"


async def test_when_every_lane_was_lost_nothing_is_said_and_no_turn_is_closed() -> None:
    update, tokens, _ = await answered(stopped(stop_reason="source_unavailable", ledger=[]))
    assert (update, tokens) == ({}, [])


async def test_small_talk_is_answered_without_sources() -> None:
    update, _, reasoner = await answered(stopped(stop_reason="direct", ledger=[], route_reason="greeting"), "你好！")
    assert (update["answer"], update["citations"]) == ("你好！", [])
    assert reasoner.answer_requests[0].sources == ()


async def test_a_direct_reply_gives_no_figure_that_nobody_spoke_of() -> None:
    """Where nothing was looked up, what a model asserts has no source."""
    said = "你好！维修费由业主承担，每户500元，违约金10%。请问想查什么？"
    update, tokens, _ = await answered(directly("你好", route_reason="greeting"), said)
    assert "500" not in "".join(tokens)
    assert update["answer"].startswith("你好！")
    assert "请问想查什么" in update["answer"]


async def test_the_result_of_a_sum_and_what_was_said_before_are_figures_of_the_talk() -> None:
    assert (await answered(directly("17乘以3等于多少？"), "等于51。"))[0]["answer"] == "等于51。"
    turns = [{"question": "保存多久？", "standalone": "保存多久？", "answer": "保存30日[1]。"}]
    about = directly("你刚才说什么？", history=turns)
    assert (await answered(about, "我说保存30日。"))[0]["answer"] == "我说保存30日。"


async def test_the_turn_is_closed_with_what_it_cost() -> None:
    update, _, _ = await answered(stopped(), ["好[1]。", Usage("m", 7, 3, estimated=False)])
    assert update["history"] == [
        {"question": "保存多久？谁付？", "standalone": "保存多久？谁付？", "answer": "好[1]。"}
    ]
    assert update["spent"]["reported"] == {"input_tokens": 7, "output_tokens": 3}


async def test_an_error_of_the_reasoner_is_not_an_answer() -> None:
    with pytest.raises(ConnectionError):
        await answered(stopped(), ["好[1]。", ConnectionError("gone")])


OPEN: list[Any] = [{"sub_question_id": "q2", "kind": "missing", "text": "谁付？", "tried": []}]
ONLY_FIRST = [
    {"sub_question_id": "q1", "evidence": [proof("q1", FIRST, 0.9)]},
    {"sub_question_id": "q2", "evidence": []},
]


async def test_what_is_open_is_told_at_the_end_where_the_reasoner_did_not() -> None:
    half = stopped(ledger=ONLY_FIRST, stop_reason="max_retries", gaps=OPEN)
    update, tokens, _ = await answered(half, "影像保存30日[1]。")
    assert update["answer"] == "影像保存30日[1]。\n资料中没有找到足以回答以下部分的内容：谁付。" == "".join(tokens)
    update, _, _ = await answered(half, "影像保存30日[1]。资料中没有规定由谁付。")
    assert update["answer"] == "影像保存30日[1]。资料中没有规定由谁付。"


OTHER = passage("影像保存不少于60日。", doc_id="old")


def disputed() -> RAGState:
    sides = [proof("q1", FIRST, 0.9), proof("q1", OTHER, 0.9)]
    ledger = [{"sub_question_id": "q1", "evidence": sides}, {"sub_question_id": "q2", "evidence": []}]
    gaps = [{"sub_question_id": "q1", "kind": "conflict", "text": "保存多久", "tried": []}, *OPEN]
    conflicts = [{"sub_question_id": "q1", "sides": sides}]
    return stopped(ledger=ledger, stop_reason="conflict", gaps=gaps, conflicts=conflicts)


async def test_both_sides_of_a_conflict_are_told_and_cited() -> None:
    update, _, reasoner = await answered(disputed(), "影像保存30日[1]。", passages=(FIRST, OTHER))
    assert [source.passage for source in reasoner.answer_requests[0].sources] == [FIRST, OTHER]
    assert update["answer"] == (
        "影像保存30日[1]。（另有资料说法不同）\n关于“保存多久”，资料说法不一：“影像保存不少于30日。申请在7日内提出”[1]；“影像保存不少于60日”[2]。"
        "\n资料中没有找到足以回答以下部分的内容：谁付。"
    )
    assert [c["doc_id"] for c in update["citations"]] == ["rules", "old"]


async def test_a_conflict_that_the_reasoner_told_is_not_told_twice() -> None:
    said = "一处规定30日[1]，另一处规定60日[2]。资料没有说明由谁付。"
    update, _, _ = await answered(disputed(), said, passages=(FIRST, OTHER))
    assert update["answer"] == said


async def test_a_quote_that_does_not_stand_in_the_chunk_any_more_supports_nothing() -> None:
    changed = replace(FIRST, text="影像保存不少于90日。")
    update, _, reasoner = await answered(stopped(), "由物业承担[1]。", passages=(changed, SECOND))
    assert [source.passage for source in reasoner.answer_requests[0].sources] == [SECOND]
    assert update["stop_reason"] == "no_new_evidence"


async def test_sources_that_a_small_window_has_no_room_for_are_left_out_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    long = replace(SECOND, text=SECOND.text + "字" * 9_000)
    reasoner = ScriptedReasoner(answer=["保存30日[1]。费用[2]。"])
    asked = runtime(reasoner, MemoryRetriever((FIRST, long)), windows=Windows(answer=5_000), write=lambda event: None)
    update = await generate(stopped(), asked)
    assert [source.passage.chunk_id for source in reasoner.answer_requests[0].sources] == [FIRST.chunk_id]
    assert [citation["chunk_id"] for citation in update["citations"]] == [FIRST.chunk_id]
    assert "1 sources found no room" in caplog.text


async def test_markup_that_acts_does_not_reach_the_answer() -> None:
    said = ["费用由物业承担![图](http://evil/?q=1)<script>x</script>[2]。"]
    update, tokens, _ = await answered(stopped(), said)
    assert update["answer"].startswith("费用由物业承担图&lt;script>x&lt;/script>[2]。")
    assert "".join(tokens) == update["answer"]


async def test_an_average_of_two_sides_is_left_out() -> None:
    update, _, _ = await answered(disputed(), "影像平均保存45日[1][2]。", passages=(FIRST, OTHER))
    assert "45" not in update["answer"]
    assert "资料说法不一" in update["answer"]
    assert "另有 1 句" in update["answer"]
