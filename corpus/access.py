"""Who may see a document."""

from __future__ import annotations

from collections.abc import Collection

from context import Principal


def may_see(principal: Principal, groups: Collection[str]) -> bool:
    """Within its tenant: a document without groups is everybody's, another takes a group in common."""
    return not groups or any(group in principal.groups for group in groups)
