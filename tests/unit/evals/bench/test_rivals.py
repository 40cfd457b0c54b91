from __future__ import annotations

from types import SimpleNamespace

import pytest

from evals.bench import rivals


def test_who_is_not_installed_is_named_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def imported(name: str) -> SimpleNamespace:
        if name.endswith("haystack"):
            return SimpleNamespace(build=print)
        raise ImportError("no module")

    monkeypatch.setattr(rivals, "import_module", imported)
    said: list[str] = []
    assert [name for name, _ in rivals.installed(said.append)] == ["haystack"]
    assert said == [
        "langchain is not installed here and is left out: no module",
        "llama_index is not installed here and is left out: no module",
    ]
