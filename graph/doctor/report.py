"""What an examination found, for a person and as one JSON object of stable names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from context.doctor.findings import Finding
from context.reasoning import Usage

SCHEMA: Final = 1
"""Of the JSON object; a new one is only needed when a name goes or changes its meaning."""

TIMEOUT: Final = "--timeout"
"""The option, in the place of a setting, where the time was up."""


@dataclass(frozen=True)
class Found:
    """What one step of one target found, and the seconds that it took."""

    target: str
    step: str
    finding: Finding
    seconds: float


@dataclass
class Report:
    """Grows while the examination goes on."""

    found: list[Found] = field(default_factory=list)
    uses: dict[str, dict[str, Any]] = field(default_factory=dict)
    spent: list[Usage] = field(default_factory=list)

    @property
    def answers(self) -> bool:
        """Whether questions can be answered as configured, as far as all steps were come to."""
        return not any(one.finding.status == "fail" or one.finding.setting == TIMEOUT for one in self.found)

    def of(self, status: str) -> list[Found]:
        return [one for one in self.found if one.finding.status == status]

    def as_json(self) -> dict[str, Any]:
        """See docs/doctor.md for its names."""
        findings = [
            {"target": one.target, "step": one.step, **asdict(one.finding), "seconds": round(one.seconds, 3)}
            for one in self.found
        ]
        return {
            "schema": SCHEMA,
            "answers": self.answers,
            "findings": findings,
            "uses": self.uses,
            "spent": [_by_model(model, self.spent) for model in dict.fromkeys(one.model for one in self.spent)],
        }


def _by_model(model: str, spent: Iterable[Usage]) -> dict[str, Any]:
    calls = [one for one in spent if one.model == model]
    costs = [one.cost for one in calls if one.cost is not None]
    return {
        "model": model,
        "calls": len(calls),
        "input_tokens": sum(one.input_tokens for one in calls),
        "output_tokens": sum(one.output_tokens for one in calls),
        "estimated": any(one.estimated for one in calls),
        "cost": round(sum(costs), 6) if costs else None,
    }
