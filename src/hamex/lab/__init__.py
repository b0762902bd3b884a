"""The laboratory of schemes: time integrators as data (``catalogue``), the experiments that tell them apart, and all of
them over all schemes as one record that pages, screens and files are made from."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.errors import SchemeError
from hamex.lab import convergence
from hamex.lab.catalogue import CATALOGUE, Entry
from hamex.lab.convergence import Order, WorkPrecision, measured_order, work_precision
from hamex.lab.free_vibration import (
    COURANT,
    Drift,
    Front,
    Overshoot,
    SpectralProperties,
    StiffSoft,
    drift,
    front,
    overshoot,
    remains,
    spectral_properties,
    spectral_radius,
    stability_limit,
    stiff_soft,
)
from hamex.march.followed import forces_on_path
from hamex.march.reference import linear_map
from hamex.march.run import around_law, compiled, entered, worth_compiling
from hamex.model.damping import ratio, rayleigh
from hamex.model.laws.bilinear import Bilinear
from hamex.model.laws.imk import IMK
from hamex.model.laws.law import Law
from hamex.model.laws.path import followed_by
from hamex.model.laws.pinching4 import Pinching4
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.model.record import modes
from hamex.model.shear_frame import shear_frame
from hamex.motion.ground import el_centro
from hamex.problem import Limit
from hamex.schemes import DiscontinuousGalerkin, Galerkin, LeapFrog, Newmark, Scheme
from hamex.solution.solution import Solution
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of

Array = NDArray[Any]
STEPS = np.linspace(0.0025, 0.4, 160)  # h/T of the curves
WIDE = np.geomspace(0.01, 100, 161)  # h/T of the spectral radius
CASES = ("smooth", "viscous", "rate-independent")
WORK_CASES = ("elastic", "viscous", "rate-independent")
LAW_STEPS = (0.02, 0.01, 0.005)  # s, of the comparison by kind of law
_FINER = 32  # times finer than the shortest
_GRAVITY = 9.81
_RUNS = 1000  # of springs of one kind in the comparison, about, which tells whether to compile for them
_BAR = 24  # characters of the bar that grows
_STOREYS, _FRAME_REDUCTIONS = (2, 3, 5, 8), (1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


# Accuracy by kind of law: how far off are peaks of springs that yield without viscosity, at three steps?
#
# The 72 oscillators of ``convergence`` with springs of three kinds, elastic-perfectly-plastic, a peak-oriented Ibarra-
# Medina-Krawinkler spring and a Pinching4 spring that wears, and 24 shear frames of two to eight storeys, plastic and
# falling, all under El Centro. Peaks are those of the displacement, or of the largest storey drift, at the nodes. The
# reference is the path of the law at a 32nd of the shortest step. Springs that degrade are followed along their path,
# or asked at the nodes; no other element takes them. The explicit leap-frog takes part where its step is stable.
PATH, NODES = "Galerkin, path", "Newmark"
_MEAN = "Galerkin, mean"
_FOLLOWED: dict[str, Callable[[float], Scheme]] = {
    PATH: partial(Galerkin, law="path"),
    NODES: partial(Newmark, safeguarded=True),
    "Leap-frog": LeapFrog,
}
_ALL: dict[str, Callable[[float], Scheme]] = {
    _MEAN: partial(Galerkin, law="mean"),
    **_FOLLOWED,
    "Discontinuous, degree 1": partial(DiscontinuousGalerkin, degree=1),
    "Discontinuous, degree 2": partial(DiscontinuousGalerkin, degree=2),
}


def plastic(k: float, fy: float) -> Law:
    """Elastic, then perfectly plastic."""
    return Slider(fy)


def worn(k: float, fy: float) -> Law:
    """A peak-oriented spring with a cap at four, a falling range of fifteen and a wear of thirty yield deformations."""
    u = fy / k
    wear: dict[str, Any] = {"lambda_s": 30 * u, "lambda_c": 30 * u, "lambda_a": 30 * u, "lambda_k": 30 * u}
    return IMK(fy, 1.1, 3 * u, 15 * u, 0.2, reloading="peak", **wear)


def pinched(k: float, fy: float) -> Law:
    """A pinching spring whose stiffness and strength wear."""
    u = fy / k
    wear: dict[str, Any] = {"gK1": 0.2, "gK3": 0.4, "gKLim": 0.5, "gF1": 0.1, "gF3": 0.4, "gFLim": 0.4}
    return Pinching4(
        fy, u, 1.15 * fy, 4 * u, 1.1 * fy, 8 * u, 0.3 * fy, 20 * u, rDispP=0.5, rForceP=0.25, uForceP=0.05, **wear
    )


def falling(k: float, fy: float) -> Law:
    """A storey that hardens to four yield deformations and loses a quarter of its strength over the next fifteen."""
    return Bilinear(fy, 1.1, 3 * fy / k, 60 * fy / k, 0.2)


class ShakenSprings(NamedTuple):
    """A problem, and of its springs laws, stiffnesses and yield forces."""

    problem: Problem
    laws: tuple[Law, ...]
    stiffness: Array
    yield_force: Array


@dataclass(frozen=True)
class KindOfLaw:
    """Problems of one kind, and the schemes that take them."""

    title: str
    law: Callable[[float, float], Law]
    frames: bool
    schemes: dict[str, Callable[[float], Scheme]]

    def problems(self) -> tuple[ShakenSprings, ...]:
        """Under El Centro."""
        return tuple(_frames(self.law) if self.frames else _oscillators(self.law))


KINDS = (
    KindOfLaw("elastic-perfectly-plastic", plastic, False, _ALL),
    KindOfLaw("degrading, peak-oriented (IMK)", worn, False, _FOLLOWED),
    KindOfLaw("degrading, pinching (Pinching4)", pinched, False, _FOLLOWED),
    KindOfLaw("shear frames, perfectly plastic", plastic, True, _ALL),
    KindOfLaw("shear frames that fall (Bilinear)", falling, True, _FOLLOWED),
)


@dataclass(frozen=True)
class StepErrors:
    """Relative errors of the peaks of one scheme, (step, problem), not a number where it refused the step, and how far
    forces at nodes were beyond their law over the yield force, of the same shape."""

    name: str
    errors: Array
    beyond: Array

    @property
    def median(self) -> Array:
        """Of the errors at each step."""
        return np.asarray(np.median(self.errors, axis=1))

    @property
    def ninety(self) -> Array:
        """Ninth decile of the errors at each step."""
        return np.asarray(np.quantile(self.errors, 0.9, axis=1))

    @property
    def farthest(self) -> float:
        """Largest node force beyond the law, over the yield force, of all runs."""
        return float(np.nanmax(self.beyond)) if not np.isnan(self.beyond).all() else math.nan


def step_errors(
    kind: KindOfLaw, every: int = 1, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> tuple[StepErrors, ...]:
    """Errors of every scheme that takes springs of a kind; ``every`` leaves problems out, ``progress`` is told how many
    of them are done."""
    tried = kind.problems()[::every]
    fine = LAW_STEPS[-1] / _FINER
    found = np.full((len(kind.schemes), 2, len(LAW_STEPS), len(tried)), np.nan)
    for at, shaken in enumerate(tried):
        progress(at, len(tried))
        exact = _peak(solve(shaken.problem, Galerkin(fine, law="path"), limit=Limit(None)))
        for row, make in enumerate(kind.schemes.values()):
            for column, step in enumerate(LAW_STEPS):
                try:
                    run = solve(shaken.problem, make(step), limit=Limit(None))
                except SchemeError:  # beyond the stable step of the explicit scheme
                    continue
                found[row, :, column, at] = abs(_peak(run) / exact - 1), _beyond(shaken, run)
    return tuple(StepErrors(name, *row) for name, row in zip(kind.schemes, found, strict=True))


def _peak(run: Solution) -> float:
    """Largest displacement, or storey drift, at a node."""
    return float(np.abs(np.diff(run.values("displacement"), axis=1, prepend=0.0)).max())


def _beyond(shaken: ShakenSprings, run: Solution) -> float:
    """How far a force at a node is beyond the yield force of a spring without hardening, or off its law on the path
    from node to node, over the yield force. A spring that no reversal would leave whole is taken away at the node
    before it: a force of zero is not beyond the law."""
    forces, deformations = run.values("node_force"), run.values("deformation")
    if all(isinstance(law, Slider) for law in shaken.laws):
        return max(float((np.abs(forces) / shaken.yield_force).max()) - 1, 0.0)
    springs = zip(shaken.laws, deformations.T, shaken.stiffness.tolist(), strict=True)
    on_law = np.stack([_on_law(*spring) for spring in springs], axis=1)
    return float((np.where(forces == 0.0, 0.0, np.abs(forces - on_law)) / shaken.yield_force).max())


def _on_law(law: Law, deformations: Array, stiffness: float) -> Array:
    """Forces of a law of straight pieces on a path of many points, compiled where that pays."""
    followed, _, p = followed_by(law, stiffness, "step errors")
    assert followed.spring_piece is not None
    forces, state = np.zeros(len(deformations)), np.zeros(len(followed.variables))
    kernel = around_law(forces_on_path, "spring_piece", followed.spring_piece)
    work = _RUNS * len(forces) * followed.effort
    given = len(forces), np.ascontiguousarray(p).reshape(-1), np.ascontiguousarray(deformations), state, forces
    entered(kernel, *given, compile=worth_compiling(work, kernel))(*given)
    return forces


def _oscillators(law: Callable[[float, float], Law]) -> Iterator[ShakenSprings]:
    """Those of the other comparison, with a law of their yield force."""
    for problem in convergence.oscillators():
        k, Fy = problem.model.spring_stiffness["slider"], problem.model.laws["slider"].yield_force
        own = law(float(k[0]), float(Fy[0]))
        model = oscillator(1.0, float(k[0]), ratio(0.05), law=own)
        shaken = Problem(model, el_centro().on(model, g=_GRAVITY), convergence.SHAKEN_FOR)
        yield ShakenSprings(shaken, (own,), k, Fy)


def _frames(law: Callable[[float, float], Law]) -> Iterator[ShakenSprings]:
    """Floors of one mass, stiffness falling to two thirds at the top; period a tenth of a second for each storey. The
    strength of a storey is its elastic demand over the factor."""
    for storeys in _STOREYS:
        shape = np.linspace(1.0, 2 / 3, storeys)
        unit = shear_frame([1.0] * storeys, shape.tolist())
        k = shape * (2 * np.pi / (0.1 * storeys) / modes(unit).frequencies[0]) ** 2
        elastic = shear_frame([1.0] * storeys, k.tolist(), rayleigh(0.05))
        run = solve(Problem(elastic, el_centro().on(elastic, g=_GRAVITY), convergence.SHAKEN_FOR), Galerkin(0.005))
        demand = np.abs(run.values("node_force")).max(axis=0)
        for reduction in _FRAME_REDUCTIONS:
            Fy = demand / reduction
            laws = tuple(law(float(a), float(b)) for a, b in zip(k, Fy, strict=True))
            model = shear_frame([1.0] * storeys, k.tolist(), rayleigh(0.05), laws=laws)
            shaken = Problem(model, el_centro().on(model, g=_GRAVITY), convergence.SHAKEN_FOR)
            yield ShakenSprings(shaken, laws, k, Fy)


@dataclass(frozen=True, eq=False)
class SchemeFindings:
    """What was found about one scheme; ``work`` is empty where no times were wanted."""

    entry: Entry
    curves: SpectralProperties
    wide_radius: Array
    elongation: float  # (T̄ − T)/T at h/T = 0.1
    damping: float  # ζ̄ at h/T = 0.1
    limit: float  # largest stable ωh
    remains: float  # ρ∞
    overshoot: Overshoot | None
    drift: Drift
    orders: dict[str, Order]
    stiff: StiffSoft
    fronts: dict[float, Front | None]
    work: dict[str, WorkPrecision]


@dataclass(frozen=True, eq=False)
class Laboratory:
    """All rows, the 72 oscillators by kind of hardening, and peaks at three steps by kind of law."""

    rows: tuple[SchemeFindings, ...]
    peaks: dict[str, tuple[convergence.PeakErrors, ...]]
    laws: dict[str, tuple[StepErrors, ...]] = field(default_factory=dict)

    def row(self, key: str) -> SchemeFindings:
        """The row of a scheme."""
        return next(row for row in self.rows if row.entry.key == key)

    def as_json(self) -> dict[str, Any]:
        """Plain data: numbers to six digits; null where a number does not exist or is not finite."""
        return {
            "hamex": __version__,
            "curves": {"h_over_T": plain(STEPS), "wide_h_over_T": plain(WIDE)},
            "schemes": [_row_json(row) for row in self.rows],
            "rate_independent": {
                "periods_s": plain(convergence.PERIODS),
                "reductions": plain(convergence.REDUCTIONS),
                "step_s": convergence.STEP,
                **{title: [_peaks_json(found) for found in schemes] for title, schemes in self.peaks.items()},
            },
            "by_kind_of_law": {
                "steps_s": plain(LAW_STEPS),
                **{title: [_steps_json(found) for found in schemes] for title, schemes in self.laws.items()},
            },
        }


def everything(
    entries: Sequence[Entry] = CATALOGUE,
    *,
    work: bool = True,
    peaks: bool = True,
    laws: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Laboratory:
    """Run the experiments; ``work`` times the schemes, ``peaks`` runs the 72 oscillators, ``laws`` those and frames
    with springs of every kind at three steps, which takes minutes."""
    compiled(linear_map)  # loads the compiler, so that every scheme is timed as machine code
    rows = []
    for entry in entries:
        progress(entry.name)
        rows.append(_row(entry, work))
    progress("72 oscillators")
    compared = (
        {title: convergence.compare(hardening) for title, hardening in convergence.CASES.items()} if peaks else {}
    )
    by_law = {}
    for kind in KINDS if laws else ():
        by_law[kind.title] = step_errors(kind, progress=partial(_counted, progress, kind.title))
    progress("")
    return Laboratory(tuple(rows), compared, by_law)


def _counted(progress: Callable[[str], None], title: str, done: int, of: int) -> None:
    full = round(_BAR * done / of)
    progress(f"{'━' * full}{'─' * (_BAR - full)} {done:3d} of {of}  {title}")


def _row(entry: Entry, work: bool) -> SchemeFindings:
    scheme = entry.scheme
    tenth = spectral_properties(scheme, 0.1)
    timed = {case: work_precision(entry, case) for case in WORK_CASES} if work else {}
    return SchemeFindings(
        entry,
        spectral_properties(scheme, STEPS),
        spectral_radius(scheme, 2 * np.pi * WIDE),
        float(tenth.elongation[0]),
        float(tenth.damping[0]),
        stability_limit(scheme),
        remains(scheme),
        overshoot(scheme),
        drift(entry.make),
        {case: measured_order(entry, case) for case in CASES},
        stiff_soft(scheme),
        {courant: front(scheme, courant) for courant in COURANT},
        timed,
    )


def _peaks_json(found: convergence.PeakErrors) -> dict[str, Any]:
    return {
        "name": found.name,
        "median": plain(found.median),
        "percentile_90": plain(found.ninety),
        "peak_errors": plain(found.peaks),
        "residual_errors": plain(found.residuals),
        "node_overstress": plain(found.overstress),
    }


def _steps_json(found: StepErrors) -> dict[str, Any]:
    return {
        "name": found.name,
        "median": plain(found.median),
        "percentile_90": plain(found.ninety),
        "node_force_beyond_law": plain(found.farthest),
        "peak_errors": plain(found.errors),
    }


def _row_json(row: SchemeFindings) -> dict[str, Any]:
    entry = row.entry
    return {
        "key": entry.key,
        "name": entry.name,
        "family": entry.family,
        "data": entry.data,
        "source": entry.source,
        "order_theory": entry.order,
        "solves_per_step": entry.solves,
        "period_elongation_at_0.1": plain(row.elongation),
        "damping_ratio_at_0.1": plain(row.damping),
        "stability_limit_omega_h": plain(row.limit),
        "rho_infinity": plain(row.remains if math.isinf(row.limit) else math.inf),
        "curves": {
            "spectral_radius": plain(row.curves.radius),
            "period_elongation": plain(row.curves.elongation),
            "damping_ratio": plain(row.curves.damping),
            "wide_spectral_radius": plain(row.wide_radius),
        },
        "overshoot": plain(row.overshoot),
        "energy_drift": plain(row.drift),
        "orders": plain(row.orders),
        "stiff_soft": plain(row.stiff),
        "bar": {str(courant): plain(found) for courant, found in row.fronts.items()},
        "work": plain(row.work),
    }


def plain(value: Any) -> Any:
    """Numbers, arrays and records as JSON knows them, six digits."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
