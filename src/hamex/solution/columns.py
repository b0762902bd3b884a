"""Labelled arrays as columns of equal length, and columns as CSV text."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def axis_columns(axes: Mapping[str, Any]) -> dict[str, Array]:
    """The labels of every axis, repeated so that each combination is a row.

    >>> {name: column.tolist() for name, column in axis_columns({"a": [1, 2], "b": [3]}).items()}
    {'a': [1, 2], 'b': [3, 3]}
    """
    shape = tuple(len(labels) for labels in axes.values())
    return {name: np.broadcast_to(np.asarray(labels).reshape([-1 if i == axis else 1 for i in range(len(shape))]),
                                  shape).ravel()
            for axis, (name, labels) in enumerate(axes.items())}


def write_columns(file: TextIO, columns: Mapping[str, Array]) -> None:
    """A header and one row per entry; numbers with all their digits, text quoted where it must be."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
