"""Answers by extraction: the sentences of the evidence, in order, each with its citation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from context.reasoning import BANDS, AnswerRequest, Source
from context.retrieval import Passage
from state import Language
from text.citing import unmarked, with_marker
from text.sentences import sentences
from text.tokens import content_tokens

QUOTE_CHARS: Final = 280
"""A passage up to this long is quoted whole; of a longer one, the sentences around the best."""

ANSWERS: Final = BANDS["inference"][0]
"""A source graded lower is only partly related."""

_RELATED: Final[dict[Language, str]] = {
    "zh": "以下内容只是部分相关：",
    "en": "The following is only partly related:",
}


def quote(text: str, idf: Mapping[str, float]) -> str:
    """The run of whole sentences of `text`, at most 280 characters, that covers most of the words in `idf`: those of
    the question, by what each weighs."""
    spans = sentences(text)
    if len(text) <= QUOTE_CHARS or len(spans) <= 1:
        return text.strip()
    value = [sum(idf[term] for term in idf.keys() & set(content_tokens(text[a:b]))) for a, b in spans]
    first = last = max(range(len(spans)), key=lambda i: (value[i], -i))
    while True:
        wider = [(a, b) for a, b in ((first, last + 1), (first - 1, last)) if a >= 0 and b < len(spans)]
        fitting = [(a, b) for a, b in wider if spans[b][1] - spans[a][0] <= QUOTE_CHARS]
        if not fitting:
            return text[spans[first][0] : spans[last][1]]
        first, last = max(fitting, key=lambda run: sum(value[run[0] : run[1] + 1]))


def answer(request: AnswerRequest) -> list[str]:
    """The answer as paragraphs: one a source, every sentence ending in its citation; then what is only partly
    related, named as such. What is in conflict or missing is told by whoever closes the answer."""
    disputed = {conflict["sub_question_id"] for conflict in request.conflicts}
    # A draft's sources were not judged and stand for no sub-question.
    sources = [s for s in request.sources if not s.sub_question_ids or not disputed.issuperset(s.sub_question_ids)]
    answering = [_cited(source) for source in sources if source.grade >= ANSWERS]
    related = [_cited(source) for source in sources if source.grade < ANSWERS]
    paragraphs = [*answering, *([_RELATED[request.language], *related] if related else [])]
    return [f"{paragraph}\n" for paragraph in paragraphs[:-1]] + paragraphs[-1:]


def _cited(source: Source) -> str:
    said = (text for quote in source.quotes if (text := _without_titles(quote, source.passage)))
    return " ".join(with_marker(unmarked(text), source.number) for text in said)


def _without_titles(quote: str, passage: Passage) -> str:
    """The quote without the lines in front that only name it: a title states no fact. One that is all title stays."""
    titles = {_bare(title) for title in (passage.title, *passage.heading.split(" > "))}
    lines = quote.strip().split("\n")
    while len(lines) > 1 and _bare(lines[0]) in titles | {""}:
        lines = lines[1:]
    return "\n".join(lines).strip()


def _bare(title: str) -> str:
    return "".join(title.lower().strip("#*").split())
