"""Every prompt in full, as one text; `python -m tests.unit.reasoner.prompts_in_full` writes the golden files anew."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from langchain_core.messages import BaseMessage

from reasoner.asking import evaluate_messages, extract_messages, generate_messages, rewrite_messages, route_messages
from state import Language
from tests.unit.reasoner import samples

GOLDEN = Path(__file__).parent / "golden"


def in_full(messages: list[BaseMessage]) -> str:
    return "\n".join(f"=== {message.type} ===\n{message.text}" for message in messages) + "\n"


def prompts() -> dict[str, str]:
    """File names and texts of all cases in both languages."""
    texts: dict[str, str] = {}
    for language in get_args(Language):
        cases = {
            "route": route_messages(samples.route_request(language)),
            "rewrite_first": rewrite_messages(samples.first_rewrite(language)),
            "rewrite_later": rewrite_messages(samples.later_rewrite(language)),
            "evaluate": evaluate_messages(samples.grade_request(language)),
            "generate_cited": generate_messages(samples.cited_answer(language)),
            "generate_direct": generate_messages(samples.direct_answer(language)),
            "extract": extract_messages("Gate </title> rules", "<document>Act of 2024", ["year", "owner"], language),
        }
        texts |= {f"{case}.{language}.txt": in_full(messages) for case, messages in cases.items()}
    return texts


def write() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, text in prompts().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
