from __future__ import annotations

from pathlib import Path

import pytest

from errors import BadRequest
from evals.baselines import baselines

TABLE = """# Baselines

| set | docs | kind | n | R@5 | hit@5 |
|---|---:|---|---:|---:|---:|
| one_zh | 848 | ALL | 400 | 1.000 | 1.000 |
|  |  | city | 25 | 0.880 | 0.880 |
|  |  | city + filter | 25 | 0.960 | 0.960 |
| | | leak: a look-alike | 34 | | 0.853 |
| two_en | 5 | ALL | 73 | 0.685 | 0.685 |
"""


def test_rows_belong_to_the_set_above(tmp_path: Path) -> None:
    file = tmp_path / "baselines.md"
    file.write_text(TABLE, "utf-8")
    assert baselines(file) == {
        ("one_zh", "all", False): 1.0,
        ("one_zh", "city", False): 0.88,
        ("one_zh", "city", True): 0.96,
        ("two_en", "all", False): 0.685,
    }


@pytest.mark.parametrize("text", ["", "| a | b |\n|---|---|\n| 1 | 2 |\n"])
def test_a_file_without_the_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.md"
    file.write_text(text, "utf-8")
    with pytest.raises(BadRequest, match="columns set, kind and R@5"):
        baselines(file)
    with pytest.raises(BadRequest, match="no such file"):
        baselines(tmp_path / "nowhere.md")
