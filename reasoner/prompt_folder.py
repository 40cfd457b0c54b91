"""The prompts in a folder of the user's, as texts by file name, and what of it is no prompt."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Final

from reasoner.templates import file_names

LARGEST: Final = 100_000
"""Bytes of a prompt: the longest built-in one has some 6,000."""

NO_FOLDER: Final = "The folder does not exist or cannot be read."
NO_PROMPT: Final = (
    "The folder holds no prompt: `gapseek prompts export FOLDER` writes the built-in ones, of which to keep what you "
    "change."
)


def texts_in(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Texts by file name, and a sentence about each file that cannot be read or is named like no prompt.

    Hidden files, a README and folders below are left alone.
    """
    try:
        files = sorted(path for path in folder.iterdir() if not _left_alone(path))
    except OSError:
        return {}, [NO_FOLDER]
    texts: dict[str, str] = {}
    wrong: list[str] = [] if files else [NO_PROMPT]
    for path in files:
        try:
            texts[path.name] = _text(path)
        except ValueError as error:
            wrong.append(f"{path.name} {error}")
    return texts, wrong


def _left_alone(path: Path) -> bool:
    return path.name.startswith(".") or path.stem.lower() == "readme" or path.is_dir()


def _text(path: Path) -> str:
    """What a file says, with line ends of any kind. Raises `ValueError` with the rest of a sentence about it."""
    if path.name not in file_names():
        raise ValueError(_misnamed(path.name))
    try:
        # A device would be read for ever, and a pipe waited for.
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise ValueError(f"is no regular file of at most {LARGEST:,} bytes.")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text: byte {error.start + 1} is none; save it as UTF-8.") from error
    except OSError as error:
        raise ValueError("cannot be read.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _misnamed(name: str) -> str:
    near = get_close_matches(name.lower(), file_names(), 1)
    meant = f"was {near[0]} meant?" if near else f"prompts are named {', '.join(file_names())}."
    return f"is named like no prompt: {meant}"
