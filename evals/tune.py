"""Asks a user's own questions at every setting around the deployment's, and proposes the one that loses them least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from errors import BadRequest
from evals.evaluation import RECORDS, Wanted, evaluate
from evals.knowledge import Say, Tick
from evals.record import Record, Records
from evals.tuning import TUNED, Losses, Proposal, environment_lines, propose, settings
from evals.variants import Variant, variant
from settings import Settings

SETTINGS: Final = "tuned.env"
FEW: Final = 40
"""Questions under which a half can hardly tell two settings apart."""


def tune(wanted: Wanted, deployed: Settings, losses: Losses, tick: Tick, say: Say) -> Proposal:
    """Ask what is not asked yet, and write the settings it would use into the folder, beside the records.

    Raises `BadRequest` for a set that cannot be used or has too few questions to be halved, and `Conflict` when
    another eval writes into the folder.
    """
    default, names = _around(deployed)
    asked = replace(wanted, modes=",".join(names), position=variant)
    found = evaluate(asked, deployed, tick, say)
    records = _asked(wanted.out / RECORDS, found["code"], found["settings"]["fingerprint"], found["knowledge"])
    proposal = propose(records, default, losses)
    if proposal is None:
        raise BadRequest("Too few questions to choose settings on one half of them and judge them on the other.")
    if proposal.fitted_on + proposal.judged_on < FEW:
        say(f"With fewer than {FEW} questions hardly any setting can be shown to be better than another.")
    (wanted.out / SETTINGS).write_text(environment_lines(proposal), "utf-8")
    return proposal


def _around(deployed: Settings) -> tuple[Variant, list[str]]:
    dials = cast(Mapping[str, float], deployed.dials())
    variants = settings({name: dials[name] for name in TUNED})
    return variants[0], [one.name for one in variants]


def _asked(file: Path, code: str, deployment: str, documents: str) -> list[Record]:
    """What the folder holds of this deployment and these documents: it may have been measured otherwise before."""
    return [r for r in Records(file, code) if (r.settings, r.knowledge) == (deployment, documents)]
