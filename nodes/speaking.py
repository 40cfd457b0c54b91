"""Let the reasoner speak, within the time and the budget; and make good what it did not say."""

from __future__ import annotations

from typing import Final

from context.reasoning import AnswerRequest, Source, Usage
from context.retrieval import Passage
from context.run import Context
from errors import GapseekError
from nodes.bounded import CALLS_AT_MOST, SLACK_S, call_cost, said_before, unreported
from nodes.speech import Answer, Speech
from policy import budget, closing
from policy.account import Account, Cost
from policy.citations import checked
from policy.supersession import day_asked
from policy.yielded import not_in_force, superseded
from state import Language, RAGState, Update
from text.token_estimate import estimate_tokens

CUT_SHORT: Final = "model_cut_off"
"""The code of an answer that stopped at the model's limit, or otherwise before its end."""

TOO_LATE: Final[dict[Language, str]] = {
    "zh": "未能在时限内作答。",
    "en": "There was not enough time to answer.",
}


async def speak(state: RAGState, context: Context, sources: tuple[Source, ...], answer: Answer) -> Update:
    """Say all there is to say; the counters after it, and the stop reason where the time ran out meanwhile."""
    cost = _cost(state, context, sources)
    seconds = budget.time_left(state, context.clock())
    calls = Account(state["spent"], state["dials"]).affordable(cost, CALLS_AT_MOST)
    if seconds <= 0 or calls == 0:
        _say_without_a_model(state, sources, answer)
        return {"spent": state["spent"]}
    speech = Speech(context.reasoner.answer(_request(state, sources, seconds, calls)), seconds)
    grounds = {source.number: ground(source.passage) for source in sources}
    async for sentence in speech.sentences():
        await answer.hear(sentence, grounds)
    late = _is_late(state, context, speech)
    _say_what_is_left(state, sources, speech, answer, late=late)
    spent = budget.settle(state["spent"], speech.usage or _lost(context, cost, speech))
    return {"spent": spent, "stop_reason": "deadline"} if late else {"spent": spent}


def _cost(state: RAGState, context: Context, sources: tuple[Source, ...]) -> Cost:
    texts = [state["question"], state["standalone"], *said_before(state), *(source.passage.text for source in sources)]
    return call_cost(context, texts, output=budget.ANSWER_TOKENS)


def _request(state: RAGState, sources: tuple[Source, ...], seconds: float, calls: int) -> AnswerRequest:
    return AnswerRequest(
        question=state["question"],
        standalone=state["standalone"],
        language=state["language"],
        history=tuple(state["history"]),
        route_reason=state["route_reason"],
        sub_questions=tuple(state["sub_questions"]),
        sources=sources,
        gaps=tuple(state["gaps"]),
        conflicts=tuple(state["conflicts"]),
        timeout_s=seconds,
        max_calls=calls,
    )


def _is_late(state: RAGState, context: Context, speech: Speech) -> bool:
    """Whether the speech was cut by the end of the time, whoever noticed it first."""
    return speech.cut == "deadline" or (speech.cut is not None and budget.time_left(state, context.clock()) <= SLACK_S)


def _lost(context: Context, cost: Cost, speech: Speech) -> tuple[Usage, ...]:
    """What an answer cost that did not come to its end, as far as it said so."""
    made: tuple[Usage, ...] = speech.cut.made if isinstance(speech.cut, GapseekError) else ()
    return made or (broken_off(context, cost, speech) if speech.cut else ())


def broken_off(context: Context, cost: Cost, speech: Speech) -> tuple[Usage, ...]:
    """What an answer cost that was broken off before it said so."""
    received = estimate_tokens("".join(speech.received))
    return unreported(context, cost, received=received, output=budget.ANSWER_TOKENS)


def _say_what_is_left(
    state: RAGState, sources: tuple[Source, ...], speech: Speech, answer: Answer, *, late: bool
) -> None:
    """Make good what a broken or an uncited speech owes, and close the answer. Raises what broke a direct reply off."""
    short = isinstance(speech.cut, GapseekError) and speech.cut.reason == CUT_SHORT and bool(answer.text)
    answer.paragraph(closing.CUT_SHORT[state["language"]] if short and not late else None)
    if not sources:
        if isinstance(speech.cut, GapseekError) and not late and not short:
            raise speech.cut
        answer.paragraph((closing.CUT if answer.text else TOO_LATE)[state["language"]] if late else None)
    elif late and answer.cited:
        answer.paragraph(closing.CUT[state["language"]])
    elif speech.cut is not None or not answer.cited:
        answer.excerpts(_strong(state, sources))
    _close(state, sources, answer)


def _say_without_a_model(state: RAGState, sources: tuple[Source, ...], answer: Answer) -> None:
    if not sources:
        answer.say(TOO_LATE[state["language"]])
    answer.excerpts(_strong(state, sources))
    _close(state, sources, answer)


def _close(state: RAGState, sources: tuple[Source, ...], answer: Answer) -> None:
    """Tell what is in conflict, superseded or open, where the answer did not, and what was left out."""
    language = state["language"]
    numbers = {source.passage.chunk_id: source.number for source in sources}
    subjects = {question["id"]: question["text"] for question in state["sub_questions"]}
    said = closing.Said(answer.text, answer.together)
    disputed = {side["chunk_id"] for conflict in state["conflicts"] for side in conflict["sides"]}
    told = [
        *closing.disagreements(state["conflicts"], numbers, subjects, said, language),
        *superseded(state["ledger"], numbers, language, disputed),
    ]
    for sentence in told:
        answer.paragraph(sentence)
        answer.cited.update(checked(sentence, set(numbers.values()))[1])
    cited = {chunk_id: number for chunk_id, number in numbers.items() if number in answer.cited}
    for sentence in not_in_force(state["ledger"], cited, language, day_asked(state["standalone"], state["started_at"])):
        answer.paragraph(sentence)
    answer.paragraph(None if answer.names_gaps or not sources else closing.missing(state["gaps"], language))
    answer.paragraph(closing.left_out(answer.removed, language))


def _strong(state: RAGState, sources: tuple[Source, ...]) -> list[Source]:
    """The sources that answer; those that are only partly related stay behind, and those in conflict are told apart."""
    disputed = {conflict["sub_question_id"] for conflict in state["conflicts"]}
    return [
        source
        for source in sources
        if source.grade >= state["dials"]["threshold"] and not disputed.issuperset(source.sub_question_ids)
    ]


def ground(passage: Passage) -> str:
    """All that a citation of the passage may rest on."""
    return f"{passage.title}\n{passage.heading}\n{passage.text}"
