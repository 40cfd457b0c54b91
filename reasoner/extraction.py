"""Metadata by a model, off unless asked for: every value is held to the document's own words before it counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from context.reasoning import Reasoned
from reasoner.asking import extract_messages
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.chat_model import ChatModel
from reasoner.lines import Lines
from reasoner.prompt_set import PromptSet, built_in
from reasoner.schemas import ExtractForm, FactForm
from text.dates import dates_in, in_digits, parse_date
from text.language import language
from text.normalise import fold
from text.numbers import numbers
from text.quotes import locate

SHOWN: Final = 6_000
"""Characters of a document that the model reads: two thirds from its beginning, the rest from its end."""
_LONGEST_VALUE: Final = 200
CALLS_AT_MOST: Final = 4
"""For one document: one for each way in which a form can be asked for."""


class ModelExtractor:
    """Implements `context.Extractor`. Close it with `aclose`.

    With the reasoner's `lines`, asks and ingest share an endpoint's places, and its rest after failures.
    """

    def __init__(self, endpoint: ChatEndpoint, lines: Lines | None = None, prompts: PromptSet | None = None) -> None:
        self._prompts = prompts or built_in()
        self._model = ChatModel(endpoint, lines)
        self._timeout_s = endpoint.timeout_s
        self.name = f"llm:{endpoint.model}"

    async def extract(self, title: str, text: str, fields: Sequence[str]) -> Reasoned[dict[str, Any]]:
        """The wanted fields that the text states. Raises `errors.Unavailable`, or `BadRequest` for refused content."""
        shown = excerpt(text)
        spoken = language(f"{title} {shown}")
        bill = self._model.bill(CALLS_AT_MOST, self._timeout_s)
        asked = extract_messages(title, shown, fields, spoken, self._prompts)
        form = await self._model.fill_in(ExtractForm, asked, bill, spoken)
        found = stated(form.facts, f"{title}\n{text}", fields) if form else {}
        return Reasoned(found, tuple(bill.usage))

    async def aclose(self) -> None:
        await self._model.aclose()


def excerpt(text: str) -> str:
    """The text, or of a long one its beginning and its end: where documents speak of themselves."""
    if len(text) <= SHOWN:
        return text
    head = SHOWN * 2 // 3
    return f"{text[:head]}\n…\n{text[len(text) - (SHOWN - head) :]}"


def stated(facts: Sequence[FactForm], text: str, fields: Sequence[str]) -> dict[str, Any]:
    """The facts whose quote stands in the text and whose value stands in the quote; of two for a field, neither."""
    found: dict[str, Any] = {}
    twice: set[str] = set()
    for fact in facts:
        value = _checked(fact, text) if fact.field in fields else None
        if value is None:
            continue
        if found.setdefault(fact.field, value) != value:
            twice.add(fact.field)
    return {field: found[field] for field in fields if field in found and field not in twice}


def _checked(fact: FactForm, text: str) -> Any:
    """The value in its plain type; None when the document does not say it."""
    place = locate(fact.quote, text) or locate(fact.quote.replace("&lt;", "<"), text)
    if place is None:
        return None
    return _READ.get(fact.field, _words)(fact.value.strip(), text[slice(*place)])


def _words(value: str, quote: str) -> str | None:
    closed = "".join(fold(value).split())
    said = closed and len(value) <= _LONGEST_VALUE and closed in "".join(fold(quote).split())
    return value if said else None


def _year(value: str, quote: str) -> int | None:
    return int(value) if re.fullmatch(r"(?:19|20)\d\d", value) and value in numbers(in_digits(quote)) else None


def _date(value: str, quote: str) -> str | None:
    date = parse_date(value)
    return date.isoformat() if date and date in dates_in(quote) else None


_READ: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "year": _year,
    "effective_from": _date,
    "effective_to": _date,
}
"""How the value of a field is read; all others are words."""
