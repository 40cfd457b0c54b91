"""What a Markdown file says of itself in YAML between two rules at its top."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

import errors

_LONGEST: Final = 64_000
_BLOCK: Final = re.compile(
    r"\s*^-{3,}[^\S\n]*(?:ya?ml|json)?[^\S\n]*\n(?P<yaml>.*?)^(?:-{3,}|\.\.\.)[^\S\n]*$(?P<body>.*)",
    re.MULTILINE | re.DOTALL,
)
"""The language may stand behind the first rule, as `---yaml`; JSON is YAML."""
_CLOSES_ACCESS: Final = re.compile(
    r"\s*^(?:[-+;]{3,}[^\n]*|\{[^\S\n]*)\n(?:(?![^\S\n]*\n)[^\n]*\n)*?[ \t\[\"']*access[ \t\]\"']*(?:[:=]|$)",
    re.MULTILINE | re.IGNORECASE,
)
"""A first block of lines that names `access` below a rule, or in the braces or under the marks of other formats,
whether or not it is ever closed."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """Metadata and the text after it; a text that merely begins with a rule has none. Raises `errors.BadRequest`."""
    block = _BLOCK.match(text)
    if block and not block["yaml"].strip():
        return {}, block["body"].strip()
    said = _read(block["yaml"]) if block and len(block["yaml"]) <= _LONGEST else None
    if block and isinstance(said, dict):
        return said, block["body"].strip()
    if _CLOSES_ACCESS.match(text):  # to take it for text would show the document to everybody
        raise errors.BadRequest("The front matter names `access` but is not YAML between two lines of ---.")
    return {}, text.strip()


def groups(access: object) -> frozenset[str] | None:
    """`access: {groups: [...]}`, read strictly: a mistake must not make a document public. None says nothing."""
    if access is None:
        return None
    named = access.get("groups") if isinstance(access, dict) else None
    if not isinstance(named, list) or not all(isinstance(group, str) and group for group in named):
        raise errors.BadRequest("`access` must look like {groups: [name, …]}.")
    return frozenset(named)


def _read(block: str) -> object:
    """Aliases make a few lines of YAML as large as one likes, and no front matter needs them."""
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(block)):
            raise errors.BadRequest("The front matter must not use YAML aliases.")
        _refuse_unclear(yaml.compose(block, yaml.SafeLoader))
        return yaml.safe_load(block)
    except yaml.YAMLError as error:
        raise errors.BadRequest("The front matter is not valid YAML.") from error
    except RecursionError as error:
        raise errors.BadRequest("The front matter is nested too deeply.") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # of PyYAML's over a scalar
        raise errors.BadRequest("The front matter has a value that is none, such as a day no calendar has.") from error


def _refuse_unclear(node: yaml.Node | None) -> None:
    """PyYAML takes the last of two equal names: an empty `access` below a full one would open the file, and so would
    one that is spelled otherwise."""
    names = [name.value for name, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise errors.BadRequest(f"The front matter names {str(twice)[:40]!r} twice.")
    if any(str(name).strip().casefold() == "access" != name for name in names):
        raise errors.BadRequest("The front matter's `access` is written in lower case and without spaces.")
