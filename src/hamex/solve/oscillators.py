"""Batches of oscillators: blocks of tiles through the compiled kernel, measures out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError
from hamex.march import oscillators as tile
from hamex.march import peaks
from hamex.march.lanes import padded
from hamex.march.run import compiled, settled
from hamex.model.oscillators import Oscillators
from hamex.schemes.oscillators import BatchElement, batch_element, peak_factors
from hamex.solution.batch import STATE

Array = NDArray[Any]

# What the kernel must do for a measure, beyond the peak displacement that it always keeps.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "displacement": (),
    "ductility": (),
    "residual_displacement": (),
    "residual_slip": ("SLIPS",),
    "velocity": ("RATES",),
    "absolute_acceleration": ("RATES",),
    "force": ("FORCES",),
    "plastic_work": ("WORK",),
    "input_work": ("WORK",),
    "cycles": ("CYCLES",),
}


@dataclass(frozen=True, eq=False)
class Block:
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
    """

    x: Oscillators
    first: int
    values: Array
    push: Array
    shake: Array
    h: float
    start: Mapping[str, Array] | None = None


@dataclass(frozen=True, eq=False)
class Marched:
    """Tables after the march, (row, oscillator), and what their numbers mean."""

    block: Block
    element: BatchElement
    rows: _Tiles
    history: Array

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
class Peaks:
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


def kinds(x: Oscillators) -> Array:
    """Which kernel each oscillator needs, by itself and not by its neighbours: 1 a limit that is zero or moves, 2
    stiffness outside the spring, 3 both, 0 neither."""
    if x.yield_force.min() > 0 and not (x.kinematic.any() or x.isotropic.any() or x.geometric.any()):
        return np.zeros(len(x), dtype=np.uint8)  # as nearly always, and quickly seen
    limited = (x.kinematic > 0) | (x.isotropic > 0) | (x.yield_force == 0)
    return limited.astype(np.uint8) + 2 * (x.geometric != 0).astype(np.uint8)


def flags_of(kind: int) -> frozenset[str]:
    """Flags of :mod:`hamex.march.oscillators` for a kind."""
    return frozenset(name for bit, name in ((1, "LIMITS"), (2, "SOFTENS")) if kind & bit)


def march_oscillators(block: Block, flags: frozenset[str], dtype: Any = np.float64) -> Marched | Peaks:
    """March a block of one kind; ``flags`` are those of :mod:`hamex.march.oscillators`; with none, peaks only."""
    kind = np.dtype(dtype)
    narrow = 1 if kind == np.float64 else 2  # numbers of half the size go twice as many to a vector
    values = block.values.astype(kind, copy=False)
    if not flags and block.start is None:
        return _peaks(block, values, kind, narrow)
    element = batch_element(block.x, block.h, block.first)
    with np.errstate(over="ignore"):
        table, history = _marched(block, element, values, flags, kind, narrow)
    lost = ~np.isfinite(table[tile.U]) | ~np.isfinite(table[tile.Q])
    if lost.any():
        raise _overflow(block.first + int(lost.argmax()))
    return Marched(block, element, table, history)


def _overflow(number: int) -> OverflowRunError:
    return OverflowRunError(
        f"batch: the numbers of model {number} are not finite at the end of the run; loads and "
        "units are out of proportion, or it collapsed and ran away: then end the run earlier"
    )


def _marched(
    block: Block, element: BatchElement, values: Array, flags: frozenset[str], kind: Any, narrow: int
) -> tuple[_Tiles, Array]:
    """The tables and the history after the march of :mod:`hamex.march.oscillators`."""
    constants: dict[str, Any] = dict.fromkeys(sorted(flags), True)
    if narrow > 1:
        constants |= {"LANES": narrow * tile.LANES, "TILE": narrow * tile.TILE}
    table = _Tiles(len(block.x), narrow * tile.TILE, kind, tile.ROWS)
    _fill(table, block, element)
    kept = tile.KEPT * len(values) if "HISTORY" in flags else 1
    history = np.zeros((len(table.tiles), kept, narrow * tile.TILE), dtype=kind)
    compiled(settled(tile.oscillators, **constants))(values, table.tiles, history)
    return table, history.swapaxes(0, 1).reshape(kept, -1)[:, : len(block.x)].astype(float, copy=False)


def _peaks(block: Block, values: Array, kind: Any, narrow: int) -> Peaks:
    """The march of :mod:`hamex.march.peaks`, which sets up and reads off by itself."""
    constants = {"LANES": narrow * peaks.LANES, "TILE": narrow * peaks.TILE} if narrow > 1 else {}
    x, count = block.x, len(block.x)
    tiles = _Tiles(count, narrow * peaks.TILE, kind, peaks.ROWS).tiles
    unit, top, last = (np.empty(count) for _ in range(3))
    given = (x.mass, x.damping, x.stiffness, x.yield_force, x.viscosity, block.push)
    compiled(peaks.begin)(*map(_plain, given), peak_factors(block.h), float(values[0]), tiles, unit)
    pairs = values.copy()
    pairs[:-1] += values[1:]
    compiled(settled(peaks.largest, **constants))(pairs, tiles)
    lost = compiled(peaks.end)(tiles, unit, top, last)
    if lost:
        raise _overflow(block.first + lost - 1)
    return Peaks(x, top, last)


def _plain(array: Array) -> Array:
    """An array as kernels are compiled for: contiguous and writeable."""
    return np.require(array, requirements=["C", "W"])


class _Tiles:
    """A table of rows over oscillators that lies in memory tile by tile; padding is zero and stays so."""

    def __init__(self, count: int, width: int, kind: Any, rows: int) -> None:
        self.count, self.whole = count, count // width
        self.tiles = np.zeros((padded(count, width) // width, rows, width), dtype=kind)

    def __getitem__(self, row: int) -> Array:
        return self.tiles[:, row].reshape(-1)[: self.count].astype(float, copy=False)

    def __setitem__(self, row: int, values: Array) -> None:
        whole, width = self.whole, self.tiles.shape[2]
        self.tiles[:whole, row] = values[: whole * width].reshape(whole, width)
        if whole < len(self.tiles):
            self.tiles[whole, row, : self.count - whole * width] = values[whole * width :]


def _fill(table: _Tiles, block: Block, element: BatchElement) -> None:
    table[tile.PUSH] = element.push * block.push
    for name, row in (("beta", tile.BETA), ("rho", tile.RHO), ("kappa", tile.KAPPA), ("mu", tile.MU)):
        table[row] = getattr(element, name)
    for name, row in (("beside", tile.BESIDE), ("limit", tile.LIMIT), ("shift", tile.SHIFT), ("grow", tile.GROW)):
        table[row] = getattr(element, name)
    table[tile.SHAKE] = block.shake * block.h / element.velocity
    if block.start is not None:
        _begin(table, block, element)


def _begin(table: _Tiles, block: Block, element: BatchElement) -> None:
    """Put a start state into the tiles."""
    given, unit = block.start or {}, element.unit
    u, p, slip, back, accumulated = (given.get(name, np.zeros(len(unit))) for name in STATE)
    table[tile.U], table[tile.E] = u / (2 * unit), (u - slip) / unit
    table[tile.Q] = p / (block.x.mass * element.velocity)
    table[tile.LARGEST] = np.abs(table[tile.U])
    table[tile.SLIP], table[tile.BACK] = slip / unit, back / element.force
    table[tile.ACCUMULATED] = accumulated / unit
    table[tile.FASTEST] = np.abs(table[tile.Q])
