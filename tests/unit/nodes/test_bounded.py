"""Every call that was made is counted, also those of a decision that was lost."""

from context.reasoning import Reasoned, Usage
from errors import Unavailable
from nodes.bounded import think
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.run import runtime, state
from tests.unit.policy.test_ledger import evidence

CALLS = (Usage("m", 0, 0, estimated=True), Usage("m", 700, 0, estimated=True))


async def test_a_lost_decision_counts_all_calls_that_it_had_made() -> None:
    async def ask(seconds: float, calls: int) -> Reasoned[None]:
        error = Unavailable("The model does not answer.")
        error.made = CALLS
        raise error

    established = state(
        sub_questions=[{"id": "q1", "text": "维修费谁承担", "required": True}],
        ledger=[{"sub_question_id": "q1", "evidence": [evidence("q1", "c", 0.95)]}],
    )
    thought = await think(established, runtime(ScriptedReasoner()).context, ("维修费",), ask)
    assert (thought.lost, thought.made) == ("source_unavailable", CALLS)
    assert (thought.spent["model_calls"], thought.spent["estimated"]["input_tokens"]) == (2, 700)
