"""A tree of mappings, lists, arrays, sparse matrices, words and numbers as one labelled dataset, and back, bit by bit.

Arrays become variables named by their place in the tree; all the rest is one text, ``tree``, in which they are named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]
_ARRAY, _EMPTY, _SPARSE = "$array", "$empty", "$sparse"
# What a sparse matrix of each format is made of.
_PARTS = {"csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "coo": ("data", "row", "col"),
          "dia": ("data", "offsets")}


def packed(tree: Mapping[str, Any]) -> xr.Dataset:
    """The tree as a dataset; dimensions are sizes."""
    import xarray as xr

    arrays: dict[str, Array] = {}
    plain = _plain("", tree, arrays)
    variables = {name: xr.Variable([f"size_{size}" for size in array.shape] if len(set(array.shape)) == array.ndim
                                   else [f"{name}_{axis}" for axis in range(array.ndim)], array)
                 for name, array in arrays.items()}
    return xr.Dataset({**variables, "tree": xr.Variable((), json.dumps(plain))})


def unpacked(dataset: xr.Dataset) -> dict[str, Any]:
    """The tree that :func:`packed` was given; tuples have become lists."""
    found: dict[str, Any] = _tree(json.loads(str(dataset["tree"].values)), dataset)
    return found


def _plain(place: str, value: Any, arrays: dict[str, Array]) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(f"{place}.{name}" if place else name, each, arrays) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(f"{place}.{number}", each, arrays) for number, each in enumerate(value)]
    if hasattr(value, "tocsr"):
        matrix = value if value.format in _PARTS else value.tocsr()
        parts = {name: getattr(matrix, name) for name in _PARTS[matrix.format]}
        return {_SPARSE: matrix.format, "shape": list(matrix.shape), "parts": _plain(place, parts, arrays)}
    if isinstance(value, np.ndarray):
        if not value.size or not value.ndim:
            return {_EMPTY: value.tolist(), "shape": list(value.shape), "dtype": value.dtype.str}
        arrays[place] = value
        return {_ARRAY: place}
    return value.item() if isinstance(value, np.generic) else value


def _tree(plain: Any, dataset: xr.Dataset) -> Any:
    if isinstance(plain, list):
        return [_tree(each, dataset) for each in plain]
    if not isinstance(plain, dict):
        return plain
    if _ARRAY in plain:
        return np.ascontiguousarray(dataset[plain[_ARRAY]].values)
    if _EMPTY in plain:
        return np.array(plain[_EMPTY], dtype=plain["dtype"]).reshape(plain["shape"])
    if _SPARSE in plain:
        return _sparse(plain[_SPARSE], tuple(plain["shape"]), _tree(plain["parts"], dataset))
    return {name: _tree(each, dataset) for name, each in plain.items()}


def _sparse(kind: str, shape: tuple[int, ...], parts: dict[str, Array]) -> Any:
    from scipy import sparse

    if kind == "coo":
        return sparse.coo_array((parts["data"], (parts["row"], parts["col"])), shape=shape)
    return getattr(sparse, f"{kind}_array")(tuple(parts[name] for name in _PARTS[kind]), shape=shape)
