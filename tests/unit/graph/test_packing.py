import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graph.packing import SUFFIX, Packing

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(PLAIN)
def test_what_goes_in_comes_out(value: object) -> None:
    packing = Packing(allowed_msgpack_modules=None)
    assert packing.loads_typed(packing.dumps_typed(value)) == value


@given(PLAIN)
def test_rows_of_before_are_read_and_nothing_becomes_longer(value: object) -> None:
    kind, data = JsonPlusSerializer().dumps_typed(value)
    packing = Packing(allowed_msgpack_modules=None)
    assert packing.loads_typed((kind, data)) == value
    assert len(packing.dumps_typed(value)[1]) <= len(data)


def test_what_repeats_is_packed_and_what_does_not_is_left() -> None:
    kind, data = Packing().dumps_typed(["the same"] * 500)
    assert kind == f"msgpack{SUFFIX}"
    assert len(data) < 100
    assert Packing().dumps_typed(os.urandom(4_000))[0] == "bytes"


@pytest.mark.parametrize("broken", [b"", b"x" * 300])
def test_a_broken_value_is_a_value_error(broken: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be unpacked"):
        Packing().loads_typed((f"msgpack{SUFFIX}", broken))
