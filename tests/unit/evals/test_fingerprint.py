from __future__ import annotations

from pathlib import Path

import pytest

from evals.fingerprint import fingerprint


def test_it_is_of_all_sources_and_changes_with_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    room = tmp_path / "made_for_this_test"
    (room / "inner").mkdir(parents=True)
    (room / "__init__.py").write_text("raise ImportError\n", "utf-8")
    before = fingerprint([room.name])
    assert fingerprint([room.name]) == before
    assert len(before) == 8
    (room / "inner" / "two.py").write_text("y = 1\n", "utf-8")
    assert fingerprint([room.name]) != before


def test_modules_and_packages() -> None:
    assert len({fingerprint(["text"]), fingerprint(["text.quotes"]), fingerprint([])}) == 3
    assert fingerprint(["state", "text"]) == fingerprint(["text", "state"])
    with pytest.raises(ModuleNotFoundError, match="no_such_room"):
        fingerprint(["no_such_room"])
