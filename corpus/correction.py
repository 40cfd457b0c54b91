"""What a person corrects about a document: values and access set by hand, which no later ingest overwrites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import errors
from corpus.documents import plain_metadata

_NOT_METADATA: Final = {
    "doc_id": "A doc_id cannot be changed.",
    "title": "A title is part of the text that is indexed: upload the document anew to change it.",
    "access": "Access is no metadata: it is changed by its groups.",
}


@dataclass(frozen=True)
class Correction:
    """`set` is put over what was given and `unset` takes such values away again; null is a value like any other.

    `groups` are set by hand too, None for no change; `groups_as_given` goes back to those of the last ingest.
    """

    set: Mapping[str, Any] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()
    groups: frozenset[str] | None = None
    groups_as_given: bool = False

    def check(self) -> None:
        """Raises `errors.BadRequest` for a correction that says nothing, or two things at once."""
        if not (self.set or self.unset or self.groups is not None or self.groups_as_given):
            raise errors.BadRequest("A correction sets or unsets something.")
        if self.unset & self.set.keys():
            raise errors.BadRequest("A correction cannot set and unset the same name.")
        if self.groups is not None and self.groups_as_given:
            raise errors.BadRequest("A correction names groups or goes back to those given, not both.")
        for name, sentence in _NOT_METADATA.items():
            if name in self.set:
                raise errors.BadRequest(sentence)

    def metadata(self, by_hand: Mapping[str, Any]) -> dict[str, Any]:
        """The values set by hand after this correction. Raises `errors.BadRequest`."""
        unknown = sorted(self.unset - by_hand.keys())
        if unknown:
            raise errors.BadRequest(f"No value of '{unknown[0]}' was set by hand.")
        return plain_metadata({n: v for n, v in by_hand.items() if n not in self.unset} | dict(self.set))
