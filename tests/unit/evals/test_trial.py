from __future__ import annotations

from typing import Any

from evals.trial import rounds


def step(name: str, **changed: Any) -> dict[str, Any]:
    return {"name": name, "phase": "end", "changed": changed}


def hits(*ids: str) -> list[dict[str, Any]]:
    return [{"chunk_id": chunk} for chunk in ids]


def test_rounds_from_what_the_steps_changed() -> None:
    steps = [
        step("route"),
        step("rewrite"),
        step("retrieve", docs=hits("a", "b")),
        step("evaluate", graded=2),
        step("rewrite"),
        step("retrieve"),  # the same hits again
        step("evaluate", graded=3),
        step("rewrite"),
        step("retrieve", docs=hits("c")),
        step("evaluate"),  # nothing new was graded
        step("generate"),
    ]
    assert rounds(steps) == [(["a", "b"], 0, 2), (["a", "b"], 2, 3), (["c"], 3, 3)]


def test_an_ask_that_looked_nothing_up_has_no_round() -> None:
    assert rounds([step("route"), step("generate")]) == []


def test_what_an_agent_found_is_a_round_too() -> None:
    first, second = (step("agent", docs=[{"chunk_id": name} for name in names]) for names in ("a", "ba"))
    assert rounds([step("rewrite"), first, second, step("agent"), step("evaluate", graded=1)]) == [(["b", "a"], 0, 1)]
