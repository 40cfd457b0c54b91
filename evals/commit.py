"""The commit that a fingerprint of code stands for, where that code is checked out here."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evals.fingerprint import ANSWERING, fingerprint

ROOT: Final = Path(__file__).parent.parent


def commit(code: str) -> str | None:
    """The last commit that changed what `code` is a fingerprint of; None for other code, or code that is in none."""
    if code != fingerprint(ANSWERING):
        return None
    paths = [part for name in ANSWERING for part in (name, f"{name}.py") if (ROOT / part).exists()]
    if _git(["status", "--porcelain"], paths) != "":
        return None
    return _git(["log", "-1", "--format=%h"], paths) or None


def _git(command: Iterable[str], paths: Iterable[str]) -> str | None:
    """What git says of these paths, None where there is no git or no repository."""
    try:
        said = subprocess.run(  # noqa: S603 - the arguments are this package's own
            ["git", "-C", str(ROOT), *command, "--", *paths],  # noqa: S607 - whichever git the developer has
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()
