"""What a Markdown file says of itself in YAML between two rules at its top."""

from __future__ import annotations

from typing import Any, Final

import frontmatter
import yaml

import errors

_LONGEST: Final = 64_000


def split(text: str) -> tuple[dict[str, Any], str]:
    """Metadata and the text after it; a text that merely begins with a rule has none. Raises `errors.BadRequest`."""
    _check(text)
    try:
        post = frontmatter.loads(text)
    except yaml.YAMLError as error:
        raise errors.BadRequest("The front matter is not valid YAML.") from error
    except RecursionError as error:
        raise errors.BadRequest("The front matter is nested too deeply.") from error
    except (AttributeError, TypeError, ValueError):
        return {}, text
    is_other = not post.metadata and text.startswith("---") and _between(text).strip(" \n")
    return ({}, text) if is_other else (dict(post.metadata), post.content)


def groups(access: object) -> frozenset[str]:
    """`access: {groups: [...]}`, read strictly: a mistake must not make a document public."""
    if access is None:
        return frozenset()
    named = access.get("groups") if isinstance(access, dict) else None
    if not isinstance(named, list) or not all(isinstance(group, str) and group for group in named):
        raise errors.BadRequest("`access` must look like {groups: [name, …]}.")
    return frozenset(named)


def _check(text: str) -> None:
    """Aliases make a few lines of YAML as large as one likes, and no front matter needs them."""
    if not text.startswith("---"):
        return
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(_between(text)[:_LONGEST])):
            raise errors.BadRequest("The front matter must not use YAML aliases.")
    except (yaml.YAMLError, RecursionError):
        return  # `split` says so


def _between(text: str) -> str:
    return text[3:].partition("\n---")[0]
