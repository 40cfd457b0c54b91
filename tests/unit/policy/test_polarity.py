"""What contradicts its source, and above all what does not: a right paraphrase is never flagged."""

from __future__ import annotations

import pytest

from policy.claims import judge
from policy.polarity import contradicted

LEAVE = (
    "Parental leave\nParental leave is paid and lasts 14 weeks. It must be asked for in writing within 30 days. "
    "Applicants must be at least 18 years old. Parking is not allowed in the yard. The fee may not be refunded."
)
RULES = (
    "监控影像保存不少于30日。申请应当在7日内书面提出。押金不超过500元。"
    "物业承担公共部位的维修费用。业主不得在楼道堆放杂物。"
)


@pytest.mark.parametrize(
    "words",
    [
        "Parental leave is not paid and does not last 14 weeks.",
        "In writing it must not be asked for.",
        "Applicants must be at most 18 years old.",
        "Applicants must be no more than 18 years old.",
        "It must be asked for in writing in at least 30 days.",
        "Parking is allowed in the yard.",
        "The fee may be refunded.",
        "Parental leave isn't paid.",
        "监控影像保存不超过30日。",
        "监控影像最多保存三十天。",
        "押金至少500元。",
        "物业不承担公共部位的维修费用。",
        "业主可以在楼道堆放杂物。",
    ],
)
def test_the_opposite_of_what_is_cited(words: str) -> None:
    assert contradicted(words, [LEAVE, RULES])


@pytest.mark.parametrize(
    "words",
    [
        "Parental leave is paid and lasts 14 weeks.",
        "It must be asked for in writing no later than 30 days.",
        "The request must not be made later than 30 days.",
        "It must be asked for in writing, at most 30 days after.",
        "Applicants must be 18 years old or older.",
        "Applicants must not be less than 18 years old.",
        "Applicants under 18 years are not accepted.",
        "Parental leave does not last longer than 14 weeks.",
        "Parental leave is not unpaid.",
        "Parental leave is paid, not unpaid.",
        "Parking in the yard is not allowed.",
        "Parking is prohibited in the yard.",
        "The fee is not refundable.",
        "The fee cannot be refunded.",
        "Without a written request it must not be paid.",
        "监控影像至少保存30天。",
        "监控影像保存不得少于三十日。",
        "申请不得晚于7日提出。",
        "押金最多500元。",
        "维修费用不由业主承担。",
        "楼道不得堆放杂物。",
        "业主禁止在楼道堆放杂物。",
        "物业承担维修费用。",
        "业主在楼道堆放杂物的，应当清理。",
        "业主在楼道堆放杂物应当清理。",
        "Parking in the yard is fined.",
    ],
)
def test_a_right_paraphrase_is_never_flagged(words: str) -> None:
    assert not contradicted(words, [LEAVE, RULES])


def test_an_exception_in_the_source_is_not_decided_by_code() -> None:
    source = "Tenants may not park in the yard unless they have a permit."
    assert not contradicted("Tenants may park in the yard with a permit.", [source])


def test_what_is_allowed_elsewhere_is_not_denied() -> None:
    source = "Parking is allowed on the street and not in the yard."
    assert not contradicted("Parking is allowed on the street.", [source])


def test_the_same_number_of_something_else_has_its_own_bound() -> None:
    source = "Footage is kept for at least 30 days."
    assert not contradicted("A request for copies has to arrive within 30 days.", [source])


def test_a_cited_sentence_is_marked() -> None:
    said = judge("Parental leave is not paid [1].", {1: LEAVE}, "", "en")
    assert said.text == "Parental leave is not paid [1]. (the cited source says otherwise)"
    assert judge("押金至少500元[1]。", {1: RULES}, "", "zh").text == "押金至少500元[1]。（所引资料的说法与此相反）"


def test_an_uncited_opposite_gets_no_citation() -> None:
    assert judge("Applicants must be at most 18 years old.", {1: LEAVE}, "", "en").cited == ()
