"""A thread as one file: all of its steps, and nothing that its reader may not see."""

import json

import pytest

from errors import NotFound
from runs.ask import Ask, ask
from runs.export import export
from runs.stream import answered
from tests.fakes.index import MemoryIndex
from tests.fakes.service import ALICE, BOB, TEXTS, engine_over

QUESTION = Ask("How many days of paid leave?")
ABOUT = {"versions": {}, "settings": {}, "fingerprint": "f"}


async def test_every_step_stands_there_with_its_state() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        exported = await export(engine, ALICE, said["thread_id"], ABOUT)
    assert json.loads(json.dumps(exported)) == exported
    assert [step["node"] for step in exported["steps"]][-1] == "generate"
    assert exported["steps"][-1]["state"]["answer"] == said["answer"]
    assert exported["steps"][-1]["why"]["code"] == "answered"
    assert (exported["form"], exported["about"]) == (1, ABOUT)


async def test_what_was_graded_is_quoted_and_no_other_text_of_a_document_is_there() -> None:
    texts = {**TEXTS, "other": "Nobody graded this sentence."}
    async with engine_over(retriever=MemoryIndex(texts), limits=None) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        exported = json.dumps(await export(engine, ALICE, said["thread_id"], ABOUT))
        quoted = {e["quote"] for entry in said["ledger"] for e in entry["evidence"]}
    assert all((text in exported) == (text in quoted) for text in texts.values())


async def test_of_a_chunk_that_cannot_be_read_only_ids_are_left() -> None:
    retriever = MemoryIndex({**TEXTS, "more": "Managers have 5 days of paid leave more."})
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        gone = said["ledger"][0]["evidence"][1]
        del retriever.passages[gone["chunk_id"]]
        exported = await export(engine, ALICE, said["thread_id"], ABOUT)
    ledger = exported["steps"][-1]["state"]["ledger"][0]["evidence"]
    hidden = next(one for one in ledger if one["chunk_id"] == gone["chunk_id"])
    assert (hidden["quote"], hidden["title"], hidden["grade"]["reason"], hidden["deleted"]) == ("", "", "", True)
    assert gone["quote"] not in json.dumps(exported)
    assert said["ledger"][0]["evidence"][0]["quote"] in json.dumps(exported)


async def test_another_tenants_thread_is_not_found() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(NotFound):
            await export(engine, BOB, said["thread_id"], ABOUT)
