from __future__ import annotations

import pytest

from evals.record import Record
from evals.sets import is_even
from evals.tuning import Losses, environment_lines, propose, settings
from tests.unit.evals.records import cited, nothing, record, refused

DEFAULT, *OTHERS = settings({"threshold": 0.7, "max_retries": 3, "top_k": 30})
LOOSE = next(v for v in OTHERS if dict(v.dials) == {"threshold": 0.6, "max_retries": 3, "top_k": 30})
LOSSES = Losses(wrong=1.0, refusal=0.2, million_tokens=2.0)
EVEN, ODD = ([n for n in range(60) if is_even(f"q{n}") is half] for half in (True, False))


def asked(mode: str, right: set[int], **more: object) -> list[Record]:
    return [(record if n in right else refused)(n, mode=mode, **more) for n in range(60)]


def test_the_default_is_asked_first_and_no_setting_twice() -> None:
    assert DEFAULT.name == "loop@threshold=0.7@max_retries=3@top_k=30"
    assert len({v.name for v in (DEFAULT, *OTHERS)}) == len(OTHERS) + 1 == 3 * 3 * 2
    own = settings({"threshold": 0.75, "max_retries": 2, "top_k": 20})
    assert (dict(own[0].dials), len(own)) == ({"threshold": 0.75, "max_retries": 2, "top_k": 20}, 4 * 4 * 3)


@pytest.mark.parametrize(
    ("one", "lost"),
    [
        (record(), 0.0),
        (refused(), 0.2),
        (record(cited=[cited("x")]), 1.0),
        (record(status="failed", stop_reason=None), 0.2),
        (refused(**nothing()), 0.0),
        (record(**nothing()), 1.0),
        (record(tokens=100_000), 0.2),
    ],
)
def test_what_an_ask_costs_its_asker(one: Record, lost: float) -> None:
    assert LOSSES.of(one) == pytest.approx(lost)


def test_a_setting_that_is_better_on_both_halves_is_proposed_with_what_it_saves_on_the_odd_one() -> None:
    found = propose([*asked(DEFAULT.name, set()), *asked(LOOSE.name, set(range(60)))], DEFAULT, LOSSES)
    assert found is not None
    assert (found.chosen, found.certain) == (LOOSE, True)
    assert (found.fitted_on, found.judged_on) == (len(EVEN), len(ODD))
    assert found.saved.mean == pytest.approx(0.2)
    assert (found.better, found.worse) == (len(ODD), 0)
    lines = environment_lines(found)
    assert "GAPSEEK_THRESHOLD=0.6\n" in lines
    assert "Expected to save 0.2 (0.2 to 0.2) a question, which costs 0.2 now." in lines


def test_what_is_lucky_on_the_half_it_is_chosen_on_is_not_proposed() -> None:
    found = propose([*asked(DEFAULT.name, set(ODD[:9])), *asked(LOOSE.name, set(EVEN))], DEFAULT, LOSSES)
    assert found is not None
    assert found.chosen == LOOSE
    assert found.saved.mean < 0
    assert not found.certain
    lines = environment_lines(found)
    assert "Keep what you have" in lines
    assert "GAPSEEK_THRESHOLD=0.7\n" in lines


def test_a_few_questions_are_no_ground_to_change_anything() -> None:
    found = propose([*asked(DEFAULT.name, set()), *asked(LOOSE.name, {*EVEN, *ODD[:5]})], DEFAULT, LOSSES)
    assert found is not None
    assert found.saved.low > 0
    assert not found.certain


def test_the_price_of_a_wrong_answer_decides_between_refusing_and_trying() -> None:
    careful = asked(DEFAULT.name, set())
    hasty = [record(n, mode=LOOSE.name, cited=[cited("g" if n % 2 else "x")]) for n in range(60)]
    cheap = propose([*careful, *hasty], DEFAULT, Losses(wrong=0.2, refusal=0.2))
    dear = propose([*careful, *hasty], DEFAULT, Losses(wrong=5.0, refusal=0.2))
    assert cheap is not None
    assert dear is not None
    assert (cheap.chosen, dear.chosen) == (LOOSE, DEFAULT)


def test_tokens_that_bring_nothing_are_saved() -> None:
    records = [*asked(DEFAULT.name, {1}, tokens=9_000), *asked(LOOSE.name, {1}, tokens=1_000)]
    found = propose(records, DEFAULT, LOSSES)
    assert found is not None
    assert (found.chosen, found.certain) == (LOOSE, True)
    assert found.saved.mean == pytest.approx(0.016)


def test_of_equals_the_default_stays() -> None:
    found = propose([*asked(LOOSE.name, {1}), *asked(DEFAULT.name, {1})], DEFAULT, LOSSES)
    assert found is not None
    assert (found.chosen, found.certain) == (DEFAULT, False)


def test_without_the_default_or_a_half_nothing_can_be_proposed() -> None:
    assert propose(asked(LOOSE.name, set()), DEFAULT, LOSSES) is None
    assert propose([record(EVEN[0], mode=DEFAULT.name)], DEFAULT, LOSSES) is None
