"""Imports between rooms run one way: the table of docs/architecture.md, read from the code itself."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

MAY_IMPORT = {
    "errors": set[str](),
    "evidence": set[str](),
    "state": {"evidence"},
    "text": set[str](),
    "endpoints": set[str](),
    "settings": {"state"},
    "context": {"evidence", "state"},
    "policy": {"evidence", "state", "text"},
    "nodes": {"context", "evidence", "state", "policy", "text"},
    "reasoner": {"context", "endpoints", "evidence", "state", "text"},
    "corpus": {"context", "endpoints", "evidence", "state", "text"},
    "graph": {"nodes", "context", "evidence", "state", "policy", "corpus", "reasoner", "settings"},
    "runs": {"graph", "context", "evidence", "state", "policy"},
    "api": {"runs", "corpus", "context", "evidence", "state", "settings"},
    "server": {"api", "runs", "graph", "corpus", "settings"},
    "evals": {"runs", "graph", "corpus", "policy", "reasoner", "context", "evidence", "state", "settings", "text"},
    "cli": {"server", "api", "runs", "graph", "corpus", "settings", "evals"},
}
OPEN_TO_ALL = {"errors"}

# Written so that this file does not match itself.
UNWANTED = {
    "a folder beside the repository": r"\.\./[s]hared",
    "a path of one machine": r"(?<![\w.])/([r]oot|[h]ome|[w]ork|[f]arm|[U]sers)/",
    "a package registry": r"[p]ypi\.org|[p]ythonhosted|[n]pmjs|index[-]url\s*=|find[-]links\s*=",
}


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def room_of(path: Path) -> str:
    """The first part of a module's path: a package or a top-level module."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[str]:
    """The first name of everything that a module imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if node.level == 0 else "a relative import"


def forbidden(room: str, source: str) -> set[str]:
    """What this room imports of the project and may not."""
    ours = MAY_IMPORT.keys() | {"tests", "a relative import"}
    return (set(imported(source)) & ours) - MAY_IMPORT[room] - OPEN_TO_ALL - {room}


PROJECT_FILES = tracked()
MODULES = [path for path in PROJECT_FILES if path.suffix == ".py" and room_of(path) != "tests"]


def test_every_module_stands_in_a_known_room() -> None:
    assert {room_of(path) for path in MODULES} <= MAY_IMPORT.keys()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_the_table_allows(room: str) -> None:
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in MODULES
        if room_of(path) == room and (wrong := forbidden(room, path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_the_documented_table_is_this_one() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", page, flags=re.MULTILINE)
    assert {room: set(re.findall(r"\w+", needs)) for room, needs in rows} == MAY_IMPORT


def test_the_table_has_no_cycle() -> None:
    left = dict(MAY_IMPORT)
    while left:
        leaves = {room for room, needs in left.items() if not needs & left.keys()}
        assert leaves, f"rooms that import each other: {sorted(left)}"
        left = {room: needs for room, needs in left.items() if room not in leaves}


@pytest.mark.parametrize(
    ("room", "source", "wrong"),
    [
        ("policy", "from nodes.route import route", {"nodes"}),
        ("nodes", "def f():\n    import settings", {"settings"}),
        ("runs", "from tests.fakes import reasoner", {"tests"}),
        ("corpus", "from . import lanes", {"a relative import"}),
        ("text", "import errors, re\nfrom text.tokens import cut", set()),
    ],
)
def test_a_forbidden_import_is_seen(room: str, source: str, wrong: set[str]) -> None:
    assert forbidden(room, source) == wrong


@pytest.mark.parametrize("kind", UNWANTED)
def test_no_tracked_file_names(kind: str) -> None:
    pattern = re.compile(UNWANTED[kind])
    texts = ((path, path.read_bytes().decode("utf-8", errors="ignore")) for path in PROJECT_FILES)
    assert [str(path.relative_to(ROOT)) for path, text in texts if pattern.search(text)] == []
