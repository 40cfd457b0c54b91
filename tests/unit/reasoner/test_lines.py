"""An endpoint that rested is open to all as soon as one call has had an answer."""

import pytest

from errors import Unavailable
from reasoner.lines import FAILURES, REST_S, Line


async def test_a_stream_that_has_begun_ends_the_trial() -> None:
    now = 0.0
    line = Line(3, lambda: now)
    for _ in range(FAILURES):
        line.failed()
    now = REST_S
    async with line.place():
        with pytest.raises(Unavailable):
            async with line.place():
                raise AssertionError("two calls try at a time")
        line.answered()
        async with line.place():
            assert line.down is None
