"""Everything that one run is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from context.reasoning import Reasoner, Usage
from context.retrieval import Principal, Retriever
from state import Dials

Clock = Callable[[], float]
"""Seconds since the epoch, as `time.time` gives them."""


@dataclass(frozen=True)
class Windows:
    """Context windows of the models that grade and that answer, in tokens; None for no model."""

    grade: int | None = None
    answer: int | None = None


class Beside(Protocol):
    """What runs beside the graph, on the same budget: a draft (runs/draft.py)."""

    @property
    def calls(self) -> int:
        """Model calls that it holds or has made, as long as they are not counted."""
        ...

    @property
    def tokens(self) -> int:
        """Tokens, likewise."""
        ...

    async def end(self) -> tuple[Usage, ...]:
        """Stop it; the model calls it made, told once: whoever is told them counts them."""
        ...


@dataclass(frozen=True)
class Context:
    """Everything that one run is given. `dials` are the deployment's: the ceiling that no caller can raise."""

    reasoner: Annotated[Reasoner, SkipJsonSchema[InstanceOf[Any]]]
    retriever: Annotated[Retriever, SkipJsonSchema[InstanceOf[Any]]]
    clock: Annotated[Clock, SkipJsonSchema[InstanceOf[Any]]]
    principal: Principal
    dials: Dials
    windows: Windows = Windows()
    beside: Annotated[Beside | None, SkipJsonSchema[InstanceOf[Any]]] = None
