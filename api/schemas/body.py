"""What every body from outside has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """Unknown fields are an error, and nothing is coerced: "3" is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)
