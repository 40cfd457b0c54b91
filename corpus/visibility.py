"""What an upload does to who sees a document, in sentences for whoever uploads."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from context.retrieval import Principal
from corpus.access import may_see
from corpus.store.records import Present


def groups_after(stated: frozenset[str] | None, present: Present | None) -> frozenset[str]:
    """The groups that an upload gives: those stated, else those that the document was given before."""
    if stated is not None:
        return stated
    return frozenset(present.given_groups if present else ())


def notes(stated: frozenset[str] | None, present: Present | None, principal: Principal) -> Iterator[str]:
    """That access was kept because none was stated, and that nobody like the uploader will see the document."""
    given = groups_after(stated, present)
    if stated is None and given:
        yield f"It keeps its access ({_listed(given)}), as none was stated; an empty list of groups opens it."
    if not may_see(principal, _effective(given, present)):
        yield (
            f"Only {_listed(_effective(given, present))} may see it, and whoever uploaded it is not among them: "
            "until an API key maps to such a group, nobody finds it."
        )


def _effective(given: frozenset[str], present: Present | None) -> Collection[str]:
    """Groups set by hand hold over those given."""
    return given if present is None or present.groups == present.given_groups else present.groups


def _listed(groups: Collection[str]) -> str:
    return ", ".join(sorted(groups))
