"""The answer that a person gave: in their own words, and cited as theirs."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from policy.said import pieces, unbracketed
from state import Citation, Language, PersonReply, RAGState, Turn, Update
from text.normalise import says_something

A_PERSON: Final[dict[Language, str]] = {"zh": "人工答复", "en": "a person"}
"""The title of their citation when they gave no name."""
CITED: Final = "[1]"


def relay(state: RAGState, person: PersonReply, write: Callable[[Any], None]) -> Update:
    """Say the reply as it came, with its citation on every line that is no code. No model is asked.

    Numbers in brackets are taken out: they would read as citations of sources that are not there. The quote keeps them.
    """
    parts = pieces("\n".join(person["text"].splitlines()))
    said = [(part if is_code else _all_cited(unbracketed(part)), is_code) for part, is_code in parts]
    text = "".join(part for part, _ in said)
    if not any(CITED in part for part, is_code in said if not is_code):
        text = f"{text}\n{CITED}"
    write({"type": "token", "text": text})
    turn: Turn = {"question": state["question"], "standalone": state["standalone"], "answer": text}
    return {"answer": text, "citations": [citation(person, state["language"])], "history": [turn]}


def citation(person: PersonReply, language: Language) -> Citation:
    """The reply as a source: a document of one version and one chunk, whose whole text is the quote."""
    version = sha256(person["text"].encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "number": 1,
        "doc_id": person["doc_id"],
        "version": version,
        "chunk_id": f"{person['doc_id']}#{version[:16]}",
        "title": person["name"] or A_PERSON[language],
        "quote": person["text"],
        "start": 0,
        "end": len(person["text"]),
        "person": True,
    }


def _all_cited(prose: str) -> str:
    return "\n".join(map(_cited, prose.split("\n")))


def _cited(line: str) -> str:
    """The line with its citation, unless it says nothing."""
    said = line.rstrip()
    if not says_something(said):
        return said
    return f"{said}{' ' if said[-1].isascii() else ''}{CITED}"
