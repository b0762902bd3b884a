"""Buildings of a region as shear frames: models of what an inventory says, marched in batches of one height.

Floors weigh the same, 1 t each: only ratios count. Storey i of N is one bilinear spring with

* stiffness ω²(N(N + 1) − i(i − 1))/2 per floor mass, so that the first mode is a straight line of exactly the period
  asked for, and the second has √6 times its frequency whatever the height;
* yield force in proportion to the storey shears of lateral forces i^k, with k = 1 up to a period of 0.5 s, 2 from 2.5 s
  on and linear in between (ASCE 7, 12.8.3): all storeys yield at once under these, at the base shear asked for;
* kinematic hardening, and viscosity where the inventory has a relaxation time.

Where buildings degrade, storeys have a largest force at the ductility given, lose their strength beyond it over a drift
given, and reload as the area of their loops tells, beside that of bilinear ones 4 Fy p for cycles of plastic amplitude
p: bilinear (1), peak oriented (exactly a half), or through a pinching point with κ_f = κ_d = κ, whose loops have
(3κ − κ²)/4 of that area for cycles that are large beside yield. Gravity then acts through P-Delta, and a building
collapses where a storey goes down sideways: beyond a drift ratio of 0.2 no storey of any type has strength left.

Damping is Rayleigh's with the same ratio in the first two modes and the initial stiffness; one storey has stiffness
proportional damping. Damage states follow from the largest storey drift, by lognormal thresholds as Hazus has them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import HamexError, SwingWarning
from hamex.model.laws.imk import IMK
from hamex.model.laws.slider import Slider
from hamex.model.record import Model
from hamex.model.shear_frame import shear_frame
from hamex.model.shear_frames import ShearFrames, diagonals
from hamex.model.units import STANDARD_GRAVITY, Units
from hamex.motion.ground import GroundMotion
from hamex.problem import Limit
from hamex.schemes import Galerkin
from hamex.solve.batch import batch
from hamex.study.engine import SECONDS, Columns, StudyPart
from hamex.study.keys import VERSION, digest
from hamex.study.regions.inventory import DEGRADING, Inventory
from hamex.study.regions.motions import MotionGrid, Shaking
from hamex.study.regions.types import STATES

Array = NDArray[Any]

UNITS = Units("m", "kN")
GRAVITY = STANDARD_GRAVITY  # m/s²
_SECOND = np.sqrt(6.0)  # ω₂/ω₁
# A storey at rest carries no force, so that its drift is its slip: the residual needs no free vibration to die out.
MEASURES = {
    "drift_ratio": "drift",
    "floor_acceleration": "absolute_acceleration",
    "residual_drift_ratio": "residual_slip",
}
PROBABILITIES = ("p_none", *(f"p_{state}" for state in STATES))
FINISHED, COLLAPSED = "finished", "collapsed"
COLLAPSE = 0.2  # drift ratio beyond which a storey that degrades is down
LONGEST, PER_PERIOD = 0.01, 40  # step at most so many seconds, and so many steps in a first period
_WORK, _SLOW_WORK = 4e8, 4e5  # storey-steps of a part at most, about a second; of buildings that degrade
_COLUMNS = ("period", "strength", "damping", "hardening", "relaxation", "height")
_FULL = 0.75  # loops of more than this are nearer to bilinear ones than to peak-oriented ones


def regular_shear_frames(
    storeys: int, period: Array, strength: Array, damping: Array, hardening: Array, relaxation: Array, height: Array
) -> ShearFrames:
    """Models of buildings of one height; each parameter is an array with one entry per building.

    >>> from hamex.model.shear_frames import frequencies
    >>> one = np.ones(1)
    >>> town = regular_shear_frames(12, 1.45 * one, 0.07 * one, 0.05 * one, 0.1 * one, 0 * one, 3 * one)
    >>> round(float(2 * np.pi / frequencies(town.mass, town.stiffness, 1)[0]), 12)
    1.45
    """
    count = len(period)
    i = np.arange(1, storeys + 1)
    omega = 2 * np.pi / period
    k = (omega**2)[:, None] * ((storeys * (storeys + 1) - i * (i - 1)) / 2.0)
    forces = i ** np.clip(1.0 + (period - 0.5) / 2.0, 1.0, 2.0)[:, None]
    shears = np.cumsum(forces[:, ::-1], axis=1)[:, ::-1]
    limit = (strength * storeys * GRAVITY)[:, None] * (shears / shears[:, :1])
    alpha, beta = rayleigh_of(storeys, omega, damping)
    main, side = diagonals(beta[:, None] * k)
    ones, none = np.ones((count, storeys)), np.broadcast_to(0.0, (count, storeys))
    return ShearFrames(
        ones,
        k,
        main + alpha[:, None],
        side,
        none,
        none,
        limit,
        relaxation[:, None] * k,
        k * (hardening / (1 - hardening))[:, None],
        none,
        height[:, None] * ones,
        UNITS,
    )


def rayleigh_of(storeys: int, omega: Array, damping: Array) -> tuple[Array, Array]:
    """alpha and beta of C = alpha M + beta K."""
    if storeys == 1:
        return np.zeros_like(omega), 2 * damping / omega
    total = omega * (1 + _SECOND)
    return 2 * damping * omega * (_SECOND * omega) / total, 2 * damping / total


def single(shear_frames: ShearFrames, number: int) -> Model:
    """One of the buildings as a model of its own, for :func:`hamex.solve`."""
    rows = [getattr(shear_frames, name)[number] for name in ("yield_force", "viscosity", "kinematic", "isotropic")]
    laws = [Slider(*(float(value) for value in law)) for law in zip(*rows, strict=True)]
    return shear_frame(
        shear_frames.mass[number],
        shear_frames.stiffness[number],
        _damping_of(shear_frames, number),
        laws=laws,
        heights=shear_frames.heights[number],
        units=shear_frames.units,
    )


def _damping_of(shear_frames: ShearFrames, number: int) -> Array:
    side = shear_frames.damping_side[number, 1:]
    return np.asarray(np.diag(shear_frames.damping_main[number]) + np.diag(side, 1) + np.diag(side, -1))


def degrading(shear_frames: ShearFrames, columns: Mapping[str, Array]) -> list[Model]:
    """The buildings with storeys that lose their strength, and with P-Delta.

    >>> one = np.ones(1)
    >>> town = regular_shear_frames(2, 0.5 * one, 0.1 * one, 0.05 * one, 0.1 * one, 0 * one, 3 * one)
    >>> about = {"hardening": 0.1 * one, "ductility": 6 * one, "softening": 0.05 * one, "residual": 0 * one}
    >>> degrading(town, about | {"loops": 0.3 * one})[0].laws["imk"].parameters["kappa_f"].round(4).tolist()
    [0.4753, 0.4753]
    """
    found = []
    for number in range(len(shear_frames)):
        own = {name: float(columns[name][number]) for name in ("hardening", *DEGRADING)}
        damping, heights = _damping_of(shear_frames, number), shear_frames.heights[number]
        k, limits = shear_frames.stiffness[number], shear_frames.yield_force[number]
        laws = [
            storey_law(float(Fy), float(Fy / stiff), float(height), **own)
            for Fy, stiff, height in zip(limits, k, heights, strict=True)
        ]
        weights = GRAVITY * shear_frames.mass[number]
        mass, units = shear_frames.mass[number], shear_frames.units
        found.append(shear_frame(mass, k, damping, laws=laws, heights=heights, weights=weights, units=units))
    return found


def storey_law(
    Fy: float,
    at_yield: float,
    height: float,
    hardening: float,
    ductility: float,
    softening: float,
    residual: float,
    loops: float,
) -> IMK:
    """The law of a storey that yields with force ``Fy`` at the deformation ``at_yield``.

    >>> law = storey_law(10.0, 0.01, 3.0, hardening=0.1, ductility=6.0, softening=0.05, residual=0.0, loops=0.5)
    >>> law.cap_ratio, law.plastic, round(law.post_cap, 12), law.reloading
    (1.5, 0.05, 0.15, 'peak')
    """
    pinched = loops < 0.5
    return IMK(
        Fy,
        1.0 + hardening * (ductility - 1.0),
        at_yield * (ductility - 1.0),
        height * softening,
        residual,
        reloading="pinching" if pinched else "bilinear" if loops > _FULL else "peak",
        **(dict.fromkeys(("kappa_f", "kappa_d"), 1.5 - 0.5 * (9.0 - 16.0 * loops) ** 0.5) if pinched else {}),
    )


def steps_for(period: Array, station: Array, grid: MotionGrid, step: float | None) -> Array:
    """Step of each building [s]: the record's, halved until it is short enough; or the one asked for."""
    own = np.array([motion.step for motion in grid.motions])[station]
    halvings = np.ceil(np.log2(np.maximum(own / np.minimum(LONGEST, period / PER_PERIOD), 1.0)) - 1e-9)
    found = np.asarray(own / 2.0**halvings) if step is None else np.full(len(period), float(step))
    most = np.array([motion.duration for motion in grid.motions])[station] / found
    row = int(most.argmax())
    check_memory(
        "region",
        48.0 * float(most[row]),  # some of them are run again in steps an eighth as long
        f"the building of row {row + 1}, of period {period[row]:g} s, in {most[row]:.3g} steps of {found[row]:.3g} s",
        "give it a longer period" if step is None else "take a longer step",
    )
    return found


def region_parts(
    full: Inventory,
    grid: MotionGrid,
    shaking: Shaking,
    step: Array,
    rows: Array | None = None,
    peaks_only: bool = False,
    settle: float | None = None,
    degrades: bool = False,
) -> list[StudyPart]:
    """Cut by storeys, step and station, the same for every executor: resumed parts must be recognised."""
    rows = np.arange(len(full)) if rows is None else rows
    storeys, station = full.storeys[rows], shaking.station[rows]
    order = rows[np.lexsort((rows, station, step[rows], storeys))]
    duration = np.array([motion.duration for motion in grid.motions])
    work = full.storeys[order] * np.maximum(duration[shaking.station[order]] / step[order], 1.0)
    parts = []
    for begin, end in _blocks(full.storeys[order], work, _SLOW_WORK if degrades else _WORK):
        block = order[begin:end]
        payload = _payload(full, grid, shaking, step, block, peaks_only)
        if settle is not None:
            payload["settle"] = settle
        if degrades:
            payload["degrading"] = {name: getattr(full, name)[block] for name in DEGRADING}
        parts.append(StudyPart(digest(payload, VERSION), float(work[begin:end].sum()), payload))
    return parts


def _blocks(storeys: Array, work: Array, most: float) -> list[tuple[int, int]]:
    """Runs of one height, each of so much work at most."""
    starts = np.flatnonzero(np.diff(storeys, prepend=-1))
    found = []
    for begin, end in zip(starts, [*starts[1:], len(storeys)], strict=True):
        done = np.cumsum(work[begin:end])
        cuts = np.searchsorted(done, np.arange(1, int(done[-1] / most) + 1) * most)
        edges = np.unique([begin, *(begin + cuts), end])
        found += list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    return found


def _payload(
    full: Inventory, grid: MotionGrid, shaking: Shaking, step: Array, block: Array, peaks_only: bool
) -> dict[str, Any]:
    station, h = shaking.station[block], step[block]
    used, local = np.unique(station, return_inverse=True)
    new = np.flatnonzero((np.diff(station, prepend=-1) != 0) | (np.diff(h, prepend=-1.0) != 0))
    groups = [
        (int(begin), int(end), int(local[begin]), float(h[begin]))
        for begin, end in zip(new, [*new[1:], len(block)], strict=True)
    ]
    columns = {name: getattr(full, name)[block] for name in _COLUMNS}
    if not peaks_only:
        columns |= {"limits": full.limits[block], "dispersion": full.dispersion[block]}
    return {
        "storeys": int(full.storeys[block[0]]),
        "row": block,
        "factor": shaking.factor[block],
        "groups": groups,
        "motions": tuple(grid.motions[i] for i in used),
        "columns": columns,
        "peaks_only": peaks_only,
    }


# In a worker -------------------------------------------------------------------------------------------------


def run_part(payload: Mapping[str, Any]) -> Columns:
    """Demands of the buildings of a part; one that fails has its message as status."""
    begun = time.thread_time()
    columns = payload["columns"]
    shear_frames = regular_shear_frames(payload["storeys"], **{name: columns[name] for name in _COLUMNS})
    found = {name: np.full(shear_frames.mass.shape, np.nan) for name in MEASURES}
    status = np.full(len(shear_frames), FINISHED, dtype=object)
    more = payload.get("degrading")
    systems = shear_frames if more is None else degrading(shear_frames, columns | more)
    for begin, end, motion, h in payload["groups"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SwingWarning)  # the residual is that at rest either way
            _march(
                systems,
                payload["motions"][motion],
                h,
                payload["factor"],
                begin,
                end,
                found,
                status,
                payload.get("settle"),
            )
    found["drift_ratio"] /= shear_frames.heights
    found["residual_drift_ratio"] = np.abs(found["residual_drift_ratio"]) / shear_frames.heights
    down = status == COLLAPSED
    if more is not None:
        # Drift at rest over slip: k (d − s) = P d/h, where gravity leans on what slipped.
        weight = np.cumsum(GRAVITY * shear_frames.mass[:, ::-1], axis=1)[:, ::-1] / shear_frames.heights
        found["residual_drift_ratio"] *= shear_frames.stiffness / (shear_frames.stiffness - weight)
        found["residual_drift_ratio"][down] = np.nan  # nothing comes to rest
    found["floor_acceleration"] /= GRAVITY
    seconds = np.zeros(len(shear_frames))
    peak = found["drift_ratio"].max(axis=1)
    table: Columns = {
        "row": payload["row"],
        "peak_drift_ratio": peak,
        "peak_floor_acceleration": found["floor_acceleration"].max(axis=1),
        SECONDS: seconds,
    }
    if not payload["peaks_only"]:
        states = state_probabilities(peak, columns["limits"], columns["dispersion"])
        states[down] = np.arange(len(PROBABILITIES)) == len(PROBABILITIES) - 1
        table |= {
            "peak_storey": found["drift_ratio"].argmax(axis=1) + 1,
            "peak_residual_drift_ratio": found["residual_drift_ratio"].max(axis=1),
            **{name: states[:, i] for i, name in enumerate(PROBABILITIES)},
            **found,
            "status": status.astype(str),
        }
    seconds[0] = time.thread_time() - begun
    return table


def state_probabilities(drift: Array, limits: Array, dispersion: Array) -> Array:
    """Probabilities of none, slight, moderate, extensive and complete damage, (building, 5).

    ``drift`` is the largest drift ratio of any storey, ``limits`` the medians of the thresholds (building, 4). A state
    is reached with probability Φ(ln(drift/limit)/dispersion). NaN where a building has no limits.

    >>> state_probabilities(np.array([0.01]), np.array([[0.005, 0.01, 0.03, 0.08]]), np.array([0.4])).round(3).tolist()
    [[0.042, 0.458, 0.497, 0.003, 0.0]]
    """
    from scipy.special import ndtr

    with np.errstate(divide="ignore"):  # no drift at all: ln 0 = −∞, probability 0
        reached = ndtr(np.log(drift[:, None] / limits) / dispersion[:, None])
    bounds = np.concatenate([np.ones((len(drift), 1)), reached, np.zeros((len(drift), 1))], axis=1)
    return np.asarray(bounds[:, :-1] - bounds[:, 1:])


def _march(
    systems: ShearFrames | list[Model],
    motion: GroundMotion,
    h: float,
    factor: Array,
    begin: int,
    end: int,
    found: dict[str, Array],
    status: Array,
    settle: float | None = None,
) -> None:
    """March some buildings; if one of them fails, halves, until it stands alone: numbers do not depend on company."""
    which, plain = slice(begin, end), isinstance(systems, ShearFrames)
    try:
        result = batch(
            systems.chosen(which) if isinstance(systems, ShearFrames) else systems[which],
            motion,
            Galerkin(h),
            tuple(MEASURES.values()),
            scales=factor[which],
            g=GRAVITY,
            paired=True,
            # Without P-Delta nothing runs away, and states have limits of their own.
            limit=Limit(None, stop=False) if plain else Limit(COLLAPSE),
            settle=settle,
            threads=1,
            block=1 << 16,
        )
    except HamexError as problem:
        if end - begin == 1:
            status[begin] = f"{type(problem).__name__}: {problem}"
            return
        middle = (begin + end) // 2
        _march(systems, motion, h, factor, begin, middle, found, status, settle)
        _march(systems, motion, h, factor, middle, end, found, status, settle)
        return
    status[which][result.collapsed] = COLLAPSED
    for name, measure in MEASURES.items():
        found[name][which] = result.values(measure).reshape(end - begin, -1)
