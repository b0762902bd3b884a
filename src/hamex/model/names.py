"""Names on demand: a model with a million springs stores none of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class Numbered(Sequence[str]):
    """``spring 1``, ``spring 2``, … as a sequence that holds a word and a count.

    >>> names = Numbered("spring", 1_000_000)
    >>> names[-1], names.index("spring 7"), "spring 0" in names, names[:2]
    ('spring 1000000', 6, False, ('spring 1', 'spring 2'))
    """

    def __init__(self, word: str, count: int) -> None:
        self.word, self.many = word, count

    def __len__(self) -> int:
        return self.many

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        if isinstance(place, slice):
            return tuple(f"{self.word} {number + 1}" for number in range(self.many)[place])
        return f"{self.word} {range(self.many)[place] + 1}"

    def __iter__(self) -> Iterator[str]:
        return (f"{self.word} {number}" for number in range(1, self.many + 1))

    def __contains__(self, name: object) -> bool:
        return self._place(name) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == len(self) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self.word, self.many))

    def __repr__(self) -> str:
        return f"Numbered({self.word!r}, {self.many})"

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        """Place of a name."""
        place = self._place(name)
        if place is None:
            raise ValueError(f"{name!r} is not among {self.many} names of {self.word}s")
        return place

    def _place(self, name: object) -> int | None:
        if not isinstance(name, str):
            return None
        word, _, number = name.rpartition(" ")
        good = word == self.word and number.isdecimal() and number == str(int(number)) and 1 <= int(number) <= self.many
        return int(number) - 1 if good else None
