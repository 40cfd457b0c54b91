"""Who may see a document, who may change it, and whom it may be given to."""

from __future__ import annotations

from collections.abc import Collection

from context.retrieval import Principal


def may_see(principal: Principal, groups: Collection[str]) -> bool:
    """Within its tenant: a document without groups is everybody's, another takes a group in common."""
    return not groups or any(group in principal.groups for group in groups)


def may_change(principal: Principal, groups: Collection[str]) -> bool:
    """Whoever sees a document may change it, and so may an administrator of the tenant, who need not see it."""
    return "admin" in principal.roles or may_see(principal, groups)


def may_grant(principal: Principal, groups: Collection[str]) -> bool:
    """A document goes to groups of one's own; an administrator may name any."""
    return "admin" in principal.roles or principal.groups.issuperset(groups)
