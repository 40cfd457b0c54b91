from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from evals.soak.facts import DEVICES, documents, question


def test_every_figure_of_every_device_is_in_its_document_and_in_no_other() -> None:
    texts = [document["text"] for document in documents()]
    assert len({document["doc_id"] for document in documents()}) == DEVICES
    for seed in range(200):
        asked = question(Random(seed))  # noqa: S311
        assert [n for n, text in enumerate(texts) if asked.figure in text] == [asked.device]


@given(st.integers(0, 2**32))
def test_a_question_that_leans_is_about_the_device_before_it_and_names_none(seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    first = question(chance)
    second = question(chance, first)
    assert (first.leans, second.leans, second.device) == (False, True, first.device)
    assert "QX-" in first.text
    assert "QX-" not in second.text
    assert first.receipt in first.text
    assert second.receipt in second.text
    assert first.receipt != second.receipt
