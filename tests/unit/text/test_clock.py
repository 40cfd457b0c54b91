from __future__ import annotations

import pytest

from text.clock import times, without_times


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("opens at 9 am", ["9:00"]),
        ("opens at 9 a.m. daily", ["9:00"]),
        ("opens at 10.30 am", ["10:30"]),
        ("9:00-17:30", ["9:00", "5:30"]),
        ("上午9点开门", ["9:00"]),
        ("下午5点半", ["5:30"]),
        ("17点15分", ["5:15"]),
        ("12 o'clock", ["0:00"]),
        ("12:00", ["0:00"]),
        ("8时至20时", ["8:00", "8:00"]),
        ("24小时", []),
        ("工作8小时", []),
        ("3点建议", []),
        ("晚上十点半关门", ["10:30"]),
        ("一点不错", []),
        ("两点之前", ["2:00"]),
        ("a ratio of 3:2", []),
        ("version 10.30", []),
        ("25:00", []),
        ("1:02:03", []),
        ("I am 9", []),
    ],
)
def test_times_of_day(text: str, found: list[str]) -> None:
    assert [time for time, _ in times(text)] == found


def test_they_can_be_taken_out_in_place() -> None:
    text = "opens at 9 am daily"
    left = without_times(text)
    assert len(left) == len(text)
    assert left.split() == ["opens", "at", "daily"]
