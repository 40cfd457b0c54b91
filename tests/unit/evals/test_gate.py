"""The gate: a figure that falls below its floor, rises above its ceiling, or is not there at all, stops a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errors import BadRequest
from evals import gate
from evals.gate import limits, misses
from evals.scores import EFFORT, QUALITY
from evals.sets import CARRIED
from runs.engine import MODES

SCORES: list[dict[str, Any]] = [
    {"mode": "loop", "kind": "all", "quality": {"right": 0.61, "failed": 0.0}, "effort": {"searches": 2.8}},
    {"mode": "loop", "kind": "single", "quality": {"right": 0.1, "failed": 1.0}, "effort": {"searches": 9.0}},
]


def held(**sides: dict[str, float]) -> list[str]:
    return [str(miss) for miss in misses("elevator", SCORES, {"elevator": {"loop": sides}})]


def test_what_keeps_its_limits_passes() -> None:
    assert held(at_least={"right": 0.61}, at_most={"failed": 0.0, "searches": 2.8}) == []


def test_a_floor_above_the_value_and_a_ceiling_below_it_are_told() -> None:
    assert held(at_least={"right": 0.62}) == ["elevator, loop: right is 0.610, at least 0.620 wanted"]
    assert held(at_most={"searches": 2.0}) == ["elevator, loop: searches is 2.800, at most 2.000 wanted"]


def test_a_figure_or_a_mode_that_is_not_there_keeps_no_limit() -> None:
    assert held(at_least={"beauty": 0.1}) == ["elevator, loop: beauty is nothing, at least 0.100 wanted"]
    missing = misses("elevator", SCORES, {"elevator": {"agent": {"at_most": {"failed": 0.0}}}})
    assert [miss.mode for miss in missing] == ["agent"]


def test_every_carried_set_has_limits() -> None:
    assert tuple(limits()) == CARRIED


@pytest.mark.parametrize("name", CARRIED)
def test_every_built_mode_has_limits_and_every_limit_is_a_figure(name: str) -> None:
    modes = limits()[name]
    assert list(modes) == list(MODES)
    named = {figure for sides in modes.values() for given in sides.values() for figure in given}
    assert named <= QUALITY.keys() | EFFORT.keys()
    assert all(sides["at_most"]["answered directly"] == 0 for sides in modes.values())


def test_another_word_in_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "limits.toml").write_text("[elevator.loop.around]\nright = 0.5\n", "utf-8")
    with pytest.raises(BadRequest, match="at_least"):
        limits(tmp_path / "limits.toml")


def test_the_command_fails_when_a_limit_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gate, "evaluate", lambda *_: {"scores": SCORES})
    for floor, status in ((0.6, 0), (0.7, 1)):
        monkeypatch.setattr(gate, "limits", lambda at=floor: {"elevator": {"loop": {"at_least": {"right": at}}}})
        assert gate.main() == status
    assert "at least 0.700 wanted" in capsys.readouterr().err
