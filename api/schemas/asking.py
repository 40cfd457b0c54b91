"""What `POST /ask` and a replay take."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from api.plain import PlainObject, Text
from api.schemas.body import Body
from errors import BadRequest
from runs.ask import Ask
from runs.engine import MODES
from runs.handoff import PersonSays
from runs.live import OnDisconnect
from runs.replay import Replay

ON_DISCONNECT = "What becomes of the run when its client leaves: `cancel`, or `continue` to its end."
Whole = Annotated[int, Field(gt=0)]


class Budget(Body):
    """What this ask may cost; each may be lower than the deployment's, never higher."""

    max_retries: Annotated[int, Field(ge=0)] | None = Field(default=None, description="Rounds after the first.")
    max_searches: Whole | None = Field(default=None, description="Queries sent to retrieval.")
    max_model_calls: Whole | None = Field(default=None, description="Model calls.")
    max_tokens: Whole | None = Field(default=None, description="Tokens of all calls together.")
    deadline_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Wall clock, in seconds."
    )
    max_barren_rounds: Whole | None = Field(default=None, description="Rounds without a better grade.")
    max_tool_calls: Whole | None = Field(default=None, description="Tool calls, in agent mode.")


class AskBody(Body):
    """A question, alone or within a thread."""

    question: Text = Field(
        description="In the asker's own words and language.",
        examples=["电梯坏了，谁来付维修费？"],
        json_schema_extra={"minLength": 1},
    )
    thread_id: Text | None = Field(default=None, description="Go on in this thread; without it a new one begins.")
    mode: Text | None = Field(
        default=None,
        description="How to answer, see `GET /modes`; else GAPSEEK_MODE.",
        examples=["loop", "hybrid"],
        json_schema_extra={"enum": [*MODES, None]},
    )
    filters: PlainObject | None = Field(
        default=None, description="Search only documents whose metadata passes.", examples=[{"year": 2024}]
    )
    budget: Budget | None = Field(default=None, description="Lower limits for this ask.")
    draft: bool = Field(
        default=False, description="In a stream, send an unverified answer first, if the budget has room for one."
    )
    handoff: bool | None = Field(
        default=None, description="Ask a person where the documents do not suffice; else GAPSEEK_HANDOFF decides."
    )
    stream: bool = Field(default=False, description="Send events as they happen, as `Accept: text/event-stream` does.")
    on_disconnect: OnDisconnect = Field(default="cancel", description=ON_DISCONNECT)

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "电梯坏了，谁来付维修费？"},
                {"question": "电梯坏了，谁来付维修费？", "mode": "hybrid_rerank"},
                {"question": "And in 2024?", "filters": {"year": 2024}, "budget": {"max_retries": 1}, "stream": True},
            ]
        }
    )

    def request(self, *, streamed: bool) -> Ask:
        """The ask. Where nothing is streamed a draft would come with the answer, and none is made."""
        budget = self.budget.model_dump(exclude_none=True) if self.budget else {}
        draft = self.draft and streamed
        return Ask(self.question, self.thread_id, self.mode, self.filters, budget, self.handoff, draft)


class ReplyBody(Body):
    """What a person says to a question that was handed to them: a text, or that they decline."""

    text: Text | None = Field(default=None, description="The answer, in their own words.", examples=["Thirty days."])
    name: Text | None = Field(default=None, description="As which they want to be cited.", examples=["Ms. Wang"])
    decline: bool = Field(default=False, description="No answer: the turn ends with the machine's own reason.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "Thirty days, says the works council.", "name": "Ms. Wang"}, {"decline": True}]
        }
    )

    def says(self) -> PersonSays:
        """The reply. Raises `BadRequest` for one that is both a text and none, or neither."""
        if self.decline == (self.text is not None):
            raise BadRequest("A reply is either a 'text' or {\"decline\": true}.")
        return PersonSays(self.text, self.name or "")


class ReplayBody(Body):
    """From which step to run anew, and what to change in it first."""

    checkpoint_id: Text = Field(description="One of the thread's steps, as its history lists them.")
    state: PlainObject = Field(
        default_factory=dict,
        description="New values for any of: question, sub_questions, rewritten_queries, docs, filters, mode. "
        "`docs` are chunk ids, and only what the asker may read.",
    )
    dials: PlainObject = Field(
        default_factory=dict, description="Budget names, threshold and top_k, within what the server allows."
    )
    model: Text | None = Field(
        default=None,
        description="Another model, by a name of GAPSEEK_MODELS; `default` and `offline` are always there.",
    )
    prompts: Text | None = Field(default=None, description="Another set of prompts, by its name.")
    evidence: Literal["recorded"] | None = Field(
        default=None, description="`recorded`: search nothing, judge anew what had been found, and answer from that."
    )
    stream: bool = Field(default=False, description="Send events as they happen.")
    on_disconnect: OnDisconnect = Field(default="cancel", description=ON_DISCONNECT)

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"checkpoint_id": "1f1ecd42-b7ee-6112-8002-77a2af66f288"},
                {
                    "checkpoint_id": "1f1ecd42-b7ee-6112-8002-77a2af66f288",
                    "state": {"rewritten_queries": [{"text": "repair fee lift", "gap": "q1"}]},
                    "dials": {"threshold": 0.8},
                },
                {
                    "checkpoint_id": "1f1ecd42-b7ee-6112-8002-77a2af66f288",
                    "model": "offline",
                    "evidence": "recorded",
                },
            ]
        }
    )

    def request(self, thread_id: str) -> Replay:
        """The replay. Raises `BadRequest` for dials inside the state."""
        if "dials" in self.state:
            raise BadRequest("'dials' stands beside 'state', not in it.")
        dials: dict[str, Any] = {"dials": self.dials} if self.dials else {}
        recorded = self.evidence == "recorded"
        return Replay(thread_id, self.checkpoint_id, self.state | dials, self.model, self.prompts, recorded)
