"""What two runs did not have in common: the index, the models, the prompts, the embedder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PROMPTS: Final = ":prompts-"
"""In the name of a reasoner that works by prompts, before their fingerprint."""


def ran_on(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """What a run was recorded to run on, with the reasoner's name taken apart; `prompts` is None without any."""
    model, _, prompts = str(recorded.get("reasoner", "")).partition(PROMPTS)
    return {
        "index_generation": recorded.get("index_generation"),
        "model": model,
        "prompts": prompts or None,
        "embedder": recorded.get("embedder"),
    }


def differs(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The names of what is not the same."""
    before, after = ran_on(then), ran_on(now)
    return [name for name in after if before[name] != after[name]]
