"""Convergence: how the error falls when the step is halved, and what CPU time it takes.

The oscillator of the paper (m = 1, k = 225, c = 1.5). For the order it starts from rest under a sine off resonance and
goes on for five periods; for work and precision it stands under El Centro. There, elastic, every scheme runs as the
matrix of its step in one and the same compiled loop. Yielding, all run by :func:`hamex.solve`, as a user would:
Newmark, HHT-α and generalised-α by the march for any structure, the others by kernels for one mass, which cost a
hundredth of that.

Yielding without viscosity, or with next to none: 72 rate-independent oscillators: how far off is the peak displacement
at h = 0.02 s? Twelve periods from 0.2 to 3 s times six strength reduction factors: the yield force is the elastic
demand divided by the factor. Damping 5 %, no viscosity; elastic-perfectly-plastic, or bilinear with kinematic
hardening. The reference is the return map at h/512; peaks are those of the nodes, as a user reads them. To compare one
more scheme, add it to the list.

The paper's oscillator with a millionth of its viscosity: the force at the nodes zigzags around its limit, or does
not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import SchemeError
from hamex.lab.catalogue import Entry
from hamex.lab.free_vibration import at_nodes, load_at, oscillator_history, return_map
from hamex.model.damping import ratio
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.motion.artificial import sine
from hamex.motion.ground import el_centro
from hamex.schemes import DiscontinuousGalerkin, Galerkin, Newmark, PiecewiseExact, Scheme
from hamex.schemes.prepare import scalars
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of

Array = NDArray[Any]
MASS, STIFFNESS, DAMPING = 1.0, 225.0, 1.5
OMEGA, ZETA = 15.0, 0.05
FORCING = 11.0  # rad/s
PERIOD = 2 * math.pi / OMEGA
DURATION = 5 * PERIOD  # under the sine
COARSEST = {"smooth": PERIOD / 10, "viscous": PERIOD / 80, "rate-independent": PERIOD / 80}
HALVINGS = {"smooth": 9, "viscous": 7, "rate-independent": 7}  # runs, each with half the step of the last
LAWS = {"elastic": Slider(), "viscous": Slider(0.27, 1.5), "rate-independent": Slider(0.27, 0.0)}
RECORD_DURATION, RECORD_STEP = 32.0, 0.02  # under El Centro; the step of the coarsest run
MOST_HALVINGS = {"elastic": 9, "viscous": 7, "rate-independent": 7}
ENOUGH = {"elastic": 1e-8, "viscous": 1e-6, "rate-independent": 1e-6}  # errors below need no more halvings
REPEATS, LONG = 3, 0.25  # s: longer runs are timed once
_FLOOR = 3e-12  # errors below are round-off
_FINER = 2048  # times finer than the coarsest: references


@dataclass(frozen=True)
class Order:
    """Steps [s], relative errors of the displacement (root mean square over the nodes of the coarsest run), slope."""

    steps: Array
    errors: Array
    order: float


def measured_order(entry: Entry, case: str) -> Order:
    """Order of a scheme on "smooth", "viscous" (yielding) or "rate-independent" (yielding) problems."""
    parts = 2 ** np.arange(HALVINGS[case])
    steps = COARSEST[case] / parts
    exact = smooth_solution(round(DURATION / COARSEST[case])) if case == "smooth" else yielding_solution(case)
    scale = np.sqrt(np.mean(exact**2))
    errors = []
    for part, step in zip(parts.tolist(), steps.tolist(), strict=True):
        count = round(DURATION / step)
        u = (
            smooth_run(entry.scheme, step, count)
            if case == "smooth"
            else solve(yielding_problem(case), entry.make(step)).values("displacement")[:, 0]
        )
        with np.errstate(over="ignore", invalid="ignore"):
            errors.append(float(np.sqrt(np.mean((u[::part] - exact) ** 2)) / scale))
    return Order(steps, np.array(errors), slope(steps, np.array(errors), 4 if case == "smooth" else HALVINGS[case]))


def slope(steps: Array, errors: Array, last: int) -> float:
    """Slope of log error over log step, over the last pairs that are neither round-off nor far off."""
    good = np.flatnonzero((errors > _FLOOR) & (errors < 0.3))[-last:]
    if len(good) < 2:
        return float("nan")
    return float(np.polyfit(np.log(steps[good]), np.log(errors[good]), 1)[0])


def smooth_run(scheme: Scheme, step: float, count: int) -> Array:
    """Elastic displacement by the linear map of the scheme."""
    load = at_nodes(lambda t: np.sin(FORCING * t), scheme.linear(1.0).nodes, step, count)
    return oscillator_history(scheme, OMEGA, ZETA, step, load)[:, 0]


def smooth_solution(count: int) -> Array:
    """Closed form: ü + 2ζω u̇ + ω² u = sin ft from rest."""
    t = np.arange(count + 1) * DURATION / count
    z = 1 / (OMEGA**2 - FORCING**2 + 2j * ZETA * OMEGA * FORCING)
    decay, wd = ZETA * OMEGA, OMEGA * math.sqrt(1 - ZETA**2)
    b = (-FORCING * z.real - decay * z.imag) / wd
    return np.asarray(
        np.imag(z * np.exp(1j * FORCING * t)) + np.exp(-decay * t) * (-z.imag * np.cos(wd * t) + b * np.sin(wd * t))
    )


@cache
def yielding_problem(case: str) -> Problem:
    """A spring that yields both ways."""
    model = oscillator(MASS, STIFFNESS, DAMPING, law=LAWS[case])
    return Problem(model, sine(0.6, omega=FORCING), DURATION)


@cache
def yielding_solution(case: str) -> Array:
    """Displacement at the nodes of the coarsest run."""
    return _reference(yielding_problem(case), case, COARSEST[case])


def _reference(problem: Problem, case: str, step: float) -> Array:
    """Displacement at the nodes of a yielding run with this step, from much finer ones: with viscosity by Richardson's
    rule from the linear element, without by the return map."""
    if case == "rate-independent":
        return np.asarray(solve(problem, return_map(step / _FINER)).values("displacement")[::_FINER, 0])
    fine, finer = (solve(problem, Galerkin(step / n)).values("displacement")[::n, 0] for n in (_FINER // 2, _FINER))
    return np.asarray((4 * finer - fine) / 3)


@dataclass(frozen=True)
class WorkPrecision:
    """Steps [s], CPU times [s] (least of three, of long runs one) and errors: the largest of |u|, relative to the
    largest |u|."""

    steps: Array
    cpu: Array
    errors: Array

    def cpu_for(self, error: float) -> float:
        """CPU time [s] at which this error is reached, between runs by straight lines in logarithms; NaN if never."""
        reached = np.flatnonzero(self.errors <= error)
        if not len(reached):
            return float("nan")
        i = int(reached[0])
        if i == 0:
            return float(self.cpu[0])
        x, y = np.log(self.errors[[i, i - 1]]), np.log(self.cpu[[i, i - 1]])
        return float(np.exp(np.interp(np.log(error), x, y)))


def work_precision(entry: Entry, case: str, halvings: int | None = None) -> WorkPrecision:
    """Halve the step until the error is small enough."""
    exact = recorded_solution(case)
    scale = np.abs(exact).max()
    steps, times, errors = [], [], []
    for power in range((MOST_HALVINGS[case] if halvings is None else halvings) + 1):
        part = 2**power
        step = RECORD_STEP / part
        run = _elastic(entry, step) if case == "elastic" else _yielding(entry, case, step)
        try:
            cpu, u = least_time(run)
        except SchemeError:  # beyond the stable step of an explicit scheme
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            error = float(np.abs(u[::part] - exact).max() / scale)
        steps.append(step)
        times.append(cpu)
        errors.append(error if np.isfinite(error) else np.inf)
        if error < ENOUGH[case]:
            break
    return WorkPrecision(np.array(steps), np.array(times), np.array(errors))


def least_time(run: Callable[[], Array]) -> tuple[float, Array]:
    """CPU time [s] of the fastest of some runs, or of one long run, and what the last returned."""
    least, found = float("inf"), np.empty(0)
    for _ in range(REPEATS):
        before = time.thread_time()
        found = run()
        least = min(least, time.thread_time() - before)
        if least > LONG:
            break
    return least, found


@cache
def recorded_problem(case: str) -> Problem:
    """The paper's oscillator under twice the El Centro record, used as a bare number as in the paper."""
    model = oscillator(MASS, STIFFNESS, DAMPING, law=LAWS[case])
    return Problem(model, el_centro().scaled(2).on(model, g=1.0), RECORD_DURATION)


def _elastic(entry: Entry, step: float) -> Callable[[], Array]:
    problem = recorded_problem("elastic")
    x, steps = scalars(problem.model), problem.steps(step)
    omega, nodes = (1 / (x.a * x.m)) ** 0.5, entry.scheme.linear(1.0).nodes

    def run() -> Array:
        load = load_at(problem, step, steps, nodes) / x.m
        return oscillator_history(entry.scheme, omega, x.c / (2 * x.m * omega), step, load)[:, 0]

    return run


def _yielding(entry: Entry, case: str, step: float) -> Callable[[], Array]:
    problem = recorded_problem(case)
    return lambda: np.asarray(solve(problem, entry.make(step)).values("displacement")[:, 0])


@cache
def recorded_solution(case: str) -> Array:
    """Displacement every 0.02 s: exact if elastic, otherwise from a run 2048 times finer."""
    problem = recorded_problem(case)
    if case == "elastic":
        return np.asarray(solve(problem, PiecewiseExact(RECORD_STEP)).values("displacement")[:, 0])
    return _reference(problem, case, RECORD_STEP)


PERIODS = np.geomspace(0.2, 3.0, 12)  # s
REDUCTIONS = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # elastic demand / yield force
CASES = {"elastic-perfectly-plastic": 0.0, "bilinear, 5 %": 0.05}  # stiffness after yielding / elastic stiffness
STEP = 0.02  # s, that of the record
SHAKEN_FOR = 32.0
_GRAVITY = 9.81  # m/s²: the unit of the results, errors do not depend on it
_FINER_SHAKEN = 512

SCHEMES: tuple[tuple[str, Callable[[float], Scheme]], ...] = (
    ("Newmark, return map", partial(Newmark, tolerance=1e-10, max_iterations=50)),
    ("Newmark, safeguarded", partial(Newmark, safeguarded=True)),
    ("Galerkin, degree 1", partial(Galerkin, degree=1)),
    ("Galerkin, path of the law", partial(Galerkin, law="path")),
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
    runs = (solve(problem, return_map(STEP / _FINER_SHAKEN)) for problem in oscillators(hardening))
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
    return Problem(model, el_centro().on(model, g=_GRAVITY), SHAKEN_FOR)


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
