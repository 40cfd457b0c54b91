"""Which version of Gapseek and of what it stands on a result comes of."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from evals.bench.kept import environment


@cache
def installed() -> str:
    """Gapseek's own version; "source" where it runs without being installed."""
    try:
        return version("gapseek")
    except PackageNotFoundError:
        return "source"


def versions() -> dict[str, Any]:
    """Gapseek's version, Python's, those of its main packages, and the kind of machine."""
    return {"gapseek": installed(), **environment()}
