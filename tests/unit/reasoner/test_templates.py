"""A prompt file as cases, and what the table of placeholders says of the built-in ones."""

from __future__ import annotations

from importlib.resources import files
from typing import get_args

import pytest

from reasoner.prompt_set import built_in
from reasoner.templates import NEEDED, Prompt, Section, cases, file_names, sections
from state import Language

CASES = [(stem, case) for stem, needed in NEEDED.items() for case in needed]
every_language = pytest.mark.parametrize("language", get_args(Language))
every_case = pytest.mark.parametrize(("stem", "case"), CASES)


@every_language
@every_case
def test_the_rules_have_no_placeholder_and_the_whole_asks_for_every_field(
    stem: str, case: str, language: Language
) -> None:
    prompt = built_in().get(stem, language, case)
    assert "$" not in prompt.system
    fields = {
        "route": ("JSON", "reason", "need_retrieval", "standalone"),
        "rewrite": ("JSON", "reason", "queries", "sub_question", "text"),
        "evaluate": ("JSON", "grades", "passage", "sub_question", "reason", "quote", "band", "score", "contradictions"),
        "generate": (),
        "agent": ("JSON", "reason"),
        "extract": ("JSON", "reason", "facts", "field", "quote", "value"),
    }
    for field in fields[stem]:
        assert field in prompt.user


def test_no_prompt_is_without_a_line_in_the_table() -> None:
    assert sorted(entry.name for entry in (files("reasoner") / "prompts").iterdir()) == sorted(file_names())


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


def test_a_file_is_read_by_its_headings() -> None:
    markdown = "stray\n# System: a b\n\nrules\n\n## Not one\n# User:a b  \n$x\n# Systems\n"
    before, found = sections(markdown)
    assert before == "stray"
    assert found == [Section("System", "a b", "rules\n\n## Not one"), Section("User", "a b", "$x\n# Systems")]
    assert [section.heading for section in found] == ["# System: a b", "# User: a b"]
    assert cases(markdown) == {"a b": Prompt("rules\n\n## Not one", "$x\n# Systems")}
