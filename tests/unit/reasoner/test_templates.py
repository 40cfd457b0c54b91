"""Every prompt exists in both languages, with the same placeholders, all of them used."""

from __future__ import annotations

from importlib.resources import files
from typing import get_args

import pytest

from reasoner.blocks import TAGS
from reasoner.templates import Prompt, fingerprint, load
from state import Language

CASES = {
    ("route", ""): {"history", "question"},
    ("rewrite", "first round"): {"history", "question"},
    ("rewrite", "later round"): {"history", "question", "checklist", "gaps", "conflicts", "tried", "found"},
    ("evaluate", ""): {"question", "checklist", "passages"},
    ("generate", "cited"): {"history", "question", "standalone", "checklist", "passages", "gaps", "conflicts"},
    ("generate", "direct"): {"history", "question", "route_reason"},
    ("agent", "choose"): {"steps", "conflicts", "checklist", "gaps", "suggested", "left", "question"},
    ("agent", "summarize"): {"passages", "question"},
    ("extract", ""): {"fields", "title", "document"},
}
languages = pytest.mark.parametrize("language", get_args(Language))
cases = pytest.mark.parametrize(("stem", "case"), CASES)


@languages
@cases
def test_placeholders(stem: str, case: str, language: Language) -> None:
    assert load(stem, language, case).placeholders == CASES[stem, case]


@languages
@cases
def test_the_system_part_has_no_placeholder_and_asks_for_every_field(stem: str, case: str, language: Language) -> None:
    prompt = load(stem, language, case)
    system = prompt.system
    assert "$" not in system
    fields = {
        "route": ("JSON", "reason", "need_retrieval", "standalone"),
        "rewrite": ("JSON", "reason", "queries", "sub_question", "text"),
        "evaluate": ("JSON", "grades", "passage", "sub_question", "reason", "quote", "band", "score", "0.7", "0.5"),
        "generate": (),
        "agent": ("passage", "quote"),
        "extract": ("JSON", "reason", "facts", "field", "quote", "value"),
    }
    for field in fields[stem]:
        assert field in system


@languages
@cases
def test_every_delimiter_in_a_prompt_is_one_that_data_cannot_forge(stem: str, case: str, language: Language) -> None:
    for placeholder in load(stem, language, case).user.split("$")[:-1]:
        tag = placeholder.rstrip("\n").rpartition("<")[2].rstrip(">")
        assert tag in TAGS


def test_no_prompt_is_without_a_test() -> None:
    names = {entry.name for entry in (files("reasoner") / "prompts").iterdir()}
    assert names == {f"{stem}.{language}.md" for stem, _ in CASES for language in get_args(Language)}


def test_a_prompt_takes_exactly_its_placeholders() -> None:
    prompt = Prompt("rules", "<question>$question</question>")
    assert [message.text for message in prompt.fill(question="costs $5 $question")] == [
        "rules",
        "<question>costs $5 $question</question>",
    ]
    with pytest.raises(ValueError, match="question"):
        prompt.fill()
    with pytest.raises(ValueError, match="other"):
        prompt.fill(question="", other="")


def test_the_fingerprint_is_of_the_files() -> None:
    assert len(fingerprint()) == 8
    assert int(fingerprint(), 16) >= 0
