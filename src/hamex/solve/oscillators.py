"""Batches of oscillators: coefficients of their steps from the generated step form, blocks of tiles through the
compiled kernel, measures out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, SchemeError
from hamex.march import oscillators as tile
from hamex.march import peaks
from hamex.march.run import compiled, settled, vector_bytes
from hamex.model.oscillator import Oscillators
from hamex.schemes._generated import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.solution.batch import STATE
from hamex.solve.settling import RestOfMany, Tiles, rest_of_oscillators, settle_oscillators

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BatchElement:
    """One step of every oscillator, by the names of :mod:`hamex.march.oscillators`, and the scales of its numbers.

    Lengths are in units of ``unit``, the deformation Q Fy at which the mean of a step begins to slip. What only some
    kernels need is computed when asked for.
    """

    x: Oscillators
    effective: Array  # M̂
    flexibility: Array  # Q
    unit: Array  # [length]
    push: Array  # per unit of force on the mass
    beta: Array
    rho: Array
    mu: Array
    softening: Any  # impulse of the stiffness outside the spring per displacement

    @property
    def kappa(self) -> Array:
        """e' per y."""
        return np.asarray(2 / (self.x.stiffness * self.flexibility))

    @property
    def beside(self) -> Array:
        """Free motion per displacement, by the stiffness outside the spring."""
        return np.asarray(self.softening / self.effective)

    @property
    def limit(self) -> Array:
        """1, or what the unit leaves of it: 0 for a spring that yields at no force."""
        return np.where(self.x.yield_force == 0, 0.0, 1.0)

    @property
    def shift(self) -> Array:
        """Back force per slip, in the units of y."""
        return np.asarray(self.flexibility * self.x.kinematic)

    @property
    def grow(self) -> Array:
        """Growth of the limit per accumulated slip, in the units of y."""
        return np.asarray(self.flexibility * self.x.isotropic)

    @property
    def force(self) -> Array:
        """Spring force per unit of y."""
        return np.asarray(self.unit / self.flexibility)

    @property
    def velocity(self) -> Array:
        """Velocity per unit of q."""
        return np.asarray(2 * self.unit * self.effective / self.x.mass)


def batch_element(x: Oscillators, h: float, first: int = 0) -> BatchElement:
    """The step's coefficients; refuses a step at which some problem stops being convex, counted from ``first``."""
    form = linear_element_form(h)
    blocks: Any = {"m": x.mass, "c": x.damping, "k": x.geometric, "a": 1 / x.stiffness, "b": 1.0}
    start, spring = lift(form["motion_start"], blocks), lift(form["spring_start"], blocks)
    effective = np.asarray(start["du"])
    bad = effective <= 0
    if bad.any():
        i = int(bad.argmax())
        c, k, m = x.damping[i], x.geometric[i], x.mass[i]
        limit = (c + np.sqrt(c * c - 4 * k * m)) / -k
        raise SchemeError(
            f"Galerkin: with the negative stiffness {k:g} of oscillator {first + i} the step must be "
            f"below {limit:.6g} s, got {h:g} s"
        )
    momentum = start["du"] - lift({"du": form["motion_end"]["du"]}, blocks)["du"]
    recoil = start["F"] / effective
    flexibility = spring["F"] - spring["du"] * recoil
    half = spring["g"]
    stiff = half / flexibility
    yields = np.isfinite(x.yield_force)
    unit = flexibility * x.yield_force
    # A spring that never yields, or yields at no force, has no length of its own.
    unit[~yields | (unit == 0)] = 1.0
    beta = stiff / (x.viscosity + stiff + half * (x.kinematic + x.isotropic))
    return BatchElement(
        x,
        effective,
        np.asarray(flexibility),
        unit,
        push=-start["f"] / (2 * unit * effective),
        beta=np.where(yields, beta, 0.0),
        rho=recoil / (2 * flexibility),
        mu=momentum / effective,
        softening=start["u"],
    )


def peak_factors(h: float) -> Array:
    """Factors of the step form in the order of :mod:`hamex.march.peaks`, where nothing stands beside the spring."""
    form = linear_element_form(h)
    start, end, spring = form["motion_start"], form["motion_end"], form["spring_start"]
    return np.array(
        [
            start["du"]["m"],
            start["du"]["c"],
            start["F"]["b"],
            spring["F"]["a"],
            spring["du"]["b"],
            spring["g"][""],
            -start["f"][""],
            start["du"]["m"] - end["du"]["m"],
        ]
    )


# What the kernel must do for a measure, beyond the peak displacement that it always keeps.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "displacement": (),
    "ductility": (),
    "residual_displacement": (),
    "residual_slip": ("SLIPS",),
    "settled_displacement": ("SLIPS",),
    "swing": ("SLIPS",),
    "velocity": ("RATES",),
    "absolute_acceleration": ("RATES",),
    "force": ("FORCES",),
    "plastic_work": ("WORK",),
    "input_work": ("WORK",),
    "cycles": ("CYCLES",),
}


@dataclass(frozen=True, eq=False)
class OscillatorBlock:
    """Oscillators under one record.

    Attributes
    ----------
    x : the oscillators.
    first : number of the first one in the batch, for messages.
    values : load of each step [force, or acceleration for a ground motion].
    push : force on the mass per unit of the load.
    shake : acceleration of the ground per unit of the load.
    h : step [s].
    start : state at t = 0 by name, at rest where left out.
    settle : share of the largest displacement that the swing falls below before a march ends; None to end at once.
    """

    x: Oscillators
    first: int
    values: Array
    push: Array
    shake: Array
    h: float
    start: Mapping[str, Array] | None = None
    settle: float | None = None


@dataclass(frozen=True, eq=False)
class Marched:
    """Tables after the march, (row, oscillator), and what their numbers mean."""

    block: OscillatorBlock
    element: BatchElement
    rows: Tiles
    history: Array
    settled: Array | None = None

    @property
    def rest(self) -> RestOfMany:
        """Where the oscillators come to rest."""
        return rest_of_oscillators(self.block.x, *(self.final(name) for name in ("displacement", "momentum", "slip")))

    def measure(self, name: str) -> Array:
        """A measure in the user's units."""
        return _MEASURES[name](self)

    def final(self, name: str) -> Array:
        """An entry of the state at the end."""
        unit = self.element.unit
        row, scale = {
            "displacement": (tile.U, 2 * unit),
            "slip": (tile.SLIP, unit),
            "momentum": (tile.Q, self.element.velocity * self.block.x.mass),
            "back_force": (tile.BACK, self.element.force),
            "accumulated_slip": (tile.ACCUMULATED, unit),
        }[name]
        return np.asarray(scale * self.rows[row])

    def kept(self, name: str) -> Array:
        """A history, (oscillator, time or interval)."""
        u, e, q, y = (self.history[k :: tile.KEPT].T for k in range(tile.KEPT))
        unit, start = self.element.unit[:, None], self.block.start or {}
        if name == "force":
            return np.asarray(self.element.force[:, None] * y)
        inside = {
            "displacement": 2 * unit * u,
            "velocity": self.element.velocity[:, None] * q,
            "slip": unit * (2 * u - e),
        }[name]
        first = np.zeros((len(inside), 1))
        if name == "velocity" and "momentum" in start:
            first[:, 0] = start["momentum"] / self.block.x.mass
        elif name in start:
            first[:, 0] = start[name]
        return np.hstack([first, inside])


@dataclass(frozen=True, eq=False)
class DisplacementPeaks:
    """Largest and last displacements."""

    x: Oscillators
    top: Array
    last: Array

    def measure(self, name: str) -> Array:
        """A measure in the user's units."""
        if name == "residual_displacement":
            return self.last
        return self.top if name == "displacement" else np.asarray(self.top / _yield_deformation(self.x))


_MEASURES: Mapping[str, Callable[[Marched], Array]] = {
    "displacement": lambda m: 2 * m.element.unit * m.rows[tile.LARGEST],
    "ductility": lambda m: 2 * m.element.unit * m.rows[tile.LARGEST] / _yield_deformation(m.block.x),
    "residual_displacement": lambda m: m.final("displacement"),
    "residual_slip": lambda m: m.final("slip"),
    "settled_displacement": lambda m: m.rest.displacement,
    "swing": lambda m: m.rest.swing,
    "velocity": lambda m: m.element.velocity * m.rows[tile.FASTEST],
    "absolute_acceleration": lambda m: m.element.velocity / m.block.h * m.rows[tile.HARDEST],
    "force": lambda m: m.element.force * m.rows[tile.STRONGEST],
    "plastic_work": lambda m: 2 * m.element.unit * m.element.force * m.rows[tile.PLASTIC],
    "input_work": lambda m: 2 * m.element.unit * m.block.push * m.rows[tile.INPUT],
    "cycles": lambda m: m.rows[tile.EXCURSIONS] / 2,
}


def _yield_deformation(x: Oscillators) -> Array:
    """Deformation at first yield; NaN where there is none, so that the ductility is NaN too."""
    some = np.isfinite(x.yield_force) & (x.yield_force > 0)
    return np.where(some, np.where(some, x.yield_force, 0.0) / x.stiffness, np.nan)


KINDS = 4  # of oscillators, by the kernel they need


def kinds(x: Oscillators) -> Array | None:
    """Which kernel each oscillator needs, by itself and not by its neighbours: 1 a limit that is zero or moves, 2
    stiffness outside the spring, 3 both, 0 neither; None where no oscillator needs either."""
    if x.yield_force.min() > 0 and not any(map(_some, (x.kinematic, x.isotropic, x.geometric))):
        return None  # as nearly always, and quickly seen
    limited = (x.kinematic > 0) | (x.isotropic > 0) | (x.yield_force == 0)
    return limited.astype(np.uint8) + 2 * (x.geometric != 0).astype(np.uint8)


def _some(values: Array) -> bool:
    """Whether any is not zero; one number that serves all is looked at once."""
    return bool(values[0] if values.strides == (0,) else values.any())


def flags_of(kind: int) -> frozenset[str]:
    """Flags of :mod:`hamex.march.oscillators` for a kind."""
    return frozenset(name for bit, name in ((1, "LIMITS"), (2, "SOFTENS")) if kind & bit)


def march_oscillators(
    block: OscillatorBlock, flags: frozenset[str], dtype: Any = np.float64
) -> Marched | DisplacementPeaks:
    """March a block of one kind; ``flags`` are those of :mod:`hamex.march.oscillators`; with none, peaks only."""
    kind = np.dtype(dtype)
    narrow = 1 if kind == np.float64 else 2  # numbers of half the size go twice as many to a vector
    values = block.values.astype(kind, copy=False)
    if flags <= {"INSIDE"} and block.start is None:
        return _peaks(block, values, kind, narrow, bool(flags))
    element = batch_element(block.x, block.h, block.first)
    with np.errstate(over="ignore"):
        table, history, settled = _marched(block, element, values, flags, kind, narrow)
    lost = ~np.isfinite(table[tile.U]) | ~np.isfinite(table[tile.Q])
    if lost.any():
        raise _overflow(block.first + int(lost.argmax()))
    return Marched(block, element, table, history, settled)


def _overflow(number: int) -> OverflowRunError:
    return OverflowRunError(
        f"batch: the numbers of model {number} are not finite at the end of the run; loads and "
        "units are out of proportion, or it collapsed and ran away: then end the run earlier"
    )


def _marched(
    block: OscillatorBlock, element: BatchElement, values: Array, flags: frozenset[str], kind: Any, narrow: int
) -> tuple[Tiles, Array, Array | None]:
    """The tables and the history after the march of :mod:`hamex.march.oscillators`, and which have settled."""
    constants: dict[str, Any] = dict.fromkeys(sorted(flags), True)
    if narrow > 1:
        constants |= {"LANES": narrow * tile.LANES, "TILE": narrow * tile.TILE}
    table = Tiles(len(block.x), narrow * tile.TILE, kind, tile.ROWS)
    _fill(table, block, element)
    kept = tile.KEPT * len(values) if "HISTORY" in flags else 1
    history = np.zeros((len(table.tiles), kept, narrow * tile.TILE), dtype=kind)
    kernel = compiled(settled(tile.oscillators, **constants))
    kernel(values, table.tiles, history)
    at_rest = None
    if block.settle is not None:

        def on(some: Tiles, steps: int) -> None:
            kernel(
                np.zeros(steps, dtype=kind), some.tiles, np.zeros((len(some.tiles), 1, history.shape[2]), dtype=kind)
            )

        at_rest = settle_oscillators(table, len(values), lambda *some: _swings(block, element, *some), on)
    return table, history.swapaxes(0, 1).reshape(kept, -1)[:, : len(block.x)].astype(float, copy=False), at_rest


def _swings(block: OscillatorBlock, element: BatchElement, table: Tiles, which: Array) -> Array:
    """Which of some oscillators swing by more than their share."""
    x, unit = block.x.chosen(which), element.unit[which]
    p = element.velocity[which] * x.mass * table[tile.Q]
    rest = rest_of_oscillators(x, 2 * unit * table[tile.U], p, unit * table[tile.SLIP])
    return np.asarray(~(rest.swing <= (block.settle or 0.0) * 2 * unit * table[tile.LARGEST]))


def _peaks(block: OscillatorBlock, values: Array, kind: Any, narrow: int, inside: bool) -> DisplacementPeaks:
    """The march of :mod:`hamex.march.peaks`, which sets up and reads off by itself."""
    constants: dict[str, Any] = {"INSIDE": True} if inside else {}
    tile_of = "TILE_INSIDE" if inside else "TILE"
    many = narrow * vector_bytes() // 32  # vectors of AVX2 that lie side by side in one
    width = many * getattr(peaks, tile_of)
    if many > 1:
        constants |= {"LANES": many * peaks.LANES, tile_of: width}
    x = block.x
    top, last = np.empty(len(x)), np.empty(len(x))
    given = (x.mass, x.damping, x.stiffness, x.yield_force, x.viscosity, block.push)
    load = np.append(values, kind.type(0))
    stretches = -(-len(values) // peaks.stretch_of(len(values))) if inside else 0
    lost = compiled(settled(peaks.largest, **constants))(
        *map(_plain, given),
        peak_factors(block.h),
        load,
        load[:-1] + load[1:],
        np.zeros((peaks.ROWS, width), dtype=kind),
        np.empty((peaks.KEPT * stretches, width), dtype=kind),
        top,
        last,
    )
    if lost:
        raise _overflow(block.first + lost - 1)
    return DisplacementPeaks(x, top, last)


def _plain(array: Array) -> Array:
    """An array as kernels are compiled for: contiguous and writeable."""
    return np.require(array, requirements=["C", "W"])


def _fill(table: Tiles, block: OscillatorBlock, element: BatchElement) -> None:
    table[tile.PUSH] = element.push * block.push
    for name, row in (("beta", tile.BETA), ("rho", tile.RHO), ("kappa", tile.KAPPA), ("mu", tile.MU)):
        table[row] = getattr(element, name)
    for name, row in (("beside", tile.BESIDE), ("limit", tile.LIMIT), ("shift", tile.SHIFT), ("grow", tile.GROW)):
        table[row] = getattr(element, name)
    table[tile.SHAKE] = block.shake * block.h / element.velocity
    if block.start is not None:
        _begin(table, block, element)


def _begin(table: Tiles, block: OscillatorBlock, element: BatchElement) -> None:
    """Put a start state into the tiles."""
    given, unit = block.start or {}, element.unit
    u, p, slip, back, accumulated = (given.get(name, np.zeros(len(unit))) for name in STATE)
    table[tile.U], table[tile.E] = u / (2 * unit), (u - slip) / unit
    table[tile.Q] = p / (block.x.mass * element.velocity)
    table[tile.LARGEST] = np.abs(table[tile.U])
    table[tile.SLIP], table[tile.BACK] = slip / unit, back / element.force
    table[tile.ACCUMULATED] = accumulated / unit
    table[tile.FASTEST] = np.abs(table[tile.Q])
