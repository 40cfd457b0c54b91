"""What the code imports stands in pyproject.toml: nothing arrives only because something else happens to need it."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.test_rooms import MAY_IMPORT, ROOT, imported, room_of, tracked


def test_every_import_of_the_product_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {_normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in declared}
    distributions = packages_distributions()
    own = {*MAY_IMPORT, *sys.stdlib_module_names}
    sources = [path for path in tracked() if path.suffix == ".py" and room_of(path) != "tests"]
    used = {name for path in sources for name in imported(path.read_text("utf-8"))} - own
    assert used
    undeclared = {name for name in used if not names & {_normal(d) for d in distributions.get(name, [name])}}
    assert not undeclared


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
