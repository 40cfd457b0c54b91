"""What became of the files of an ingest, for a person: failures by name, notes once for all they hold of, counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import typer

from api.terminal import harmless
from corpus.documents import Outcome
from corpus.ingest.names import escaped

_NAMED: Final = 3
"""A note that holds of more files names so many of them."""


def told(outcomes: Sequence[Outcome], show_found: bool) -> None:
    """What went wrong and what is to be known on stderr; on stdout what was found, if wanted, and the counts."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.doc_id)
    for one in ordered:
        if one.sentence:
            typer.echo(f"gapseek: {escaped(one.doc_id)}: {harmless(one.sentence)}", err=True)
        if show_found and one.found:
            typer.echo(f"{escaped(one.doc_id)}: {harmless(one.found)}")
    for note in dict.fromkeys(note for one in ordered for note in one.notes):
        typer.echo(
            f"gapseek: {_named([one.doc_id for one in ordered if note in one.notes])}: {harmless(note)}", err=True
        )
    results = [one.result for one in outcomes]
    typer.echo(", ".join(f"{results.count(result)} {result}" for result in ("added", "updated", "unchanged", "failed")))


def _named(doc_ids: Sequence[str]) -> str:
    shown = ", ".join(escaped(doc_id) for doc_id in doc_ids[:_NAMED])
    return shown if len(doc_ids) <= _NAMED else f"{shown} and {len(doc_ids) - _NAMED} more"
