"""What a Markdown file says of itself in YAML between two rules at its top."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Any, Final

import yaml

import errors
from corpus.ingest.unread_access import folded, means_access, refuse_unread

_LONGEST: Final = 64_000
_LINE_END: Final = re.compile("\r\n|[\r\x0b\x85\u2028\u2029]")
_LINE: Final = re.compile(r"[^\n]*(?:\n|\Z)")
_OPENS: Final = re.compile(r"-{3,}\s*(?:ya?ml|json)?")
"""The language may stand behind the first rule, as `---yaml`; JSON is YAML."""
_CLOSES: Final = re.compile(r"-{3,}|\.\.\.")
_DEEPEST: Final = 100
_OPENING: Final = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSING: Final = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)


def split(text: str) -> tuple[dict[str, Any], str]:
    """Metadata and the text after it; a text that merely begins with a rule has none. Raises `errors.BadRequest`."""
    text = _LINE_END.sub("\n", text)
    block, body = _block(text) or (None, text)
    said = _read(block) if block and block.strip() else None if block is None else {}
    if not isinstance(said, dict):
        said, body = {}, text
    if "access" not in said:
        refuse_unread(body)
    return said, body.strip()


def _block(text: str) -> tuple[str, str] | None:
    """What stands between two rules at the top, whatever dashes and invisible marks they have, and what follows."""
    opened: re.Match[str] | None = None
    for line in _LINE.finditer(text, 0, _LONGEST):
        mark = folded(line[0]).strip()
        if opened is None:
            if mark and not _OPENS.fullmatch(mark):
                return None
            opened = line if mark else None
        elif _CLOSES.fullmatch(mark) and _indent(line[0]) <= _indent(opened[0]):
            return dedent(text[opened.end() : line.start()]), text[line.end() :]
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def groups(access: object) -> frozenset[str]:
    """`access: {groups: [...]}`, read strictly: a mistake must not make a document public."""
    named = access.get("groups") if isinstance(access, dict) else None
    if not isinstance(named, list) or not all(isinstance(group, str) and group for group in named):
        raise errors.BadRequest(
            "`access` must look like {groups: [name, …]}; an empty list opens the document to everybody."
        )
    return frozenset(named)


def _read(block: str) -> object:
    try:
        _refuse_without_end(block)
        _refuse_unclear(yaml.compose(block, yaml.SafeLoader))
        return yaml.safe_load(block)
    except yaml.YAMLError as error:
        raise errors.BadRequest("The front matter is not valid YAML.") from error
    except RecursionError as error:
        raise errors.BadRequest("The front matter is nested too deeply.") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # of PyYAML's over a scalar
        raise errors.BadRequest("The front matter has a value that is none, such as a day no calendar has.") from error


def _refuse_without_end(block: str) -> None:
    """Aliases make a few lines of YAML as large as one likes, 50,000 brackets take half a minute to read, and no front
    matter needs either."""
    depth = 0
    for token in yaml.scan(block):
        if isinstance(token, yaml.AliasToken):
            raise errors.BadRequest("The front matter must not use YAML aliases.")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > _DEEPEST:
            raise errors.BadRequest("The front matter is nested too deeply.")


def _refuse_unclear(node: yaml.Node | None) -> None:
    """PyYAML takes the last of two equal names: an empty `access` below a full one would open the file, and so would
    one that is spelled otherwise."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    names = [str(name.value) for name, _ in pairs]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise errors.BadRequest(f"The front matter names {twice[:40]!r} twice.")
    unread = next((name for name in (*(set(names) - {"access"}), *_names_below(node)) if means_access(name)), None)
    if unread is not None:
        raise errors.BadRequest(
            f"The front matter names {unread[:40]!r}: `access` is written so, in lower case and without spaces, and "
            "stands at its top level."
        )


def _names_below(node: yaml.Node | None) -> Iterator[str]:
    """The names in all that the values hold."""
    left = [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else []
    while left:
        one = left.pop()
        if isinstance(one, yaml.MappingNode):
            yield from (name.value for name, _ in one.value if isinstance(name, yaml.ScalarNode))
            left.extend(value for _, value in one.value)
        elif isinstance(one, yaml.SequenceNode):
            left.extend(one.value)
