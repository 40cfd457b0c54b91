"""Each rung of the ladder with the hardest form that Gapseek asks for: the grades."""

from __future__ import annotations

import json
from functools import partial
from typing import Final, Literal

from langchain_core.messages import AIMessage

from context.doctor.findings import Finding, Step
from context.reasoning import GradeRequest
from context.retrieval import Passage, Principal
from reasoner.asking import evaluate_messages
from reasoner.client import ARGUMENTS
from reasoner.doctor.overheard import Overheard
from reasoner.doctor.trouble import trouble
from reasoner.faults import translated
from reasoner.lines import Rung
from reasoner.prompt_set import built_in
from reasoner.reading import judgements_of
from reasoner.replies import is_cut
from reasoner.schemas import GradesForm
from reasoner.structured import Ladder
from state import SubQuestion
from text.token_estimate import estimate_tokens

Outcome = Literal["usable", "unusable", "refused", "failed"]

NAMES: Final = {
    Rung.JSON_SCHEMA: "json_schema",
    Rung.FUNCTION: "function_call",
    Rung.JSON_MODE: "json_mode",
    Rung.PLAIN: "plain_text",
}
"""Rungs as steps and in JSON."""
WORDS: Final = {
    Rung.JSON_SCHEMA: "JSON schema",
    Rung.FUNCTION: "function call",
    Rung.JSON_MODE: "JSON mode",
    Rung.PLAIN: "plain text",
}
SUFFICIENT: Final = 0.7
CALLS: Final = 4
"""One a rung, or a reply, its correction and more room."""
_REPLY: Final = 100
"""Tokens of a filled-in form, about."""

_QUESTION: Final = "How many days of paid leave do employees have?"
_ITEM: Final[SubQuestion] = {"id": "q1", "text": _QUESTION, "required": True}
_PASSAGE: Final = Passage("c", "leave", "1", "Leave", "", "Employees have 20 days of paid leave a year.")
REQUEST: Final = GradeRequest(_QUESTION, "en", (_ITEM,), (_PASSAGE,), (), (), Principal(), 0.0)
"""A passage that answers directly; the time of a call is on its bill."""


class Forms:
    """`needed` says whether this model makes decisions: without a form it then answers nothing of worth."""

    def __init__(self, caller: Overheard, needed: bool) -> None:
        self._caller = caller
        self._needed = needed
        self._prefix = caller.endpoint.settings_prefix
        self._outcomes: dict[Rung, Outcome] = {}
        self._form: GradesForm | None = None
        self.used: Rung | None = None

    def steps(self, *needs: str) -> list[Step]:
        """A step a rung, then what comes of them."""
        rungs = [Step(name, partial(self.rung, rung), needs) for rung, name in NAMES.items()]
        return [*rungs, Step("ladder", self.ladder, needs)]

    async def rung(self, rung: Rung) -> Finding:
        """One call on this rung alone."""
        self._outcomes[rung] = "failed"
        try:
            form = await self._asked(rung, calls=1)
        except Exception as exc:  # as in faults.translated
            if self._refuses_last(rung, exc):
                return self._refused(rung)
            return trouble(exc, self._prefix, "warn")
        if self._caller.manners.rung is not rung and not is_cut(self._caller.replies[-1]):
            return self._refused(rung)
        if form is None:
            return self._unusable(rung)
        self._outcomes[rung] = "usable"
        if not any(outcome in ("usable", "unusable") for r, outcome in self._outcomes.items() if r is not rung):
            self._form = form
        return _usable(rung, self._caller.replies[-1])

    async def ladder(self) -> Finding:
        """What an ask comes to: it stays on the first rung that is not refused, whatever it gets there."""
        self.used = next((rung for rung in Rung if self._outcomes.get(rung) != "refused"), None)
        if self.used is None:
            return self._lost("The endpoint refuses every way to ask for a form.")
        self._caller.manners.rung = self.used
        if self._outcomes.get(self.used) == "usable":
            return self._judged(f"Gapseek will ask for forms by {WORDS[self.used]}.", self._form)
        return await self._corrected(self.used)

    async def _asked(self, rung: Rung, calls: int) -> GradesForm | None:
        self._caller.manners.rung = rung
        bill, messages = self._caller.purse(calls), evaluate_messages(REQUEST, built_in())
        with translated(self._prefix):
            return await Ladder(self._caller, GradesForm, messages, "en").climb_down(bill)

    async def _corrected(self, first: Rung) -> Finding:
        """The whole ladder from there, with its second chances, as an ask would climb it."""
        try:
            form = await self._asked(first, calls=CALLS)
        except Exception as exc:  # as in faults.translated
            found = trouble(exc, self._prefix, "fail" if self._needed else "warn")
            self.used = None
            return found
        self.used = rung = self._caller.manners.rung
        if form is None:
            return self._lost("No reply holds the form, asked again or not: the safe defaults would stand.")
        sentence = f"Forms come by {WORDS[rung]}, but only when asked for again: slower and dearer."
        value = "a model that follows a schema"
        return Finding("warn", sentence, f"{self._prefix}__MODEL", value)

    def _refuses_last(self, rung: Rung, exc: Exception) -> bool:
        return rung is Rung.PLAIN and getattr(exc, "reason", "") == "model_rejected"

    def _refused(self, rung: Rung) -> Finding:
        self._outcomes[rung] = "refused"
        below = "Gapseek asks in another way." if rung is not Rung.PLAIN else "Nothing is left below it."
        return Finding("warn", f"A form by {WORDS[rung]} is not offered. {below}")

    def _unusable(self, rung: Rung) -> Finding:
        self._outcomes[rung] = "unusable"
        if is_cut(self._caller.replies[-1]):
            sentence = f"The form by {WORDS[rung]} was cut at its limit."
            return Finding("warn", sentence, f"{self._prefix}__MAX_TOKENS", "more tokens, thought included")
        sentence = f"The reply to {WORDS[rung]} does not hold the form."
        return Finding("warn", sentence, f"{self._prefix}__MODEL", "a model that follows a schema")

    def _judged(self, sentence: str, form: GradesForm | None) -> Finding:
        judged = judgements_of(form, REQUEST) if form else ()
        if any(one.score >= SUFFICIENT for one in judged):
            return Finding("ok", sentence)
        poor = f"{sentence} But a passage that answers directly was not graded so."
        return Finding("warn", poor, f"{self._prefix}__MODEL", "a model that judges better")

    def _lost(self, sentence: str) -> Finding:
        value = "a model that follows a schema"
        return Finding("fail" if self._needed else "warn", sentence, f"{self._prefix}__MODEL", value)


def expected_tokens() -> int:
    """What the four rungs cost: prompts, schemas and replies, by our estimate."""
    prompt = sum(estimate_tokens(message.text) for message in evaluate_messages(REQUEST, built_in()))
    return len(NAMES) * (prompt + estimate_tokens(json.dumps(GradesForm.json_form())) + _REPLY)


def _usable(rung: Rung, reply: AIMessage) -> Finding:
    if rung is Rung.FUNCTION and not reply.additional_kwargs.get(ARGUMENTS):
        return Finding("warn", "The function is not called; the form is read from what is said instead.")
    if rung < Rung.PLAIN and rung is not Rung.FUNCTION and not _is_json(reply.text):
        return Finding("warn", f"{WORDS[rung]} is taken and not kept to; the form is read from what surrounds it.")
    return Finding("ok", f"A form by {WORDS[rung]} comes as asked for.")


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
