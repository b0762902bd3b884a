"""Gather what a march left into a Solution."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.discretise.prepare import damping_of_one
from hamex.discretise.schemes import Scheme
from hamex.errors import OverflowRunError
from hamex.model.record import Model
from hamex.solution.solution import Loading, Solution, Tally
from hamex.solution.stages import StageHistory
from hamex.solution.system import System
from hamex.solve.laws import per_spring
from hamex.solve.places import places_of
from hamex.solve.problem import Problem

Array = NDArray[Any]


def solution(problem: Problem, scheme: Scheme, histories: Mapping[str, Array],
             loading: Loading | Callable[[], Loading], internal: Mapping[str, Array],
             inside: StageHistory | None = None, tally: Tally | None = None) -> Solution:
    """Histories by name, the load that entered (or what gives it), the internal variables at the end, what happened
    inside steps, and a short way to sum energies."""
    model = problem.model
    if not (_finite(histories["displacement"][-1]) and _finite(histories["momentum"][-1])):
        raise OverflowRunError(f"{type(scheme).__name__}: the numbers are not finite at the end of the run; the scheme "
                               "is not stable at this step, loads and units are out of proportion, or the structure "
                               "collapsed and ran away: then end the run earlier")
    for array in histories.values():
        array.flags.writeable = False
    internal = {**internal, "start_impulse": start_impulse(problem)}
    applied = _once(loading) if callable(loading) else lambda: loading
    return Solution(histories, scheme.step, model.dofs, model.springs, model.units, system(model), internal,
                    lambda: _provenance(problem, scheme, applied()), applied=applied, tally=tally, inside=inside,
                    locate=lambda: places_of(problem, scheme.step, len(histories["displacement"]) - 1))


def _finite(row: Array) -> bool:
    return math.isfinite(row[0]) if row.size == 1 else bool(np.isfinite(row).all())


def _once(give: Callable[[], Loading]) -> Callable[[], Loading]:
    """The same function, called at most once."""
    given: list[Loading] = []

    def again() -> Loading:
        if not given:
            given.append(give())
        return given[0]

    return again


def system(model: Model) -> System:
    """What results need of the model."""
    damping = model.damping
    return System(model.mass, damping.matrix, damping.shapes, damping.weights, model.stiffness, model.flexibility,
                  model.compatibility, **per_spring(model))


def start_impulse(problem: Problem) -> Array:
    """Impulse of the springs at the start: as given, or from p + C u + B J = Î, eq. (54).

    With more springs than dofs eq. (54) leaves J open, and nothing depends on it: then it starts from zero.
    """
    start, model = problem.start, problem.model
    if "impulse" in start.internal:
        return start.internal["impulse"]
    if len(model.dofs) != 1 or len(model.springs) != 1:
        return np.zeros(len(model.springs))
    assert start.displacement is not None
    assert start.momentum is not None
    prior = np.asarray(problem.prior_impulse)[0]
    return np.array([(prior - start.momentum[0] - damping_of_one(model) * start.displacement[0])
                     / model.compatibility[0, 0]])


def _provenance(problem: Problem, scheme: Scheme, loading: Loading) -> dict[str, str]:
    """What a reader needs to repeat the run. The hash covers every number that enters it, under its name."""
    model, start = problem.model, problem.start
    numbers = {"M": model.mass, "C": model.damping.matrix, "modes": model.damping.shapes,
               "weights": model.damping.weights, "K": model.stiffness, "A": model.flexibility,
               "B": model.compatibility, **_law_numbers(model), "duration": problem.duration,
               "load": loading.entered, "patterns": loading.patterns, "moved": loading.moved,
               "prior_impulse": problem.prior_impulse, "displacement": start.displacement, "momentum": start.momentum,
               "slip": start.slip, **start.internal}
    words = repr(scheme)
    digest = hashlib.sha256(words.encode())
    for name in sorted(numbers):
        for array in _arrays(numbers[name]):
            digest.update(f"{name}{array.shape}".encode())
            digest.update(array.data)
    return {"hamex": __version__, "scheme": words, "problem": digest.hexdigest()}


def _law_numbers(model: Model) -> dict[str, Any]:
    return {f"{kind}.{name}": value for kind, group in model.laws.items() for name, value in group.numbers.items()}


def _arrays(number: Any) -> list[Array]:
    """A number, array or sparse matrix as plain arrays that identify it."""
    if number is None:
        return []
    if not isinstance(number, np.ndarray) and hasattr(number, "tocsr"):
        matrix = number.tocsr().sorted_indices()
        return [np.asarray(matrix.indptr, dtype=np.int64), np.asarray(matrix.indices, dtype=np.int64), matrix.data]
    return [np.ascontiguousarray(number, dtype=float)]
