"""A patient without an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from context.doctor.findings import Finding, Look, Step
from context.reasoning import Usage


class Local:
    """Steps that call nobody."""

    spent: Sequence[Usage] = ()
    expects = 0

    def __init__(self, target: str, *steps: Step, uses: Mapping[str, Any] | None = None) -> None:
        self.target = target
        self.steps: Sequence[Step] = steps
        self._uses = dict(uses or {})

    def uses(self) -> dict[str, Any]:
        return self._uses

    async def aclose(self) -> None:
        """There is nothing to close."""


def saying(finding: Finding) -> Look:
    """A step whose finding is known beforehand."""

    async def look() -> Finding:
        return finding

    return look
