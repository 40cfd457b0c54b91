"""A person's reply to a thread that waits for one: taken up once, by whoever comes first, and run to its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, cast
from unicodedata import category

from langgraph.types import Command

from context.retrieval import Principal
from errors import BadRequest, Conflict, Forbidden
from policy.said import says_nothing
from runs.engine import Engine, groups_of, new_id
from runs.execute import Job, execute
from runs.holding import held
from runs.stream import answered
from runs.threads import owned
from runs.waiting import awaited
from state import RAGState

REVIEWER: Final = "review"
"""The role that may reply."""
MAX_CHARS: Final = 20_000
MAX_NAME_CHARS: Final = 100


@dataclass(frozen=True)
class PersonSays:
    """A reply, or, without a text, that there will be none; `name` is as they want to be cited."""

    text: str | None
    name: str = ""


async def take_reply(engine: Engine, principal: Principal, thread_id: str, said: PersonSays) -> dict[str, Any]:
    """Go on with what the person says, and return the turn's reply.

    Raises `NotFound`, `Forbidden` without the role to review, `BadRequest` for a text or name that cannot be used, and
    `Conflict` when the thread waits for nobody, or another reply is being taken up.
    """
    await owned(engine, principal, thread_id)
    if REVIEWER not in principal.roles:
        raise Forbidden(f"Replying to a thread needs the role '{REVIEWER}'.")
    given, run_id = checked(said), new_id()
    async with held(engine, thread_id, run_id):
        snapshot = await owned(engine, principal, thread_id)
        asked = awaited(snapshot)
        if asked is None:
            raise Conflict("This thread waits for no reply.", code="not_awaiting")
        resume = {"text": given.text, "name": given.name, "run_id": run_id, "asked_at": asked["asked_at"]}
        kept = cast(RAGState, snapshot.values)
        asker = replace(principal, groups=groups_of(snapshot.metadata))
        job = Job(
            thread_id,
            run_id,
            engine.context_for(principal),
            kept["dials"],
            Command(resume=resume),
            kept["mode"],
            asker=asker,
            before=kept["spent"],
        )
        return await answered(execute(engine, job))


def checked(said: PersonSays) -> PersonSays:
    """The reply without the space around it. Raises `BadRequest`."""
    if said.text is None:
        return said
    text, name = said.text.strip(), " ".join(said.name.split())
    if says_nothing(text):
        raise BadRequest('The reply says nothing; to give none, send {"decline": true}.')
    if len(text) > MAX_CHARS:
        raise BadRequest(f"The reply has {len(text):,} characters; at most {MAX_CHARS:,} are taken.")
    if len(name) > MAX_NAME_CHARS or any(category(char)[0] == "C" for char in name):
        raise BadRequest(f"A name is at most {MAX_NAME_CHARS} printable characters.")
    return PersonSays(text, name)
