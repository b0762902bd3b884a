"""Spectrum: what a family of oscillators does at most, labelled by period and damping; and that of elastic ones, of one
component, or of two whatever their orientation (RotD00, RotD50, RotD100, geometric mean).

Motions become samples in length/s², with the zero sample at the end and what lies between; the compiled kernels are fed
block by block and only with what is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError, OverflowRunError
from hamex.files import check_writable, write_atomically
from hamex.march import rotated
from hamex.march import spectrum as kernels
from hamex.march.lanes import padded
from hamex.march.run import compiled, in_threads, processors, settled, worth_compiling
from hamex.march.samples import input_energy
from hamex.model.units import in_gravities
from hamex.motion.ground import GroundMotion
from hamex.names import Shown
from hamex.solution.batch import axis_columns, write_columns
from hamex.solution.containers import write_dataset
from hamex.solution.files import pairs, write_sheets
from hamex.solution.outline import unit

if TYPE_CHECKING:
    import xarray as xr


Array = NDArray[Any]

AXES = {"period": ("s", "natural period of the undamped oscillator"), "damping": ("1", "damping ratio, of critical")}


class Quantity(NamedTuple):
    """The kind of a result's unit, what it is, and its dimensions where they are not those of the spectrum."""

    kind: str
    meaning: str
    dims: tuple[str, ...] | None = None


class Family(Protocol):
    """Oscillators under motions: what a spectrum is computed from."""

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """What can be computed."""

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name; ``known`` gives others that it may rest on."""


@dataclass(frozen=True, eq=False)
class Spectrum(Shown):
    """Result of :func:`hamex.spectrum`.

    ``spec["pseudo_acceleration"]`` is a labelled array with dims (damping, period), ``spec.values(...)`` the same as
    plain NumPy. A list of motions adds the dimension motion in front, two components the dimension combination; nothing
    is ever squeezed. What was not asked for beforehand is computed when first asked for.

    Attributes
    ----------
    coordinates : labels by dimension, in the order of the dimensions.
    family : the oscillators and their motions, which compute results by name.
    length : unit of length of all numbers.
    attributes : the conventions behind the numbers, the motion's source, g and the version that computed them.

    Examples
    --------
    >>> import hamex as hx
    >>> spec = hx.spectrum(hx.el_centro(), [0.2, 1.0], damping=[0.02, 0.05], g=9.80665)
    >>> spec["displacement"].sel(damping=0.05, period=1.0).round(4).item(), spec.unit("displacement")
    (0.113, 'length')
    """

    coordinates: Mapping[str, Array]
    family: Family
    length: str
    attributes: Mapping[str, str | float]
    _found: dict[str, Array] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        size = ", ".join(f"{dim} {len(labels)}" for dim, labels in self.coordinates.items())
        return f"<Spectrum: {size}; {', '.join(self.names)}>"

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """What each result is, by name."""
        return self.family.quantities

    @property
    def names(self) -> tuple[str, ...]:
        """Results at hand."""
        return tuple(self.quantities)

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimensions of the results, in order."""
        return tuple(self.coordinates)

    @property
    def periods(self) -> Array:
        """Natural periods [s]."""
        return self.coordinates["period"]

    def values(self, name: str) -> Array:
        """A result as a plain array that cannot be written to."""
        if name not in self.quantities:
            raise InputError(f"the spectrum holds no {name!r}; it has {', '.join(self.quantities)}")
        if name not in self._found:
            found = self.family.compute(name, self.values)
            found.setflags(write=False)
            self._found[name] = found
        return self._found[name]

    def __getitem__(self, name: str) -> xr.DataArray:
        """A result as a labelled array."""
        import xarray as xr

        values = self.values(name)
        dims = self._dims(name)
        words = {"units": self.unit(name), "long_name": self.quantities[name].meaning}
        return xr.DataArray(values, dims=dims, coords={dim: self._axis(dim) for dim in dims}, name=name, attrs=words)

    def _dims(self, name: str) -> tuple[str, ...]:
        own = self.quantities[name].dims
        return self.dims if own is None else own

    def _axis(self, dim: str) -> xr.Variable:
        import xarray as xr

        units, meaning = AXES.get(dim, ("", ""))
        return xr.Variable((dim,), self.coordinates[dim], {"units": units, "long_name": meaning} if meaning else None)

    def unit(self, name: str) -> str:
        """Unit of a result."""
        kind = self.quantities[name].kind
        return f"{self.length}²/s²" if kind == "energy_per_mass" else unit(kind, self.length, "force")

    @property
    def dataset(self) -> xr.Dataset:
        """All results in one labelled dataset, with the conventions as its attributes."""
        import xarray as xr

        return xr.Dataset({name: self[name] for name in self.quantities}, attrs=dict(self.attributes))

    def save(self, path: str | Path) -> Path:
        """Write ``.nc`` (NetCDF), ``.csv`` (one row per point, conventions in front) or ``.xlsx`` (Excel, these on
        a sheet of their own), whole or not at all."""
        target = Path(path)
        check_writable(target)
        if target.suffix.lower() == ".nc":
            return write_atomically(target, lambda part: write_dataset(part, self.dataset))
        if target.suffix.lower() == ".xlsx":
            return write_sheets(target, {"spectra": self._columns(), "conventions": pairs(self.attributes)})
        return write_atomically(target, self._write_csv)

    def _columns(self) -> dict[str, Array]:
        units = {dim: AXES.get(dim, ("",))[0] for dim in self.dims}
        columns = axis_columns(
            {f"{dim} [{units[dim]}]" if units[dim] else dim: labels for dim, labels in self.coordinates.items()}
        )
        shape = tuple(len(labels) for labels in self.coordinates.values())
        for name in self.quantities:
            own = self._dims(name)
            spread = self.values(name).reshape([len(self.coordinates[dim]) if dim in own else 1 for dim in self.dims])
            columns[f"{name} [{self.unit(name)}]"] = np.broadcast_to(spread, shape).ravel()
        return columns

    def _write_csv(self, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            for key, value in self.attributes.items():
                file.write(f"# {key}: {value}\n".replace("\n", " ").rstrip() + "\n")
            write_columns(file, self._columns())


FINER = 32  # samples to one of the record's: what is left of linear interpolation is 0.1 % at Nyquist

INTERPOLATIONS = {
    "linear": "linear between samples; one zero sample follows the last",
    "band-limited": f"band-limited: {FINER} samples to one of the record's by Fourier series of the record and as many "
    "zeros at least, linear between these; cut to the record and the zero sample that follows it",
}

MOST_PARTS = 4096  # of a step, for the shortest period let in
SHORTEST = {"inside": kernels.FINEST / MOST_PARTS, "samples": 1e-6}  # period over step
_BLOCK = 64  # oscillators of a task, at least
_WORK = 3  # a sample of an oscillator, or a part of one, in units of an oscillator's step: for the choice to compile
_WORTH_THREADS = 20_000_000  # oscillator-steps; below, starting threads costs more than they save

QUANTITIES = {
    "displacement": Quantity("length", "largest displacement relative to the ground, Sd"),
    "pseudo_velocity": Quantity("velocity", "pseudo-velocity ω Sd"),
    "pseudo_acceleration": Quantity("acceleration", "pseudo-acceleration ω² Sd"),
    "velocity": Quantity("velocity", "largest velocity relative to the ground"),
    "absolute_acceleration": Quantity("acceleration", "largest acceleration with that of the ground"),
    "input_energy": Quantity(
        "energy_per_mass", "work of the ground on the relative motion, −∫ a u̇ dt per unit mass, to the record's end"
    ),
}
KINDS = {
    "displacement": kernels.DISPLACEMENT,
    "velocity": kernels.VELOCITY,
    "absolute_acceleration": kernels.ABSOLUTE_ACCELERATION,
}
PSEUDO = {"pseudo_velocity": 1, "pseudo_acceleration": 2}

PEAKS = {
    "inside": "largest value at any time, inside the steps to round-off, and in the free vibration after the record",
    "samples": "largest value at the samples of the record",
}
PARTS = {
    "inside": f"steps are cut into the least power of two of parts that are at most T/{kernels.FINEST:g} long; this "
    "serves the search for peaks only, the motion is exact for any step",
    "samples": "none; the motion is exact for any step",
}

DIRECTIONS = 180  # one degree apart; the other half circle is the same with another sign
COMBINATIONS = ("RotD00", "RotD50", "RotD100", "geometric mean")
MEANING = (
    f"RotDnn: of the peaks in {DIRECTIONS} directions one degree apart, the least, the median and the largest, "
    "for each oscillator by itself; geometric mean: of the peaks of the two components as given"
)


class Accelerogram(NamedTuple):
    """Accelerations that end with a zero, linear in between, and their step [s]."""

    a: Array
    step: float


def accelerogram(motion: GroundMotion, g: float, interpolation: str, samples: int = 0) -> Accelerogram:
    """The motion times g, followed by zeros to ``samples`` and one more."""
    count = max(samples, motion.acceleration.size)
    a = np.zeros(count + 1)
    np.multiply(motion.acceleration, in_gravities(motion.unit) * g, out=a[: motion.acceleration.size])
    return Accelerogram(a, motion.step) if interpolation == "linear" else finer(Accelerogram(a, motion.step))


def finer(given: Accelerogram) -> Accelerogram:
    """The same record with :data:`FINER` times its samples, from its Fourier series.

    Zeros behind it, as many as it has samples or more, keep its end from ringing into its beginning.
    """
    count = given.a.size
    long = 1 << (2 * count - 1).bit_length()
    parts = np.fft.rfft(given.a, long)
    parts[-1] *= 0.5  # the Nyquist term stands for two when it is no longer the last
    dense = FINER * np.fft.irfft(parts, FINER * long)[: FINER * (count - 1) + 1]
    dense[::FINER] = given.a  # round-off only
    return Accelerogram(dense, given.step / FINER)


@dataclass(frozen=True, eq=False)
class Elastic:
    """Everything that the spectra of some motions come from.

    Attributes
    ----------
    records : one per motion.
    several : whether results have the dimension motion.
    omega, zeta : circular frequency [1/s] and damping ratio, (damping, period).
    peaks : "inside" or "samples".
    threads : number of threads; None for as many as pay.
    """

    records: tuple[Accelerogram, ...]
    several: bool
    omega: Array
    zeta: Array
    peaks: str
    threads: int | None

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What can be computed."""
        return QUANTITIES

    @cached_property
    def compiles(self) -> bool:
        """Whether kernels run compiled; decided once for all records and threads."""
        work = 0.0
        for record in self.records:
            parts = np.maximum(kernels.FINEST * self.omega * record.step / math.pi, 1.0)
            work += _WORK * record.a.size * float(parts.sum())
        return worth_compiling(work, settled(kernels.peaks, INSIDE=self.peaks == "inside"))

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name, (motion?, damping, period); ``known`` gives others."""
        if name in PSEUDO:
            return self.omega ** PSEUDO[name] * known("displacement")
        omega, zeta = self.omega.ravel(), self.zeta.ravel()

        def go(task: tuple[int, slice]) -> Array:
            number, part = task
            given = (self.records[number], omega[part], zeta[part])
            if name == "input_energy":
                return _energies(*given, self.compiles)
            return peaks(*given, KINDS[name], self.peaks, self.compiles)

        threads, chosen = tasks([record.a.size for record in self.records], omega.size, self.threads)
        found = in_threads(go, chosen, threads)
        out = found[0] if len(found) == 1 else np.concatenate(found)
        _check_finite(name, out)
        return out.reshape((len(self.records), *self.omega.shape) if self.several else self.omega.shape)


def _check_finite(name: str, found: Array) -> None:
    if not np.isfinite(found).all():
        raise OverflowRunError(
            f"spectrum: the {name.replace('_', ' ')} is beyond what numbers hold; check the unit of the motion and g"
        )


def peaks(record: Accelerogram, omega: Array, zeta: Array, kind: int, where: str, compiles: bool = True) -> Array:
    """Largest |q| of each oscillator."""
    out = np.empty(omega.size)
    kernel = settled(kernels.peaks, INSIDE=where == "inside")
    run = compiled(kernel) if compiles else kernel
    run(record.a, record.step, omega, zeta, kind, out)
    return out


def _energies(record: Accelerogram, omega: Array, zeta: Array, compiles: bool) -> Array:
    out = np.empty(omega.size)
    run = compiled(input_energy) if compiles else input_energy
    run(record.a, record.step, omega, zeta, out)
    return out


def tasks(samples: list[int], oscillators: int, threads: int | None) -> tuple[int, list[tuple[int, slice]]]:
    """Threads to use, and (motion, oscillators) to hand out to them; results do not depend on either."""
    if threads is None:
        threads = processors() if sum(samples) * oscillators > _WORTH_THREADS else 1
    size = oscillators if threads == 1 else max(_BLOCK, -(-oscillators // (4 * threads)))
    return threads, [
        (number, slice(begin, begin + size)) for number in range(len(samples)) for begin in range(0, oscillators, size)
    ]


@dataclass(frozen=True, eq=False)
class Rotated:
    """Everything that the spectra of pairs of components come from; attributes as for :class:`Elastic`."""

    pairs: tuple[tuple[Accelerogram, Accelerogram], ...]
    several: bool
    omega: Array
    zeta: Array
    peaks: str
    threads: int | None

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What can be computed."""
        return {name: quantity for name, quantity in QUANTITIES.items() if name in KINDS or name in PSEUDO}

    def compute(self, name: str, known: Callable[[str], Array]) -> Array:
        """A result by name, (motion?, combination, damping, period); ``known`` gives others."""
        if name in PSEUDO:
            return self.omega ** PSEUDO[name] * known("displacement")
        omega, zeta = self.omega.ravel(), self.zeta.ravel()

        def go(task: tuple[int, slice]) -> Array:
            number, part = task
            return combinations_of(
                all_directions(*self.pairs[number], omega[part], zeta[part], KINDS[name], self.peaks)
            )

        samples = [DIRECTIONS * x.a.size for x, _ in self.pairs]
        threads, chosen = tasks(samples, omega.size, self.threads)
        found = np.concatenate(in_threads(go, chosen, threads), axis=1)
        _check_finite(name, found)
        out = found.reshape((len(COMBINATIONS), len(self.pairs), *self.omega.shape))
        return np.ascontiguousarray(out.swapaxes(0, 1)) if self.several else out[:, 0]


def combinations_of(peaks: Array) -> Array:
    """The combinations of the peaks (oscillator, direction)."""
    ordered = np.sort(peaks, axis=1)
    half = DIRECTIONS // 2
    median = 0.5 * (ordered[:, half - 1] + ordered[:, half])
    return np.stack([ordered[:, 0], median, ordered[:, -1], np.sqrt(peaks[:, 0] * peaks[:, half])])


def all_directions(
    x: Accelerogram, y: Accelerogram, omega: Array, zeta: Array, kind: int, where: str = "inside"
) -> Array:
    """Largest |q| of each oscillator in each direction, the first component being at 0°."""
    out = np.empty((omega.size, padded(DIRECTIONS, kernels.LANES)))
    kernel = compiled(settled(rotated.rotated, INSIDE=where == "inside"))
    kernel(x.a, y.a, x.step, omega, zeta, kind, _directions().copy(), out)
    return out[:, :DIRECTIONS]


@cache
def _directions() -> Array:
    """Cosines and sines, exact at 0° and 90°; the last direction again where lanes are left over."""
    table = np.zeros((rotated.LEAST + 1, padded(DIRECTIONS, kernels.LANES)))
    for place in range(table.shape[1]):
        degree = 180 * min(place, DIRECTIONS - 1) / DIRECTIONS
        table[rotated.COS, place] = math.sin(math.radians(90 - degree))
        table[rotated.SIN, place] = math.sin(math.radians(degree))
    return table
