from __future__ import annotations

from pathlib import Path
from types import ModuleType

import text
from evals.fingerprint import fingerprint
from text import quotes


def test_it_is_of_all_sources_and_changes_with_any(tmp_path: Path) -> None:
    made = ModuleType("made")
    made.__path__ = [str(tmp_path)]
    (tmp_path / "one.py").write_text("x = 1\n", "utf-8")
    before = fingerprint([made])
    assert fingerprint([made]) == before
    assert len(before) == 8
    (tmp_path / "two.py").write_text("y = 1\n", "utf-8")
    assert fingerprint([made]) != before


def test_modules_and_packages() -> None:
    assert len({fingerprint([text]), fingerprint([quotes]), fingerprint([])}) == 3
