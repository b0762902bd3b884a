"""Yielding without viscosity, or with next to none, under El Centro.

72 rate-independent oscillators: how far off is the peak displacement at h = 0.02 s? Twelve periods from 0.2 to 3 s
times six strength reduction factors: the yield force is the elastic demand divided by the factor. Damping 5 %, no
viscosity; elastic-perfectly-plastic, or bilinear with kinematic hardening. The reference is the return map at h/512;
peaks are those of the nodes, as a user reads them. To compare one more scheme, add it to the list.

The paper's oscillator with a millionth of its viscosity: the force at the nodes zigzags around its limit, or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.lab.free_vibration import return_map
from hamex.model.damping import ratio
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.motion.ground import el_centro
from hamex.schemes import DiscontinuousGalerkin, Galerkin, Newmark, PiecewiseExact, Scheme
from hamex.solve import Problem, solve

Array = NDArray[Any]
PERIODS = np.geomspace(0.2, 3.0, 12)  # s
REDUCTIONS = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # elastic demand / yield force
CASES = {"elastic-perfectly-plastic": 0.0, "bilinear, 5 %": 0.05}  # stiffness after yielding / elastic stiffness
STEP = 0.02  # s, that of the record
DURATION = 32.0
_GRAVITY = 9.81  # m/s²: the unit of the results, errors do not depend on it
_FINER = 512

SCHEMES: tuple[tuple[str, Callable[[float], Scheme]], ...] = (
    ("Newmark, return map", partial(Newmark, tolerance=1e-10, max_iterations=50)),
    ("Newmark, safeguarded", partial(Newmark, safeguarded=True)),
    ("Galerkin, degree 1", partial(Galerkin, degree=1)),
    ("Galerkin, degree 2", partial(Galerkin, degree=2)),
    ("Galerkin, degree 3", partial(Galerkin, degree=3)),
    ("Discontinuous, degree 0", partial(DiscontinuousGalerkin, degree=0)),
    ("Discontinuous, degree 1", partial(DiscontinuousGalerkin, degree=1)),
    ("Discontinuous, degree 2", partial(DiscontinuousGalerkin, degree=2)),
)
_ZIGZAG = ("Galerkin, degree 1", "Galerkin, degree 2", "Discontinuous, degree 1", "Discontinuous, degree 2")
_YIELD_FORCE, _VISCOSITY = 0.27, 1.5e-6  # of the paper's oscillator, the viscosity a millionth


@dataclass(frozen=True)
class PeakErrors:
    """One number per oscillator: relative error of the peak displacement, error of the residual slip relative to the
    peak, and how far the spring force at a node leaves the yield limit at most, relative to it."""

    name: str
    peaks: Array
    residuals: Array
    overstress: Array

    @property
    def median(self) -> float:
        """Median error of the peak."""
        return float(np.median(self.peaks))

    @property
    def slip_median(self) -> float:
        """Median error of the residual slip."""
        return float(np.median(self.residuals))

    @property
    def overstress_median(self) -> float:
        """Median of the overstress."""
        return float(np.median(self.overstress))

    @property
    def ninety(self) -> float:
        """90th percentile of the error of the peak."""
        return float(np.quantile(self.peaks, 0.9))


def peak_errors(name: str, make: Callable[[float], Scheme], hardening: float = 0.0, step: float = STEP) -> PeakErrors:
    """Run one scheme over the oscillators; ``hardening`` is the stiffness after yielding over the elastic one."""
    found = []
    for problem, (peak, residual) in zip(oscillators(hardening), references(hardening), strict=True):
        run = solve(problem, make(step))
        u, slip, force = (run.values(what)[:, 0] for what in ("displacement", "slip", "node_force"))
        law = problem.model.laws["slider"]
        beyond = np.abs(force - law.kinematic[0] * slip).max() / law.yield_force[0] - 1
        found.append((abs(np.abs(u).max() / peak - 1), abs(slip[-1] - residual) / peak, max(beyond, 0.0)))
    return PeakErrors(name, *np.array(found).T)


def compare(
    hardening: float = 0.0, schemes: Sequence[tuple[str, Callable[[float], Scheme]]] = SCHEMES, step: float = STEP
) -> tuple[PeakErrors, ...]:
    """Every scheme of a list over all oscillators; ``step`` in s."""
    return tuple(peak_errors(name, make, hardening, step) for name, make in schemes)


@cache
def oscillators(hardening: float = 0.0) -> tuple[Problem, ...]:
    """The 72 problems, period by period."""
    return tuple(
        _problem(period, demand / reduction, hardening)
        for period, demand in zip(PERIODS.tolist(), _demands(), strict=True)
        for reduction in REDUCTIONS
    )


@cache
def references(hardening: float = 0.0) -> tuple[tuple[float, float], ...]:
    """Peak displacement and residual slip of each problem, by the return map at h/512."""
    runs = (solve(problem, return_map(STEP / _FINER)) for problem in oscillators(hardening))
    return tuple((float(np.abs(run.values("displacement")).max()), float(run.values("slip")[-1, 0])) for run in runs)


def _demands() -> list[float]:
    """Largest elastic spring force at each period."""
    found = []
    for period in PERIODS.tolist():
        run = solve(_problem(period, np.inf), PiecewiseExact(STEP))
        found.append(float(np.abs(run.values("displacement")).max() * (2 * np.pi / period) ** 2))
    return found


def _problem(period: float, yield_force: float, hardening: float = 0.0) -> Problem:
    stiffness = (2 * np.pi / period) ** 2
    law = Slider(yield_force, kinematic=stiffness * hardening / (1 - hardening))  # springs in series
    model = oscillator(1.0, stiffness, ratio(0.05), law=law)
    return Problem(model, el_centro().on(model, g=_GRAVITY), DURATION)


@dataclass(frozen=True, eq=False)
class Overstress:
    """Force at the nodes relative to the yield force."""

    name: str
    times: Array
    force: Array

    @property
    def largest(self) -> float:
        """Largest excess over the limit, relative to it."""
        return float(np.abs(self.force).max() - 1)


def overstress() -> tuple[Overstress, ...]:
    """The paper's oscillator with next to no viscosity under twice the El Centro record, scheme by scheme."""
    model = oscillator(1, 225, 1.5, law=Slider(_YIELD_FORCE, _VISCOSITY))
    problem = Problem(model, el_centro().scaled(2).on(model, g=1.0), 40.0)
    found = []
    for name, make in SCHEMES:
        if name not in _ZIGZAG:
            continue
        solution = solve(problem, make(STEP))
        found.append(Overstress(name, solution.times, solution.values("node_force")[:, 0] / _YIELD_FORCE))
    return tuple(found)
