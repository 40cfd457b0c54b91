"""The agent's prompts: the steps so far as delimited data, in numbers; ids of the store enter none."""

from __future__ import annotations

import json

from langchain_core.messages import BaseMessage

from context.tools import Place, SummaryRequest, ToolRequest, ToolStep
from reasoner import blocks
from reasoner.prompt_set import PromptSet
from reasoner.tool_numbers import Numbers


def choose_messages(request: ToolRequest, prompts: PromptSet) -> list[BaseMessage]:
    """Everything that the choice may rest on; it is made anew for every step, so that no text outlives its access."""
    numbers = Numbers(request)
    return prompts.get("agent", request.language, "choose").fill(
        question=blocks.data(request.question),
        checklist=blocks.checklist(request.sub_questions),
        gaps=blocks.gaps(request.gaps, request.sub_questions),
        conflicts=blocks.sides(request.conflicts, request.sub_questions),
        suggested=blocks.data("\n".join(query["text"] for query in request.suggested)),
        steps="\n".join(_step(step, number, numbers) for number, step in enumerate(request.steps, 1)),
        left=_left(request, numbers),
    )


def summarize_messages(request: SummaryRequest, prompts: PromptSet) -> list[BaseMessage]:
    return prompts.get("agent", request.language, "summarize").fill(
        question=blocks.data(request.question), passages=blocks.passages(request.passages)
    )


def _step(step: ToolStep, number: int, numbers: Numbers) -> str:
    asked = json.dumps(numbers.of(step), ensure_ascii=False)
    places = [_place(place, numbers) for place in step.places]
    parts = [blocks.element("asked", asked), blocks.element("remark", step.remark) if step.remark else "", *places]
    inner = "\n".join(part for part in parts if part)
    # A model may have made a tool's name up.
    name = step.tool if step.tool.isalpha() and step.tool.isascii() else "-"
    return f'<step number="{number}" tool="{name}">\n{inner}\n</step>'


def _place(place: Place, numbers: Numbers) -> str:
    passage = place.passage
    end = place.position + len(passage.text) if passage.text else passage.end
    return blocks.placed(
        passage,
        id=numbers.chunks[passage.chunk_id],
        doc=numbers.docs[passage.doc_id],
        position=f"{place.position}-{end}",
    )


def _left(request: ToolRequest, numbers: Numbers) -> str:
    items = ", ".join(str(numbers.items[item["id"]]) for item in request.open)
    return f"open items: {items or '-'}\ntool calls: {request.calls_left}\nsearches: {request.searches_left}"
