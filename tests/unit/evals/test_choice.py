from __future__ import annotations

from collections.abc import Sequence

from evals.choice import Choice, choose
from evals.pairing import Group
from tests.unit.evals.test_compare import asked


def chosen(**right: tuple[str, int]) -> Choice:
    """Of each mode its right answers and the searches that a question takes."""
    groups: dict[str, Sequence[Group]] = {
        mode: [(r,) for r in asked(mode, told, searches=searches)] for mode, (told, searches) in right.items()
    }
    return choose(groups)


def test_of_modes_that_nothing_tells_apart_the_cheapest_is_taken() -> None:
    found = chosen(loop=("1" * 12, 4), hybrid=("1" * 10 + "00", 1), naive=("1" * 11 + "0", 2))
    assert found == Choice("hybrid", {})


def test_what_is_worse_for_certain_is_not_taken_however_cheap_it_is() -> None:
    found = chosen(bm25=("0" * 20, 1), loop=("1" * 20, 4), hybrid=("1" * 19 + "0", 2))
    assert found.mode == "hybrid"
    assert list(found.beaten) == ["bm25"]


def test_the_order_in_which_modes_were_asked_decides_nothing() -> None:
    one = chosen(bm25=("0" * 20, 1), loop=("1" * 20, 4))
    other = chosen(loop=("1" * 20, 4), bm25=("0" * 20, 1))
    assert one.mode == other.mode == "loop"
    assert set(one.beaten) == set(other.beaten) == {"bm25"}
