"""Which of two sources holds, by their metadata, on the day that a question asks about."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Evidence
from policy.supersession import day_asked, effect_of, yields
from tests.unit.policy.test_ledger import evidence

NOW = dt.datetime(2026, 6, 15, tzinfo=dt.UTC).timestamp()
TODAY = dt.date(2026, 6, 15)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("录像保存多久", TODAY),
        ("2024年3月1日录像要保存多久", dt.date(2024, 3, 1)),
        ("二〇二四年三月一日录像要保存多久", dt.date(2024, 3, 1)),
        ("How long was footage kept on 2024-03-01?", dt.date(2024, 3, 1)),
        ("2024年2月录像要保存多久", dt.date(2024, 2, 29)),
        ("How long was footage kept in December 2023?", dt.date(2023, 12, 31)),
        ("2023年录像要保存多久", dt.date(2023, 12, 31)),
        ("How long was footage kept in 2023?", dt.date(2023, 12, 31)),
        ("How long was it kept in 2023 at the gate?", dt.date(2023, 12, 31)),
        ("2026年录像要保存多久", TODAY),
        ("9999年12月录像要保存多久", dt.date(9999, 12, 31)),
        ("2022年和2023年有什么不同", TODAY),
        ("2024年3月1日到2024年5月1日之间", TODAY),
        ("沪府规〔2024〕5号说了什么", TODAY),
        ("What does the 2000 yuan fee cover?", TODAY),
        ("What is the fee of 2000 yuan for?", TODAY),
    ],
)
def test_the_day_that_a_question_asks_about(question: str, day: dt.date) -> None:
    assert day_asked(question, NOW) == day


def test_metadata_say_when_a_document_holds() -> None:
    metadata = {"effective_from": "2024年3月1日", "effective_to": "2025-01-31T00:00", "superseded_by": "new", "year": 1}
    assert effect_of(metadata) == {
        "effective_from": "2024-03-01",
        "effective_to": "2025-01-31",
        "superseded_by": ["new"],
    }
    assert effect_of({"superseded_by": ["a", "b"]}) == {"superseded_by": ["a", "b"]}


@pytest.mark.parametrize("value", [None, "", "soon", "2024-13-45", "2024-13", "20240", 7, True, [], {"a": 1}])
def test_what_cannot_be_read_says_nothing(value: Any) -> None:
    assert effect_of({"effective_from": value, "effective_to": value}) == {}


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024-05", "2024-05", "2024-05-31"),
        ("2024年5月", "2024-05", "2024-05-31"),
        ("2024/02", "2024-02", "2024-02-29"),
        ("2025", "2025", "2025-12-31"),
        (2025, "2025", "2025-12-31"),
        ("二〇二五年", "2025", "2025-12-31"),
        ("2024-05-07T08:00", "2024-05-07", "2024-05-07"),
    ],
)
def test_a_date_without_its_day_stays_one_and_ends_with_its_last(value: Any, first: str, last: str) -> None:
    assert effect_of({"effective_from": value, "effective_to": value}) == {
        "effective_from": first,
        "effective_to": last,
    }


def test_dates_of_different_length_are_compared() -> None:
    old, new = (source(name, **effect_of({"effective_from": day})) for name, day in (("o", "2024-05"), ("n", "2025")))
    found = yields(old, new, TODAY, {})
    assert found is not None
    assert (found["why"], found["since"]) == ("newer", "2025")
    assert yields(new, old, TODAY, {}) is None


def test_of_a_year_and_a_month_inside_it_neither_is_known_to_be_earlier() -> None:
    year, month = (source(day, effective_from=day) for day in ("2024", "2024-05"))
    assert yields(year, month, TODAY, {}) is None
    assert yields(month, year, TODAY, {}) is None
    assert yields(source("future", effective_from="2026-07"), year, TODAY, {}) is not None


def source(name: str, **metadata: Any) -> Evidence:
    return {**evidence("q1", name, 0.9), "doc_id": name, "title": f"Rules {name}", **metadata}  # type: ignore[typeddict-item]  # a spread TypedDict


PLAIN = source("plain")
OLD = source("old", effective_from="2020-01-01")
NEW = source("new", effective_from="2024-01-01")
EXPIRED = source("expired", effective_to="2023-12-31")
FUTURE = source("future", effective_from="2027-01-01")
NAMES_NEW = source("a", superseded_by=["new"])
NAMES_TITLE = source("b", superseded_by=["《rules NEW》"])
NAMES_ABSENT = source("c", superseded_by=["elsewhere"])


@pytest.mark.parametrize(
    ("loser", "winner", "why"),
    [
        (OLD, NEW, "newer"),
        (NEW, OLD, None),
        (OLD, OLD, None),
        (OLD, PLAIN, None),
        (PLAIN, NEW, None),
        (EXPIRED, PLAIN, "expired"),
        (PLAIN, EXPIRED, None),
        (EXPIRED, NEW, "expired"),
        (FUTURE, PLAIN, "future"),
        (FUTURE, EXPIRED, None),
        (FUTURE, NEW, "future"),
        (OLD, FUTURE, None),
        (NAMES_NEW, NEW, "replaced"),
        (NAMES_TITLE, NEW, "replaced"),
        (NAMES_ABSENT, PLAIN, "replaced"),
        (NAMES_ABSENT, NAMES_NEW, None),
    ],
)
def test_what_holds_wins(loser: Evidence, winner: Evidence, why: str | None) -> None:
    found = yields(loser, winner, TODAY, {})
    assert (found and found["why"]) == why


def test_it_says_what_won_and_since_when() -> None:
    assert yields(EXPIRED, NEW, TODAY, {}) == {
        "chunk_id": "new",
        "doc_id": "new",
        "title": "Rules new",
        "why": "expired",
        "since": "2024-01-01",
        "day": "2023-12-31",
    }


def test_for_a_day_long_ago_what_held_then_wins() -> None:
    day = dt.date(2022, 1, 1)
    assert yields(OLD, NEW, day, {}) is None
    found = yields(NEW, OLD, day, {})
    assert found is not None
    assert (found["why"], found["day"]) == ("future", "2024-01-01")
    replaced = yields(NEW, NAMES_NEW, day, {})
    assert replaced is not None, "what took its place was not in force yet"
    assert replaced["why"] == "future"


def test_of_two_versions_of_a_document_the_current_one_holds() -> None:
    old, new = ({**evidence("q1", chunk, 0.9), "version": chunk} for chunk in ("v1", "v2"))
    found = yields(old, new, TODAY, {"d": "v2"})  # type: ignore[arg-type]  # a spread TypedDict
    assert found is not None
    assert found["why"] == "version"
    assert yields(new, old, TODAY, {"d": "v2"}) is None  # type: ignore[arg-type]  # a spread TypedDict
    assert yields(old, new, TODAY, {}) is None  # type: ignore[arg-type]  # a spread TypedDict


DAYS = st.dates(dt.date(2020, 1, 1), dt.date(2029, 1, 1))
SOURCES = st.fixed_dictionaries(
    {},
    optional={
        "effective_from": DAYS.map(str),
        "effective_to": DAYS.map(str),
        "superseded_by": st.sampled_from([["x"], ["y"], ["z"]]),
    },
)


@given(SOURCES, SOURCES, DAYS)
def test_never_do_both_yield_and_what_holds_yields_only_to_what_holds(
    one: dict[str, Any], other: dict[str, Any], day: dt.date
) -> None:
    x, y = source("x", **one), source("y", **other)
    there, back = yields(x, y, day, {}), yields(y, x, day, {})
    assert there is None or back is None
    if there is not None:
        assert y.get("effective_from", "") <= str(day) <= y.get("effective_to", "9")
