"""Many texts, or other runs of values, in two arrays, so that a file of them opens without reading them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]
Places = NDArray[np.intp]

_UTF_8: Final = ("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Runs:
    """Runs of values one after another, and where each ends, shape (runs,)."""

    data: NDArray[Any]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        """Data and ends: one value is read from a view in half the time that an array takes."""
        return self.data.data, self.ends.data

    def at(self, place: int) -> memoryview:
        """The values of one run."""
        data, ends = self._views
        return data[ends[place - 1] if place else 0 : ends[place]]

    def take(self, places: Places) -> Self:
        """The runs at these places, in this order."""
        starts = np.concatenate(([0], self.ends[:-1])) if len(self) else self.ends
        lengths = self.ends[places] - starts[places]
        ends = np.cumsum(lengths)
        moved = np.repeat(starts[places] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        return type(self)(self.data[moved], ends)

    def then(self, other: Self) -> Self:
        """These runs, followed by the other ones."""
        data = np.concatenate((self.data, other.data))
        return type(self)(data, np.concatenate((self.ends, other.ends + len(self.data))))


@dataclass(frozen=True)
class Texts(Runs):
    """Texts as runs of UTF-8."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        encoded = [_encoded(text) for text in texts]
        return cls(np.frombuffer(b"".join(encoded), np.uint8), _ends([len(text) for text in encoded]))

    def __getitem__(self, place: int) -> str:
        return str(self.at(place), *_UTF_8)

    def __iter__(self) -> Iterator[str]:
        whole, start = self.data.tobytes(), 0
        for end in self.ends.tolist():
            yield str(whole[start:end], *_UTF_8)
            start = end

    def raw(self, place: int) -> bytes:
        return self.at(place).tobytes()

    def lower_bound(self, text: str) -> int:
        """In a sorted table the first place whose text is not less; UTF-8 sorts as the characters do."""
        wanted, low, high = _encoded(text), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.raw(middle) < wanted else (low, middle)
        return low

    def find(self, text: str) -> int | None:
        """The place of a text in a sorted table without repeats."""
        place = self.lower_bound(text)
        return place if place < len(self) and self.raw(place) == _encoded(text) else None


@dataclass(frozen=True)
class Interned:
    """A column of texts in which few differ: a code a row, and the text of each code."""

    codes: Integers
    values: Texts

    @classmethod
    def of(cls, texts: Iterable[str]) -> Interned:
        known: dict[str, int] = {}
        codes = [known.setdefault(text, len(known)) for text in texts]
        return cls(np.array(codes, np.int32), Texts.of(known))

    @cached_property
    def _view(self) -> memoryview:
        return self.codes.data

    def __getitem__(self, row: int) -> str:
        return self.values[self._view[row]]

    def take(self, rows: Places) -> Interned:
        """The column at these rows, without the texts that none of them has."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return Interned(codes.astype(np.int32), self.values.take(used.astype(np.intp)))

    def then(self, other: Interned) -> Interned:
        """This column, followed by the other one."""
        known = {text: code for code, text in enumerate(self.values)}
        codes = np.array([known.setdefault(text, len(known)) for text in other.values], np.int32)
        return Interned(np.concatenate((self.codes, codes[other.codes])), Texts.of(known))


def interleaved(ids: Texts, others: Texts) -> tuple[Integers, Integers]:
    """The place of each of two sorted tables' texts in the sorted table of both; the second one is the small one."""
    before = np.array([ids.lower_bound(text) for text in others], np.intp)
    shift = np.cumsum(np.bincount(before, minlength=len(ids) + 1))[: len(ids)]
    return (np.arange(len(ids)) + shift).astype(np.int32), (before + np.arange(len(others))).astype(np.int32)


def _ends(lengths: list[int]) -> NDArray[np.int64]:
    return np.cumsum(np.array(lengths, np.int64))


def _encoded(text: str) -> bytes:
    return text.encode(*_UTF_8)
