"""What every body from outside has in common."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, model_validator

_MOST_UNKNOWN: Final = 10
"""Unknown fields that are named: each is an error of its own, and a body of nothing else would take seconds."""
MOST_ITEMS: Final = 1_000
"""Longest list of names in a body: each that is wrong is an error of its own too."""


class Body(BaseModel):
    """Unknown fields are an error, and nothing is coerced: "3" is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _mostly_known(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given.keys() - cls.model_fields.keys()) > _MOST_UNKNOWN:
            raise ValueError(f"more than {_MOST_UNKNOWN} fields are not of this request")
        return given
