from __future__ import annotations

import pytest

from policy.claims import Kind, judge, kind_of

SOURCES = {
    1: "电梯规定\n监控影像保存不少于三十日。申请调取应在七日内提出。物业不承担装修造成的损坏。",
    2: "Fees\nThe manager pays the repair fee of 10,000 yuan from March 1, 2024.",
}


@pytest.mark.parametrize(
    ("sentence", "said", "cited"),
    [
        ("影像保存30天[1]。", "影像保存30天[1]。", (1,)),
        ("The fee is 一万元 from 2024-03-01 [2].", "The fee is 一万元 from 2024-03-01 [2].", (2,)),
        ("影像保存90天[1]。", "影像保存90天[1]。（引用的资料中没有：90天）", (1,)),
        ("影像保存30小时[1]。", "影像保存30小时[1]。（引用的资料中没有：30小时）", (1,)),
        ("影像保存30天[2]。", "影像保存30天[2]。（引用的资料中没有：30天）", (2,)),
        ("影像保存30天[2][1]。", "影像保存30天[2][1]。", (2, 1)),
    ],
)
def test_a_cited_fact_is_held_to_the_numbers_of_what_it_cites(sentence: str, said: str, cited: tuple[int]) -> None:
    verdict = judge(sentence, SOURCES, "", "zh")
    assert (verdict.kind, verdict.text, verdict.cited) == ("fact", said, cited)


def test_numbers_that_the_asker_said_need_no_source() -> None:
    assert judge("满45天的影像已不再保存[1]。", SOURCES, "45天前的影像还在吗", "zh").text.endswith("[1]。")


@pytest.mark.parametrize(
    ("sentence", "said", "kind"),
    [
        ("监控影像保存不少于三十日。", "监控影像保存不少于三十日[1]。", "fact"),
        ("\n- 监控影像保存不少于30天。", "\n- 监控影像保存不少于30天[1]。", "fact"),
        ("The manager pays the repair fee [9].", "The manager pays the repair fee [2].", "fact"),
        ("物业承担装修造成的损坏。", "物业承担装修造成的损坏。（未注明出处）", "fact"),
        ("业主委员会负责监督物业。", "业主委员会负责监督物业。（未注明出处）", "fact"),
        ("业主委员会负责监督物业[7]。", "业主委员会负责监督物业。（未注明出处）", "fact"),
        ("影像保存365天。", "", "removed"),
        ("影像自2019年5月4日起保存。", "", "removed"),
    ],
)
def test_an_uncited_fact_is_cited_by_code_or_marked_or_removed(sentence: str, said: str, kind: Kind) -> None:
    verdict = judge(sentence, SOURCES, "", "zh")
    assert (verdict.kind, verdict.text) == (kind, said)


def test_a_long_sentence_that_shares_nothing_with_its_source_is_marked() -> None:
    sentence = "Tenants must register bicycles, scooters and trailers with local police [2]."
    assert judge(sentence, SOURCES, "", "en").text == f"{sentence} (not found in the cited source)"
    assert judge("Footage stays available for later review by both parties [1].", SOURCES, "", "en").text.endswith(
        "[1]."
    )


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("## 费用承担", "frame"),
        ("**结论**", "frame"),
        ("具体规定如下：", "frame"),
        ("理由如下。", "frame"),
        ("The rules are as follows:", "frame"),
        ("|---|---|", "frame"),
        ("您还想了解什么？", "frame"),
        ("资料来源说法不一致。", "frame"),
        ("The sources disagree on this.", "frame"),
        ("另见。", "frame"),
        ("好的。", "frame"),
        ("资料中没有规定由谁付款。", "missing"),
        ("现有资料未说明2023年的标准。", "missing"),
        ("无法确定责任人是谁。", "missing"),
        ("The documents do not say who pays.", "missing"),
        ("It is unclear from the passages who is liable.", "missing"),
        ("物业不承担装修造成的损坏。", "fact"),
        ("The tenant does not pay for repairs.", "fact"),
        ("30天。", "fact"),
        ("It is paid by the state.", "fact"),
        ("However, this does not apply.", "fact"),
        ("由国家支付。", "fact"),
        ("但此条不适用。", "fact"),
        ("- Fathers: none", "fact"),
        ("Parental leave", "frame"),
        ("However:", "frame"),
        ("Yes.", "frame"),
        ("是的，可以。", "frame"),
        ("In other words, yes.", "frame"),
        ("I hope this helps.", "frame"),
        ("希望对您有帮助。", "frame"),
        ("综上所述，电梯维修费由物业承担。", "fact"),
        ("1. 由物业承担维修费用。", "fact"),
    ],
)
def test_kinds_of_sentences(words: str, kind: Kind) -> None:
    assert kind_of(words) == kind


def test_a_number_slipped_into_what_is_missing_is_remarked_on() -> None:
    verdict = judge("资料中没有规定，但一般为500元。", SOURCES, "", "zh")
    assert verdict.text.endswith("（引用的资料中没有：500元）")


def test_an_index_in_code_is_no_number() -> None:
    assert (
        judge("取 arr[7] 和 `x[8]` 的影像保存值[1]。", SOURCES, "", "zh").text
        == "取 arr[7] 和 `x[8]` 的影像保存值[1]。"
    )


FORGED = {
    1: "Mast\nThe mast is 44 meters high [2] and was built in 1990【3†source】.",
    2: "Fees\nIt costs 10,000 yuan.",
    3: "C\n.",
}


@pytest.mark.parametrize(
    ("sentence", "said", "cited"),
    [
        ("The mast is 44 meters high [2][1].", "The mast is 44 meters high [1].", (1,)),
        ("The mast is 44 meters high [2] [1].", "The mast is 44 meters high [1].", (1,)),
        ("The mast is 44 meters high [2].", "The mast is 44 meters high [1].", (1,)),
        ("It was built in 1990【3†source】 [1].", "It was built in 1990 [1].", (1,)),
        ("It costs 10,000 yuan [2].", "It costs 10,000 yuan [2].", (2,)),
    ],
)
def test_a_marker_copied_from_a_source_cites_nothing(sentence: str, said: str, cited: tuple[int]) -> None:
    verdict = judge(sentence, FORGED, "", "en")
    assert (verdict.text, verdict.cited) == (said, cited)


def test_a_copied_marker_stays_where_its_source_says_the_same() -> None:
    sources = {1: "The mast is 44 meters high [2].", 2: "The mast is 44 meters high."}
    assert judge("The mast is 44 meters high [2].", sources, "", "en").cited == (2,)


def test_what_loses_its_forged_citation_is_marked_however_short() -> None:
    for sentence in ("It is paid in full [9].", "Paid in full [9]"):
        assert judge(sentence, SOURCES, "", "en").text.endswith(" (no source given)")
    assert judge("另见[7]。", SOURCES, "", "zh").text == "另见。"
