"""Checks of what a builder is given: numbers per floor, matrices, names. Every message names the culprit. Names are
made on demand: a model with a million springs stores none of theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from hamex.checks import LEAST, MOST, check_range, floats, is_finite
from hamex.errors import ModelError

Array = NDArray[Any]
SYMMETRIC = 1e-9  # relative difference from its transpose at which a matrix is no longer taken as symmetric
SINGULAR = 1e-13  # pivot relative to its diagonal entry at which nothing is said to resist
_LOOKED_AT = 10_000  # names among which those that look alike are sought
ROUNDED = 1e-10  # negative pivot relative to its diagonal entry that rounding of the input explains


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
        return (
            isinstance(other, Sequence)
            and len(other) == len(self)
            and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        )

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


def near(name: object, names: Iterable[str], count: int = 1) -> list[str]:
    """Those among the names that look most like one, however they are spelt; none if none does.

    >>> near("KN", ["N", "kN", "MN"]), near("LeapFrog", ["galerkin", "leap_frog"]), near("yard", ["m", "cm"])
    (['kN'], ['leap_frog'], [])
    """
    from difflib import get_close_matches

    plain: dict[str, str] = {}
    for each in names:
        plain.setdefault(re.sub(r"[\W_]", "", each).lower(), each)
    given = re.sub(r"[\W_]", "", str(name)).lower()
    return [plain[each] for each in get_close_matches(given, plain, n=count)]


def few(names: Sequence[str], like: object = "", count: int = 8, show: Callable[[str], str] = str) -> str:
    """The first names of a list, with "…" where it goes on; those that look like a name come first.

    >>> few(Numbered("floor", 30), like="flor 21", count=4)
    'floor 21, floor 1, floor 2, floor 3 …'
    """
    if len(names) <= count:
        return ", ".join(map(show, names))
    some = near(like, names[:_LOOKED_AT], max(count // 4, 1))
    return ", ".join(map(show, [*dict.fromkeys((*some, *names[:count]))][:count])) + " …"


def number(who: str, what: str, value: object, *, positive: bool = False, signed: bool = False) -> float:
    """A finite number, not negative unless ``signed``, above zero if ``positive``.

    >>> number("truss", "mass of node 'A'", 2)
    2.0
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_finite(value):
        raise ModelError(f"{who}: {what} must be a finite number, got {value!r}")
    result = float(value)  # type: ignore[arg-type]
    if positive and result <= 0:
        raise ModelError(f"{who}: {what} must be positive, got {result:g}")
    if result < 0 and not signed:
        raise ModelError(f"{who}: {what} must not be negative, got {result:g}")
    if not signed or abs(result) > 1:  # a coordinate may be what rounding left of zero
        check_range(who, what, result, ModelError)
    return result


def beyond(values: Array) -> Array:
    """True where a number is neither zero nor infinite nor of a size that can be computed with.

    >>> beyond(np.array([0.0, 5e-324, 3.0, np.inf])).tolist()
    [False, True, False, False]
    """
    size = np.abs(values)
    return ((size > 0) & (size < LEAST)) | ((size > MOST) & (size < np.inf))


def numbers(who: str, what: str, values: object, labels: Sequence[str], *, positive: bool = False) -> Array:
    """One number for all labels, or a sequence with one for each.

    >>> numbers("shear_frame", "height", 3.0, ("storey 1", "storey 2")).tolist()
    [3.0, 3.0]
    """
    row = each(who, what, values, labels)
    return np.array(
        [number(who, f"{what} of {label}", value, positive=positive) for label, value in zip(labels, row, strict=True)]
    )


def each(who: str, what: str, values: Any, labels: Sequence[str]) -> list[Any]:
    """Spread one value over all labels, or take the sequence as it is if its length fits."""
    if isinstance(values, str) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        return [values] * len(labels)
    row = list(values)
    if len(row) != len(labels):
        raise ModelError(
            f"{who}: {what}: {len(row)} given for {len(labels)} "
            f"({labels[0]} to {labels[-1]}); give one for all, or one for each"
        )
    return row


def one_each(who: str, count: int, **lists: object) -> None:
    """Refuse several lists that do not fit the masses together, lengths told: the masses may be wrong."""
    lengths = {name: len(value) for name, value in lists.items() if isinstance(value, list | tuple)}
    if sum(length != count for length in lengths.values()) > 1:
        counts = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise ModelError(f"{who}: {counts}; give one of each for all, or as many of each as there are masses, {count}")


def unique(who: str, what: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names, if no two are equal and files can keep them."""
    seen: set[str] = set()
    for name in names:
        if "\0" in name:
            raise ModelError(
                f"{who}: {what}: {name!r:.60} holds a zero character, which no file can keep; leave it out"
            )
        if name in seen:
            raise ModelError(f"{who}: two {what} are named {name!r}; names must differ")
        seen.add(name)
    return tuple(names)


def square(who: str, what: str, matrix: Any, size: int | None = None) -> Any:
    """A symmetric sparse matrix from a plain or sparse one; a vector is its diagonal."""
    result = _diagonal(who, what, matrix) if np.ndim(matrix) == 1 else sparse_matrix(who, what, matrix)
    rows, columns = result.shape
    if rows != columns or (size is not None and rows != size):
        need = f"{size} × {size}" if size is not None else "square"
        raise ModelError(f"{who}: {what} is {rows} × {columns}, it must be {need}")
    if rows == 0:
        raise ModelError(f"{who}: {what} is empty")
    skew = abs(result - result.T)
    if skew.nnz and skew.max() > SYMMETRIC * abs(result).max():
        i, j = np.unravel_index(skew.toarray().argmax(), skew.shape)
        raise ModelError(
            f"{who}: {what} is not symmetric: entry ({i}, {j}) is {result[i, j]:g}, "
            f"entry ({j}, {i}) is {result[j, i]:g}"
        )
    return (result + result.T) / 2


def _diagonal(who: str, what: str, values: Any) -> Any:
    from scipy import sparse

    return sparse_matrix(who, what, sparse.diags_array(_vector(who, what, values)))


def _vector(who: str, what: str, values: Any) -> Array:
    return floats(values, f"{who}: {what} must be a matrix of numbers", ModelError)


def sparse_matrix(who: str, what: str, matrix: Any) -> Any:
    """A plain or sparse matrix of finite numbers as a sparse one."""
    from scipy import sparse

    try:
        result = (
            sparse.csr_array(matrix, dtype=float)
            if sparse.issparse(matrix)
            else sparse.csr_array(np.atleast_2d(np.asarray(matrix, dtype=float)))
        )
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{who}: {what} must be a matrix of numbers, got {matrix!r}") from None
    if not np.all(np.isfinite(result.data)):
        place = result.tocoo()
        bad = np.flatnonzero(~np.isfinite(place.data))[0]
        raise ModelError(
            f"{who}: {what} holds a value that is not finite, at row {place.row[bad]}, column {place.col[bad]}"
        )
    return result


def weak_dof(matrix: Any) -> int | None:
    """A dof that takes part in a motion which a symmetric matrix does not resist; None if positive definite.

    It is the first without a positive pivot in a symmetric elimination, after scaling the diagonal to one so that
    rotations and translations compare.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    diagonal = matrix.diagonal()
    if np.any(diagonal <= 0):
        return int(np.argmin(diagonal))
    scale = sparse.diags_array(1 / np.sqrt(diagonal))
    # Far below what counts as resistance, but it keeps an exact zero from being a reason to exchange rows.
    ready = scale @ matrix @ scale + SINGULAR / 10 * sparse.eye_array(diagonal.size)
    factor = splu(
        sparse.csc_array(ready), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    low = np.flatnonzero(factor.U.diagonal() <= SINGULAR)
    return int(np.argsort(factor.perm_c)[low[0]]) if low.size else None


def semidefinite(who: str, what: str, matrix: Any, labels: Sequence[str], scale: Array | None = None) -> None:
    """Refuse a symmetric matrix that is negative for some motion, beyond rounding relative to ``scale``."""
    from scipy import sparse

    diagonal = matrix.diagonal()
    size = diagonal if scale is None else scale
    lonely = (size == 0) & (abs(matrix).sum(axis=1) > 0)  # something beside a zero on the diagonal: indefinite
    weak = (
        int(np.flatnonzero(lonely)[0])
        if lonely.any()
        else weak_dof(matrix + sparse.diags_array(np.where(size == 0, 1.0, ROUNDED * size)))
    )
    if weak is not None:
        raise ModelError(
            f"{who}: {what} is indefinite (negative for a motion of {labels[weak]!r}); "
            "it must not be negative for any motion"
        )
