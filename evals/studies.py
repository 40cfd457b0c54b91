"""What a measurement asks to answer one question about the loop, by a name that stands for many variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evals.evaluation import ALL_MODES
from evals.ladder import ABLATIONS, RUNGS
from evals.modes import LOOP
from evals.sweep import grid
from evals.variants import RERANK, variant
from runs import engine
from settings import Settings

STUDIES: Final[Mapping[str, tuple[str, ...]]] = {
    "ablation": (LOOP, *ABLATIONS),
    "ladder": tuple(RUNGS),
    "sweep": tuple(grid()),
}
"""The variants of each."""


def asked_for(names: str, settings: Settings) -> str:
    """What `--modes` names, every study put into full, as `evaluate` takes it; `all` stays as it is."""
    return names if names == ALL_MODES else ",".join(expanded(names, reranks=settings.rerank.kind != "none"))


def expanded(names: str, *, reranks: bool) -> tuple[str, ...]:
    """Of `loop,ladder,loop@threshold=0.8` every variant, each once. Raises `BadRequest` for an unknown name.

    Of a study what cannot be asked here is left out: modes that are not built, rerank where nothing `reranks`.
    """
    found = [one for name in names.split(",") for one in _meant(name.strip(), reranks=reranks)]
    return tuple(dict.fromkeys(found))


def _meant(name: str, *, reranks: bool) -> tuple[str, ...]:
    if name not in STUDIES:
        return (variant(name).name,)
    variants = [variant(one) for one in STUDIES[name]]
    return tuple(v.name for v in variants if v.mode in engine.MODES and (reranks or RERANK not in v.without))
