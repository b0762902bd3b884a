"""Names and places of dofs and springs as text: what a file without a problem keeps of the model."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.layout import Geometry, Layout, Storeys
from hamex.solution.source import Named

if TYPE_CHECKING:
    from hamex.solution.solution import Solution

Array = NDArray[Any]


def layout_words(solution: Solution) -> dict[str, Any]:
    """What JSON knows of a structure's layout, with the mean motion of its supports."""
    layout = solution.layout
    names = ("directions", "influence", "groups", "yields", "storeys", "geometry")
    return {name: _plain(getattr(layout, name)) for name in names} | {"base": _plain(solution.base)}


def layout_of(words: dict[str, Any], dofs: tuple[str, ...], springs: tuple[str, ...]) -> tuple[Layout, Array | None]:
    """The layout, and the mean motion of the supports; no words for an oscillator."""
    if not words:
        return Named(dofs, springs, yields=np.zeros(len(springs), dtype=bool)), None
    base = words["base"]
    return Named(dofs, springs, tuple(words["directions"]), np.array(words["influence"], dtype=float),
                 {name: tuple(numbers) for name, numbers in words["groups"].items()}, _storeys(words["storeys"]),
                 _geometry(words["geometry"]), np.array(words["yields"], dtype=bool)), \
        None if base is None else np.array(base, dtype=float)


def _plain(value: Any) -> Any:
    """As what JSON knows; a matrix becomes its shape and entries."""
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tocoo"):
        entries = value.tocoo()
        return {"shape": entries.shape, "row": entries.row.tolist(), "column": entries.col.tolist(),
                "value": entries.data.tolist()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def _storeys(words: dict[str, Any] | None) -> Storeys | None:
    return None if words is None else Storeys(tuple(words["names"]), np.array(words["heights"], dtype=float),
                                              _matrix(words["drift"]), _matrix(words["above"]))


def _geometry(words: dict[str, Any] | None) -> Geometry | None:
    return None if words is None else Geometry(
        tuple(words["nodes"]), np.array(words["coordinates"]), _matrix(words["motion"]),
        np.array(words["elements"], dtype=int), tuple(words["names"]),
        tuple(tuple(springs) for springs in words["springs"]))


def _matrix(plain: dict[str, Any]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.array(plain["value"], dtype=float), (plain["row"], plain["column"])),
                     shape=tuple(plain["shape"]))
