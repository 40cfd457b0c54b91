"""CSV, JSON and JSON Lines as text that can be searched and read: rows of a table, records under headings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import errors
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits
from corpus.ingest.decode import decode
from corpus.ingest.tables import cell_text, table

_NAMES: Final = ("title", "name", "question", "标题", "名称", "问题", "id")
_LONGEST_NAME: Final = 80
_SEPARATORS: Final = ",;\t|"
_LARGEST_CELL: Final = 10_000_000


def from_csv(data: bytes, limits: Limits) -> Converted:
    """A CSV file as one table. Raises `errors.BadRequest`."""
    decoded = decode(data)
    return Converted(csv_text(decoded.text, limits.cells), note=decoded.note)


def from_json(data: bytes, limits: Limits) -> Converted:
    """A JSON file as its records. Raises `errors.BadRequest`."""
    decoded = decode(data)
    return Converted(json_text(decoded.text), note=decoded.note)


def from_json_lines(data: bytes, limits: Limits) -> Converted:
    """A file of JSON Lines as its records. Raises `errors.BadRequest`."""
    decoded = decode(data)
    return Converted(json_lines_text(decoded.text), note=decoded.note)


def csv_text(text: str, most_cells: int) -> str:
    """The rows as one table, its first row the header. Raises `errors.BadRequest`."""
    csv.field_size_limit(_LARGEST_CELL)
    rows, cells = [], 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text)):
            rows.append(row)
            cells += len(row)
            if cells > most_cells:
                raise errors.BadRequest(f"The table has more than {most_cells:,} cells.")
    except csv.Error as error:
        raise errors.BadRequest("The file is not valid CSV.") from error
    return table(rows)


def json_text(text: str) -> str:
    """A list as its records, anything else as one record. Raises `errors.BadRequest`."""
    value = _parsed(text, "The file is not valid JSON.")
    return _records(value) if isinstance(value, list) else "\n".join(_fields(value))


def json_lines_text(text: str) -> str:
    """One record a line. Raises `errors.BadRequest`, which names the first line that is no JSON."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return _records([_parsed(line, f"Line {number} of the file is not valid JSON.") for number, line in lines])


def _separator(text: str) -> str:
    """The mark that the first line has most of; a comma when it has none."""
    first = text.lstrip().partition("\n")[0]
    return max(_SEPARATORS, key=first.count)


def _parsed(text: str, sentence: str) -> Any:
    try:
        return json.loads(text, parse_float=_figure)
    except (ValueError, RecursionError) as error:
        raise errors.BadRequest(sentence) from error


def _figure(written: str) -> float | str:
    """1.10 as it is written, which a number would not keep; 3.0 as the whole number that it is."""
    value = float(written)
    return value if value.is_integer() else written


def _records(values: Sequence[Any]) -> str:
    """Each record under a heading, so that none shares a chunk with another."""
    return "\n\n".join(
        f"## {_name(value) or number}\n\n" + "\n".join(_fields(value)) for number, value in enumerate(values, start=1)
    )


def _name(value: Any) -> str:
    fields = {str(key).lower(): field for key, field in value.items()} if isinstance(value, Mapping) else {}
    names = (cell_text(fields.get(name)) for name in _NAMES if isinstance(fields.get(name), str | int))
    return next((name for name in names if 0 < len(name) <= _LONGEST_NAME), "")


def _fields(value: Any) -> Iterator[str]:
    """`path: value` a line; a long text keeps its own lines."""
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        path, field = todo.pop()
        if isinstance(field, Mapping):
            todo += [(f"{path}.{key}" if path else str(key), inner) for key, inner in reversed(list(field.items()))]
        elif isinstance(field, list) and not all(_is_plain(inner) for inner in field):
            todo += [(f"{path}.{place}", inner) for place, inner in reversed(list(enumerate(field, start=1)))]
        elif field not in (None, "", []):
            shown = ", ".join(map(_shown, field)) if isinstance(field, list) else _shown(field)
            yield f"{path}: {shown}" if path else shown


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping | list)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else cell_text(value)
