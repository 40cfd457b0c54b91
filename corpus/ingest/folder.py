"""The files below a path, and what can be read of them, as documents whose ids are their relative paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

import errors
from corpus.documents import NewDocument, Outcome, failed
from corpus.ingest.convert.converter import Converter
from corpus.ingest.convert.limits import Limits
from corpus.ingest.names import problems
from corpus.ingest.readers import SUFFIXES, check_size, read


@dataclass(frozen=True)
class Found:
    """A file of a known kind, its path below the folder it was looked for in, and why its name is none for an id."""

    path: Path
    doc_id: str
    root: Path
    problem: str | None = None

    def data(self, limits: Limits) -> bytes:
        """Its bytes. Raises `errors.BadRequest` for its name, a link out of the folder and what cannot be read."""
        if self.problem is not None:
            raise errors.BadRequest(self.problem)
        try:
            if not self.path.resolve().is_relative_to(self.root.resolve()):
                raise errors.BadRequest("The file is a link out of the folder and is not followed.")
            check_size(self.path.stat().st_size, limits)
            return self.path.read_bytes()
        except (OSError, RuntimeError) as error:  # a RuntimeError is a loop of links
            raise errors.BadRequest("The file could not be read.") from error


def read_folder(path: Path) -> Iterator[NewDocument | Outcome]:
    """Documents in the order of their names; a file that cannot be read is a failed outcome, not an end.

    Raises `errors.BadRequest` when the path does not exist or holds no file of a known kind.
    """
    files, _ = find_files(path)
    with Converter() as converter:
        for file in files:
            try:
                yield read(file.doc_id, file.data(converter.limits), converter)
            except errors.BadRequest as error:
                yield failed(file.doc_id, error)


def find_files(path: Path) -> tuple[list[Found], int]:
    """Files of known kinds at or below the path, sorted, and how many others there are; hidden ones are neither.

    Raises `errors.BadRequest` when there is nothing to read.
    """
    if path.is_file():
        return _named([path], path.parent), 0
    if not path.is_dir():
        raise errors.BadRequest("There is no such file or folder.")
    files = sorted(
        file for file in path.rglob("*") if not _hidden(file, path) and (file.is_file() or file.is_symlink())
    )
    known = [file for file in files if file.suffix.lower() in SUFFIXES and not file.is_dir()]
    if not known:
        raise errors.BadRequest(f"The folder holds no file of these kinds: {', '.join(SUFFIXES)}.")
    return _named(known, path), sum(not file.is_dir() for file in files) - len(known)


def _named(files: Sequence[Path], root: Path) -> list[Found]:
    names = [file.relative_to(root).as_posix() for file in files]
    return [
        Found(file, normalize("NFC", name), root, problem)
        for file, name, problem in zip(files, names, problems(names), strict=True)
    ]


def _hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)
