"""What a principal may see and a filter lets through, as a mask over a partition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from context.retrieval import Principal
from corpus.access import may_see
from corpus.filters import compile_filter, fields_of
from corpus.lanes.match import Mask
from corpus.partition import Partition


def mask(partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Mask | None:
    """Shape (chunks,), or None when that is everything. Raises `errors.BadRequest` on a bad filter."""
    predicate, names = compile_filter(filters), fields_of(filters)
    # The entry after the last takes what the rows that no longer count say.
    allowed = np.zeros(partition.size + 1, np.bool_)
    for part in partition.parts:
        fields = part.segment.fields
        of_rows = fields.allowed_groups(lambda groups: may_see(principal, groups))
        if filters:
            of_rows &= fields.passing(names, predicate)
        part.placing.spread(of_rows, allowed)
    allowed = allowed[:-1]
    return None if allowed.all() else allowed
