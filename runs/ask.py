"""One question to one thread, as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category

from context.retrieval import Principal
from context.run import Context
from errors import BadRequest, TooLarge
from graph.turn import begin, recorded
from policy.said import is_only_marks
from runs.dials import budget_of, lowered
from runs.engine import Engine, new_id
from runs.events import Event
from runs.execute import Job, execute
from runs.holding import held
from runs.modes import checked_mode, refuse_unusable
from runs.threads import owned
from runs.waiting import refuse_waiting


@dataclass(frozen=True)
class Ask:
    """A question as it came in. `budget` takes the names of DESIGN section 5 and only lowers.

    `handoff` says whether to ask a person where the documents do not suffice; None leaves that to the deployment.
    `draft` wants a quick answer first, which the last one confirms, changes or withdraws.
    """

    question: str
    thread_id: str | None = None
    mode: str | None = None
    filters: dict[str, Any] | None = None
    budget: Mapping[str, Any] = field(default_factory=dict)
    handoff: bool | None = None
    draft: bool = False


async def ask(engine: Engine, principal: Principal, request: Ask) -> AsyncGenerator[Event, None]:
    """Yield `run`, then nodes and tokens as they happen, then `answer`.

    Before the first event it raises `BadRequest` for a question, mode, filter or budget that cannot be used, `TooLarge`
    for a question that is too long, `NotFound` for a thread that is absent or somebody else's, and `Conflict` for one
    that is running or waits for a person.
    """
    context = engine.context_for(principal)
    mode = checked_mode(engine.mode if request.mode is None else request.mode)
    refuse_unusable(mode, context.retriever)
    start = begin(
        checked_question(engine, request.question),
        mode=mode,
        filters=await checked_filters(context, request.filters),
        dials=lowered(context.dials, request.budget),
        started_at=context.clock(),
        recorded=recorded(context),
        handoff=checked_handoff(engine, request.handoff),
    )
    if request.thread_id is not None:
        await owned(engine, principal, request.thread_id)
    job = Job(request.thread_id or new_id(), new_id(), context, start["dials"], start, mode, request.draft)
    async with held(engine, job.thread_id, job.run_id):
        if request.thread_id is not None:
            refuse_waiting(await owned(engine, principal, request.thread_id))
        begun = {"thread_id": job.thread_id, "run_id": job.run_id, "mode": mode, "budget": budget_of(job.dials)}
        yield Event("run", begun)
        async with aclosing(execute(engine, job)) as events:
            async for event in events:
                yield event


def checked_question(engine: Engine, question: Any) -> str:
    """The question without the space around it. Raises `BadRequest` when it says nothing or is no text, `TooLarge`."""
    if not isinstance(question, str):
        raise BadRequest("The question must be a text.")
    if len(question) > engine.max_question_chars:
        raise TooLarge(
            f"The question has {len(question):,} characters; at most {engine.max_question_chars:,} are taken."
        )
    if all(category(char)[0] in "ZC" for char in question):
        raise BadRequest("The question is empty.")
    if is_only_marks(question):
        raise BadRequest("The question has no word and no number: say what you would like to know.")
    return question.strip()


def checked_handoff(engine: Engine, wanted: bool | None) -> bool:
    """Whether this turn may be handed to a person. Raises `BadRequest` where nobody is there to be asked."""
    if engine.handoff == "never":
        if wanted:
            raise BadRequest("This server hands no question over to a person; ask without 'handoff'.")
        return False
    return engine.handoff == "on" if wanted is None else wanted


async def checked_filters(context: Context, filters: Any) -> dict[str, Any] | None:
    """The filter, if the index takes it. Raises `BadRequest`, so that no filter ever means another than was asked."""
    if filters is None:
        return None
    if not isinstance(filters, dict):
        raise BadRequest("A filter must be an object.")
    await context.retriever.count(context.principal, filters)
    return filters
