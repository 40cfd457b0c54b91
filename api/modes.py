"""`GET /modes`: in which ways a question can be answered here, and what each costs."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.dependencies import EngineDep, PrincipalDep
from api.schemas.modes import Modes
from runs.modes import described

router = APIRouter(tags=["service"])


@router.get("/modes", response_model=Modes)
async def get_modes(engine: EngineDep, principal: PrincipalDep) -> dict[str, Any]:
    """What each mode of `POST /ask` does, the way it takes through the graph, and whether it can be used here."""
    return described(engine, principal)
