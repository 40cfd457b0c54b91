"""What the code imports stands in pyproject.toml: nothing arrives only because something else happens to need it."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.test_rooms import MAY_IMPORT, ROOT, imported, room_of, tracked

BENCH = ROOT / "evals" / "bench"
"""May import what its own requirements list, where it is caught that they are not installed."""


def test_every_import_of_the_product_is_declared() -> None:
    used = used_by(path for path in sources() if BENCH not in path.parents)
    assert used
    assert not undeclared(used, product())


def test_every_import_of_the_bench_is_declared() -> None:
    of_bench = (BENCH / "requirements.in").read_text("utf-8").splitlines()
    used = used_by(path for path in sources() if BENCH in path.parents)
    assert {"llama_index", "haystack", "matplotlib"} <= used
    assert not undeclared(used, product() | names(line for line in of_bench if not line.startswith("#")))


def product() -> set[str]:
    return names(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"])


def names(requirements: Iterable[str]) -> set[str]:
    return {_normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}


def sources() -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py" and room_of(path) != "tests"]


def used_by(paths: Iterable[Path]) -> set[str]:
    return {name for path in paths for name in imported(path.read_text("utf-8"))} - {
        *MAY_IMPORT,
        *sys.stdlib_module_names,
    }


def undeclared(used: set[str], declared: set[str]) -> set[str]:
    """Not installed here, the name of a package may be longer than that of its module: llama-index-core."""
    distributions = packages_distributions()
    found = set()
    for name in used:
        known = {_normal(distribution) for distribution in distributions.get(name, [])}
        alike = {one for one in declared if not known and f"{one}-".startswith(f"{_normal(name)}-")}
        if not declared & known and not alike:
            found.add(name)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
