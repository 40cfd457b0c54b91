from __future__ import annotations

from evals.bench.timing import LEAST, Times, interleaved


def test_calls_take_turns_in_changing_order() -> None:
    made: list[str] = []
    times = interleaved([lambda: made.append("a"), lambda: made.append("b")], 20)
    rounds = {tuple(made[start : start + 2]) for start in range(0, 40, 2)}
    assert rounds == {("a", "b"), ("b", "a")}
    assert [len(of_one.seconds) for of_one in times] == [20, 20]


def test_when_time_is_up_a_few_rounds_are_made_all_the_same() -> None:
    made: list[None] = []
    interleaved([lambda: made.append(None)], 100, most_seconds=0.0)
    assert len(made) == LEAST


def test_times_in_milliseconds() -> None:
    assert Times((0.001, 0.002, 0.003)).milliseconds() == {"p50_ms": 2.0, "p95_ms": 2.9, "n": 3}
