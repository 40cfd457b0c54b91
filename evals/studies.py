"""What a measurement asks to answer one question about the loop, by a name that stands for many variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evals.ladder import ABLATIONS, RUNGS
from evals.modes import LOOP
from evals.sweep import grid
from evals.variants import variant
from runs import engine

STUDIES: Final[Mapping[str, tuple[str, ...]]] = {
    "ablation": (LOOP, *ABLATIONS),
    "ladder": tuple(RUNGS),
    "sweep": tuple(grid()),
}
"""Each study's variants. Those of modes that are not built are left out when it is asked for by its name."""


def expanded(names: str) -> tuple[str, ...]:
    """Of `loop,ladder,loop@threshold=0.8` every variant, each once. Raises `BadRequest` for an unknown name."""
    found = [one for name in names.split(",") for one in _meant(name.strip())]
    return tuple(dict.fromkeys(found))


def _meant(name: str) -> tuple[str, ...]:
    if name not in STUDIES:
        return (variant(name).name,)
    return tuple(one for one in STUDIES[name] if variant(one).mode in engine.MODES)
