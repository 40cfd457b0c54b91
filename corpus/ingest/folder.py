"""The files below a path, as documents whose ids are their relative paths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import errors
from corpus.documents import NewDocument, Outcome
from corpus.ingest.readers import SUFFIXES, read


def read_folder(path: Path) -> Iterator[NewDocument | Outcome]:
    """Documents in the order of their names; a file that cannot be read is a failed outcome, not an end.

    Raises `errors.BadRequest` when the path does not exist or holds no file of a known kind.
    """
    files = find_files(path)
    root = path if path.is_dir() else path.parent
    for file in files:
        yield _read_file(file, file.relative_to(root).as_posix(), root)


def find_files(path: Path) -> list[Path]:
    """Markdown and text files at or below the path, sorted, without hidden ones."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise errors.BadRequest("There is no such file or folder.")
    files = sorted(file for file in path.rglob("*") if _wanted(file, path))
    if not files:
        raise errors.BadRequest(f"The folder holds no file of these kinds: {', '.join(SUFFIXES)}.")
    return files


def _wanted(file: Path, root: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(root).parts)
    return file.suffix.lower() in SUFFIXES and not hidden and file.is_file()


def _read_file(file: Path, doc_id: str, root: Path) -> NewDocument | Outcome:
    if not file.resolve().is_relative_to(root.resolve()):
        return Outcome(doc_id, "failed", sentence="The file is a link out of the folder and is not followed.")
    try:
        return read(doc_id, file.read_bytes())
    except errors.BadRequest as error:
        return Outcome(doc_id, "failed", sentence=error.sentence)
    except OSError:
        return Outcome(doc_id, "failed", sentence="The file could not be read.")
