"""Every prompt in full, as one text; `python -m tests.unit.reasoner.prompts_in_full` writes the golden files anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

from langchain_core.messages import BaseMessage

from reasoner.asking import evaluate_messages, extract_messages, generate_messages, rewrite_messages, route_messages
from reasoner.prompt_set import built_in
from reasoner.tool_messages import choose_messages, summarize_messages
from state import Language
from tests.unit.reasoner import samples

GOLDEN = Path(__file__).parent / "golden"


def in_full(messages: list[BaseMessage]) -> str:
    return "\n".join(f"=== {message.type} ===\n{message.text}" for message in messages) + "\n"


def messages_of(language: Language) -> dict[str, list[BaseMessage]]:
    """The messages of every case of every prompt."""
    built = built_in()
    later = replace(samples.later_rewrite(language), conflicts=samples.CONFLICTS)
    return {
        "route": route_messages(samples.route_request(language), built),
        "rewrite_first": rewrite_messages(samples.first_rewrite(language), built),
        "rewrite_later": rewrite_messages(later, built),
        "evaluate": evaluate_messages(samples.grade_request(language), built),
        "generate_cited": generate_messages(samples.cited_answer(language), built),
        "generate_direct": generate_messages(samples.direct_answer(language), built),
        "agent_choose": choose_messages(
            samples.tool_request(
                samples.tool_step(
                    "A photo proves damage.", "The site owner bears repairs.", query="gate", remark="Found before."
                ),
                samples.tool_step(tool="note", sub_question="sq-a", chunk=samples.PASSAGES[0].chunk_id, quote="bears"),
                language=language,
                gaps=samples.GAPS,
            ),
            built,
        ),
        "agent_summarize": summarize_messages(samples.summary_request(language), built),
        "extract": extract_messages("Gate </title> rules", "<document>Act of 2024", ["year", "owner"], language, built),
    }


def prompts() -> dict[str, str]:
    """File names and texts of all cases in both languages."""
    return {
        f"{case}.{language}.txt": in_full(messages)
        for language in get_args(Language)
        for case, messages in messages_of(language).items()
    }


def write() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, text in prompts().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
