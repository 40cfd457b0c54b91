"""One step of an examination and what it found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from context.reasoning import Usage

Status: TypeAlias = Literal["ok", "warn", "fail", "skipped"]
"""`warn`: questions are answered, with a loss that the sentence names. `fail`: not as configured."""


@dataclass(frozen=True)
class Finding:
    """One sentence, and where something can be set that helps: the setting's name and what to set it to, in words."""

    status: Status
    sentence: str
    setting: str | None = None
    value: str | None = None


Look: TypeAlias = Callable[[], Awaitable[Finding]]


@dataclass(frozen=True)
class Step:
    """`needs` names earlier steps of the same patient; when one of them failed, this one is skipped."""

    name: str
    look: Look
    needs: tuple[str, ...] = ()


class Patient(Protocol):
    """What is looked at step by step. It may hold connections: close it with `aclose`."""

    target: str
    expects: int
    """Tokens that the examination is expected to cost."""

    @property
    def steps(self) -> Sequence[Step]: ...

    @property
    def spent(self) -> Sequence[Usage]:
        """The model calls that were made so far."""
        ...

    def uses(self) -> dict[str, Any]:
        """What Gapseek will use there, by stable names: plain JSON values."""
        ...

    async def aclose(self) -> None: ...
