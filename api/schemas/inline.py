"""A body's JSON schema that stands by itself, for a request body that FastAPI does not build."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def inline(model: type[BaseModel]) -> dict[str, Any]:
    """The schema with its definitions put where they are referred to; none of them may hold itself."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    resolved: dict[str, Any] = _resolved(schema, definitions)
    return resolved


def _resolved(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_resolved(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _resolved(definitions[value["$ref"].rpartition("/")[2]], definitions)
    return {key: _resolved(item, definitions) for key, item in value.items()}
