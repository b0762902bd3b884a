"""Gather what a march left into a Solution."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.discretise.schemes import Scheme
from hamex.errors import OverflowRunError
from hamex.model.record import Model, dense
from hamex.solution.solution import Loading, Solution
from hamex.solution.stages import StageHistory
from hamex.solution.system import System
from hamex.solve.laws import per_spring
from hamex.solve.places import places_of
from hamex.solve.problem import Problem

Array = NDArray[Any]


def solution(problem: Problem, scheme: Scheme, histories: Mapping[str, Array], loading: Loading,
             internal: Mapping[str, Array], inside: StageHistory | None = None) -> Solution:
    """Histories by name, the load that entered, the internal variables at the end, and what happened inside steps."""
    model = problem.model
    if not all(np.all(np.isfinite(histories[name][-1])) for name in ("displacement", "momentum")):
        raise OverflowRunError(f"{type(scheme).__name__}: the numbers are not finite at the end of the run; the scheme "
                               "is not stable at this step, loads and units are out of proportion, or the structure "
                               "collapsed and ran away: then end the run earlier")
    for array in histories.values():
        array.flags.writeable = False
    internal = {**internal, "start_impulse": start_impulse(problem)}
    return Solution(histories, scheme.step, model.dofs, model.springs, model.units, system(model), internal,
                    lambda: _provenance(problem, scheme, loading), loading=loading, inside=inside,
                    locate=lambda: places_of(problem, scheme.step, len(histories["displacement"]) - 1))


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
    c, b = model.damping.dense()[0, 0], dense(model.compatibility)[0, 0]
    return np.asarray((problem.prior_impulse - start.momentum - c * start.displacement) / b)


def _provenance(problem: Problem, scheme: Scheme, loading: Loading) -> dict[str, str]:
    """What a reader needs to repeat the run. The hash covers every number that enters it, under its name."""
    model, start = problem.model, problem.start
    numbers = {"M": model.mass, "C": model.damping.matrix, "modes": model.damping.shapes,
               "weights": model.damping.weights, "K": model.stiffness, "A": model.flexibility,
               "B": model.compatibility, **_law_numbers(model), "duration": problem.duration,
               "load": loading.entered, "patterns": loading.patterns, "moved": loading.moved,
               "prior_impulse": problem.prior_impulse, "displacement": start.displacement, "momentum": start.momentum,
               "slip": start.slip, **start.internal}
    digest = hashlib.sha256(repr(scheme).encode())
    for name in sorted(numbers):
        for array in _arrays(numbers[name]):
            digest.update(f"{name}{array.shape}".encode() + array.tobytes())
    return {"hamex": __version__, "scheme": repr(scheme), "problem": digest.hexdigest()}


def _law_numbers(model: Model) -> dict[str, Any]:
    return {f"{kind}.{name}": value for kind, group in model.laws.items() for name, value in vars(group).items()}


def _arrays(number: Any) -> list[Array]:
    """A number, array or sparse matrix as plain arrays that identify it."""
    if number is None:
        return []
    if hasattr(number, "tocsr"):
        matrix = number.tocsr().sorted_indices()
        return [np.asarray(matrix.indptr, dtype=np.int64), np.asarray(matrix.indices, dtype=np.int64), matrix.data]
    return [np.ascontiguousarray(number, dtype=float)]
