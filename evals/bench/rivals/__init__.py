"""Other hybrids, each used as its own documentation says; they are installed for the bench only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from evals.bench.contender import Contender, Loaded

NAMES: Final = ("langchain", "llama_index", "haystack")

Builder = Callable[[Loaded, Path], Contender]


def installed(say: Callable[[str], None]) -> Iterator[tuple[str, Builder]]:
    """The builder of each rival that can be imported here; of the others it is said that they are left out."""
    for name in NAMES:
        try:
            module = import_module(f"{__name__}.{name}")
        except ImportError as error:
            say(f"{name} is not installed here and is left out: {error}")
        else:
            yield name, module.build
