"""Which file each document came from: no two files become one document, and no file becomes two.

Kept beside the index, for whoever ingests on this machine; paths are in no answer, event or log.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final
from unicodedata import normalize

from filelock import FileLock

import errors
from corpus.ingest.folder import Found
from corpus.ingest.names import escaped
from corpus.places import ORIGINS

_FORM: Final = 1


class Origins:
    """`files` has the absolute path by doc_id, `folders` the beginning of its ids by each folder's absolute path."""

    def __init__(self, folders: dict[str, str] | None = None, files: dict[str, str] | None = None) -> None:
        self.folders = folders or {}
        self.files = files or {}
        self._ids = {path: doc_id for doc_id, path in self.files.items()}

    def place(self, found: Sequence[Found], folder: Path | None) -> list[Found]:
        """The same files with the ids that they keep from now on; `folder` is what they were looked for in.

        A file that is known keeps its id, from whichever folder one comes to it. A new one is named from the nearest
        folder that is known, else from this one: by its path in it, behind the folder's name where those are taken.
        """
        paths = {file.path: file.root.resolve() / file.path.relative_to(file.root) for file in found}
        usable = [file for file in found if file.problem is None]
        strangers = [file for file in usable if not self._knows(paths[file.path])]
        if folder is not None and strangers:
            ids = [(file.doc_id, paths[file.path]) for file in strangers]
            self.folders[str(folder.resolve())] = self._free_prefix(folder.resolve(), "", ids)
        return [self._placed(file, paths[file.path]) if file.problem is None else file for file in found]

    def _knows(self, path: Path) -> bool:
        return str(path) in self._ids or self._home(path) is not None

    def _home(self, path: Path) -> Path | None:
        """The nearest folder above that was ingested before."""
        return next((folder for folder in path.parents if str(folder) in self.folders), None)

    def _placed(self, file: Found, path: Path) -> Found:
        doc_id = self._ids.get(str(path))
        if doc_id is None:
            home = self._home(path)
            inside = file.doc_id if home is None else normalize("NFC", path.relative_to(home).as_posix())
            first = "" if home is None else self.folders[str(home)]
            doc_id = self._free_prefix(home or path.parent, first, [(inside, path)]) + inside
            self._ids.pop(self.files.get(doc_id, ""), None)
            self.files[doc_id], self._ids[str(path)] = str(path), doc_id
        return replace(file, doc_id=doc_id)

    def _free_prefix(self, folder: Path, first: str, ids: Sequence[tuple[str, Path]]) -> str:
        """The first prefix under which none of the ids is another file's."""
        name = normalize("NFC", escaped(folder.name)) or "folder"
        others = (f"{name}/" if number == 1 else f"{name}-{number}/" for number in count(1))
        if all(self._is_free(first + doc_id, path) for doc_id, path in ids):
            return first
        return next(prefix for prefix in others if all(self._is_free(prefix + doc_id, path) for doc_id, path in ids))

    def _is_free(self, doc_id: str, path: Path) -> bool:
        """Whether no other file has the id; one that is gone gives it up, so that a folder can be moved."""
        other = self.files.get(doc_id)
        return other is None or other == str(path) or not os.path.lexists(other)


def load(data: Path) -> Origins:
    """What is known in this data folder, nothing in a new one. Raises `errors.Conflict` when it cannot be read."""
    try:
        return parsed((data / ORIGINS).read_bytes())
    except FileNotFoundError:
        return Origins()


def parsed(content: bytes) -> Origins:
    """What a file of origins says. Raises `errors.Conflict` for one that is damaged or a newer release's."""
    try:
        kept = json.loads(content)
        if kept["form"] != _FORM:
            raise errors.Conflict(f"The data folder's {ORIGINS} is a newer release's: use that one.")
        folders, files = dict(kept["folders"]), dict(kept["files"])
        if not all(isinstance(one, str) for pair in (*folders.items(), *files.items()) for one in pair):
            raise TypeError
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise errors.Conflict(
            f"The data folder's {ORIGINS} is damaged: delete it, then ingest each folder again from its top."
        ) from error
    return Origins(folders, files)


def is_known_here(data: Path) -> bool:
    """Whether files here are known by their ids: else a folder's files may be taken for new documents."""
    known = load(data)
    return any(map(os.path.lexists, (*known.folders, *known.files.values())))


@contextmanager
def kept(data: Path) -> Iterator[Origins]:
    """The origins to change, written when the block ends well; no other process changes them meanwhile."""
    with FileLock(data / f"{ORIGINS}.lock", thread_local=False):
        origins = load(data)
        yield origins
        written = data / f"{ORIGINS}.new"
        written.write_text(json.dumps({"form": _FORM, "folders": origins.folders, "files": origins.files}), "utf-8")
        written.replace(data / ORIGINS)
