"""Ways of asking that a measurement can name and a caller cannot: a mode, what is taken out of it, other dials.

A name says all of it: `loop`, `loop-feedback` (without feedback from gaps), `loop@threshold=0.6@max_retries=1`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final, cast, get_args

from pydantic import ValidationError

from context.reasoning import Reasoner
from context.retrieval import Retriever
from context.run import Context
from errors import BadRequest
from evals.modes import LOOP, MODES
from evals.record import Record
from evals.without import always_as_at_first, without_feedback, without_own_question, without_rerank
from runs.modes import checked_mode
from settings import Settings
from state import Dials, Mode

QUESTION: Final = "question"
FEEDBACK: Final = "feedback"
RERANK: Final = "rerank"
DIALS: Final = ("threshold", "max_retries", "top_k", "max_barren_rounds")
"""Dials that a variant may set; the budget of an ask stays the same in all of them."""

_RETRIEVERS: Final[dict[str, Callable[[Retriever], Retriever]]] = {
    QUESTION: without_own_question,
    FEEDBACK: always_as_at_first,
    RERANK: without_rerank,
}
_REASONERS: Final[dict[str, Callable[[Reasoner], Reasoner]]] = {FEEDBACK: without_feedback}


@dataclass(frozen=True)
class Variant:
    """`base` is a mode of the machine, or one of `evals.modes`; `without` names what is taken out of it."""

    base: str
    without: tuple[str, ...] = ()
    dials: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """What `variant` reads, and what stands in the records."""
        parts = (f"-{part}" for part in self.without)
        return self.base + "".join((*parts, *(f"@{dial}={value:g}" for dial, value in self.dials)))

    @property
    def mode(self) -> Mode:
        """The mode in which the machine is asked."""
        return cast(Mode, self.base) if self.base in get_args(Mode) else LOOP

    @property
    def plain(self) -> bool:
        """Whether a caller could ask so: nothing is taken out, and every dial is the deployment's."""
        return not self.without and not self.dials

    def given(self, context: Context) -> Context:
        """The deployment's context as this variant has it, made anew for each ask.

        Raises `BadRequest` when the mode is not built, or when what is to be taken out is not there: that there is no
        difference would say nothing.
        """
        checked_mode(self.mode)
        if RERANK in self.without and context.retriever.reranker_name is None:
            raise BadRequest("Nothing is re-ordered here that could be left out: set GAPSEEK_RERANK__KIND.")
        reasoner, retriever = context.reasoner, context.retriever
        for part in self.without:
            retriever = _RETRIEVERS[part](retriever)
            reasoner = _REASONERS[part](reasoner) if part in _REASONERS else reasoner
        changed = MODES[self.base](context.dials) if self.base in MODES else context.dials
        dials = cast(Dials, {**changed, **dict(self.dials)})
        return replace(context, reasoner=reasoner, retriever=retriever, dials=dials)


def variant(name: str) -> Variant:
    """The variant of this name. Raises `BadRequest` with what there is for a name that says anything else."""
    plain, *dials = name.split("@")
    base, *without = plain.split("-")
    if base not in {*get_args(Mode), *MODES}:
        raise BadRequest(f"There is no mode named {base!r}; there are {', '.join(MODES)}.")
    if unknown := [part for part in without if part not in _RETRIEVERS]:
        raise BadRequest(f"'{unknown[0]}' cannot be taken out of a mode; these can: {', '.join(_RETRIEVERS)}.")
    return Variant(base, tuple(dict.fromkeys(without)), tuple(map(_dial, dials)))


def turned(records: Iterable[Record], dials: Collection[str]) -> dict[str, Variant]:
    """By name, the variants among these records that are the loop with just these dials set."""
    names = dict.fromkeys(record.mode for record in records if record.mode.startswith(f"{LOOP}@"))
    found = {name: variant(name) for name in names}
    return {name: at for name, at in found.items() if dict(at.dials).keys() == set(dials)}


def _dial(text: str) -> tuple[str, float]:
    """A dial and its value, within the bounds that the setting of that name has."""
    name, _, value = text.partition("=")
    if name not in DIALS:
        raise BadRequest(f"'{name}' is no dial of a variant; these are: {', '.join(DIALS)}.")
    try:
        return name, getattr(Settings.model_validate({name: value}), name)
    except ValidationError as error:
        raise BadRequest(f"'{text}': {error.errors()[0]['msg']}.") from error
