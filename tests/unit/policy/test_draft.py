from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.draft import verdict

LEAVE = "Employees have 20 days of paid leave a year [1]."
FEE = "The fee is 300 euros for each month of use [2]."


@pytest.mark.parametrize(
    ("draft", "answer", "expected"),
    [
        (LEAVE, LEAVE, "confirmed"),
        (LEAVE, f"{FEE} {LEAVE}", "confirmed"),
        ("员工每年享有20天带薪年假[1]。", "员工每年享有二十天带薪年假[3]。", "confirmed"),
        ("In short:\n" + LEAVE, LEAVE, "confirmed"),
        (f"{LEAVE} {FEE}", LEAVE, "changed"),
        (LEAVE, LEAVE.replace("20", "25"), "changed"),
        (LEAVE, LEAVE.replace("have", "do not have"), "changed"),
        ("The landlord pays [1].", "The tenant pays [1].", "changed"),
        ("由物业公司承担维修费用[1]。", "由业主承担维修费用[1]。", "changed"),
        ("不得拒绝登记[1]。", "可以拒绝登记[1]。", "changed"),
    ],
)
def test_what_the_answer_makes_of_it(draft: str, answer: str, expected: str) -> None:
    assert verdict(draft, {"a"}, answer, {"a", "b"}, "answered") == expected


def test_the_same_words_from_another_source_are_no_confirmation() -> None:
    assert verdict(LEAVE, {"a"}, LEAVE, {"b"}, "answered") == "changed"


@pytest.mark.parametrize("status", ["insufficient", "awaiting_human", "failed", "cancelled"])
def test_without_an_answer_it_is_withdrawn(status: str) -> None:
    assert verdict(LEAVE, {"a"}, LEAVE, {"a"}, status) == "withdrawn"


@given(st.lists(st.sampled_from([LEAVE, FEE, "Staff pay nothing for parking on Sundays [1]."]), min_size=1))
def test_an_answer_that_holds_the_draft_confirms_it(said: list[str]) -> None:
    draft = " ".join(said)
    assert verdict(draft, {"a"}, f"{draft} And more was found out [3].", {"a"}, "partial") == "confirmed"


def test_one_side_of_a_conflict_is_no_confirmation() -> None:
    answer = f'On "leave" the sources disagree: {LEAVE} "25 days" [2].'
    assert verdict(LEAVE, {"a"}, answer, {"a", "b"}, "partial") == "confirmed"
    assert verdict(LEAVE, {"a"}, answer, {"a", "b"}, "partial", disputed=True) == "changed"
