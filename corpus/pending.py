"""A search as it is worked on: what is asked of which lane, and what is answered already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from context.retrieval import SearchRequest
from corpus.lanes.match import Answer, Mask
from corpus.masks import mask
from corpus.partition import Partition
from corpus.threads import SMALL
from state import Lane

_SHORT: Final = 300
"""Characters of queries that are cut into words within a millisecond or two."""
_DEEPEST: Final = 400
"""How deep a search goes on looking when what it found mostly says the same."""

Scope = tuple[str, int, frozenset[str], str]
"""What a result depends on beside query, lane and depth: tenant, its generation, groups, filter."""


@dataclass
class Pending:
    """One request as it is worked on; `mask` is None until it is known, and holds None when everything may enter."""

    partition: Partition
    request: SearchRequest
    depth: int
    queries: Sequence[str]
    scope: Scope
    mask: tuple[Mask | None] | None
    answers: dict[tuple[str, Lane], Answer] = field(default_factory=dict)

    def open(self, lane: Lane) -> list[str]:
        """Queries that this lane has not answered yet."""
        wanted = self.queries if lane in self.request.lanes else ()
        return [query for query in wanted if (query, lane) not in self.answers]

    def allowed(self) -> Mask | None:
        """What may enter a lane; computed by the first that asks."""
        if self.mask is None:
            self.mask = (mask(self.partition, self.request.principal, self.request.filters),)
        return self.mask[0]

    def is_short(self) -> bool:
        """Whether it takes so little that it may be made on the event loop."""
        looked_at = len(self.queries) * self.partition.size
        return self.mask is not None and looked_at <= SMALL and sum(map(len, self.queries)) <= _SHORT

    def may_go_deeper(self) -> bool:
        """Whether a lane has more to give than it was asked for."""
        full = any(len(answer.matches) >= self.depth for answer in self.answers.values())
        return full and 2 * self.depth <= _DEEPEST

    def ordered(self) -> dict[tuple[str, Lane], Answer]:
        """Answers in the order of queries and lanes, whichever came first."""
        return {(query, lane): self.answers[query, lane] for query in self.queries for lane in self.request.lanes}
