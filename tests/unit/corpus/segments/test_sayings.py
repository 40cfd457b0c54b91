"""What chunks say is kept as it is, whichever rows are taken and joined."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpus.segments.sayings import Saying, Sayings

PIECES = st.lists(
    st.builds(
        Saying.of,
        st.lists(st.sampled_from(["甲须付100元。", "封面\n", "2024-05-01\n", "乙不付。"]), max_size=4).map("".join),
        st.sampled_from(["", "假期 > 年假", "年假"]),
    ),
    max_size=6,
)


@given(PIECES, PIECES, st.data())
def test_rows_come_back(one: list[Saying], other: list[Saying], data: st.DataObject) -> None:
    both = one + other
    rows = data.draw(st.lists(st.integers(0, len(both) - 1))) if both else []
    joined = Sayings.of(one).then(Sayings.of(other))
    assert [joined[row] for row in range(len(both))] == both
    taken = joined.take(np.array(rows, np.intp))
    assert [taken[row] for row in range(len(rows))] == [both[row] for row in rows]
    assert [taken.said_by(row) for row in range(len(rows))] == [both[row].said for row in rows]


def test_a_heading_counts_by_its_last_part_without_layout() -> None:
    assert Saying.of("x", "假期 > 年假").section == Saying.of("x", "福利 > 年 假").section
    assert Saying.of("x", "假期 > 年假").section != Saying.of("x", "假期 > 病假").section
