"""Provenance: what a reader needs to repeat a run, as words and one hash of every number that enters it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.discretise.schemes import Scheme
from hamex.model.per_spring import law_arrays
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import Loading

Array = NDArray[Any]


def provenance(problem: Problem, scheme: Scheme, loading: Loading) -> dict[str, str]:
    """Version, scheme and hash; the hash covers every number under its name."""
    start, words = problem.start, repr(scheme)
    numbers = {**model_numbers(problem.model), "duration": problem.duration, "load": loading.entered,
               "patterns": loading.patterns, "moved": loading.moved, "prior_impulse": problem.prior_impulse,
               "displacement": start.displacement, "momentum": start.momentum, "slip": start.slip, **start.internal}
    digest = hashlib.sha256(words.encode())
    for part in named_bytes(numbers):
        digest.update(part)
    return {"hamex": __version__, "scheme": words, "problem": digest.hexdigest()}


def model_numbers(model: Model) -> dict[str, Any]:
    """Every number of a model that enters a run, by name."""
    c = model.damping
    laws = {f"{kind}.{name}": value for kind, group in law_arrays(model).items() for name, value in group.items()}
    return {"M": model.mass, "C": c.matrix, "modes": c.shapes, "weights": c.weights, "K": model.stiffness,
            "A": model.flexibility, "B": model.compatibility, **laws}


def named_bytes(numbers: Mapping[str, Any]) -> list[bytes]:
    """Numbers, arrays and sparse matrices as bytes, each with its name and shape, in the order of the names."""
    parts = []
    for name in sorted(numbers):
        for array in _arrays(numbers[name]):
            parts += [f"{name}{array.shape}".encode(), array.tobytes()]
    return parts


def _arrays(number: Any) -> list[Array]:
    """A number, array or sparse matrix as plain arrays that identify it."""
    if number is None:
        return []
    if not isinstance(number, np.ndarray) and hasattr(number, "tocsr"):
        matrix = number.tocsr().sorted_indices()
        return [np.asarray(matrix.indptr, dtype=np.int64), np.asarray(matrix.indices, dtype=np.int64), matrix.data]
    return [np.ascontiguousarray(number, dtype=float)]
