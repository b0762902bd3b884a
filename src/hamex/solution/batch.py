"""Result of a batch: one number per model, motion and scale for each measure; labelled, or as columns of a CSV text."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.names import Shown
from hamex.solution.outline import UnitNames, unit

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]


def axis_columns(axes: Mapping[str, Any]) -> dict[str, Array]:
    """The labels of every axis, repeated so that each combination is a row.

    >>> {name: column.tolist() for name, column in axis_columns({"a": [1, 2], "b": [3]}).items()}
    {'a': [1, 2], 'b': [3, 3]}
    """
    shape = tuple(len(labels) for labels in axes.values())
    return {
        name: np.broadcast_to(
            np.asarray(labels).reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape
        ).ravel()
        for axis, (name, labels) in enumerate(axes.items())
    }


def write_columns(file: TextIO, columns: Mapping[str, Array]) -> None:
    """A header and one row per entry; numbers with all their digits, text quoted where it must be."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def save_columns(path: Path, columns: Mapping[str, Array]) -> Path:
    """The same as a file of its own, atomically."""
    from hamex.files import write_atomically

    def write(part: Path) -> None:
        with part.open("w", encoding="utf-8", newline="") as file:
            write_columns(file, columns)

    return write_atomically(path, write)


@dataclass(frozen=True)
class Measure:
    """What a batch can report: kind of unit, place ("" for an oscillator as a whole), meaning."""

    kind: str
    place: str
    meaning: str


MEASURES = {
    "displacement": Measure("length", "floor", "largest displacement relative to the ground"),
    "velocity": Measure("velocity", "floor", "largest velocity relative to the ground"),
    "absolute_acceleration": Measure("acceleration", "floor", "largest mean acceleration of a step, ground included"),
    "force": Measure("force", "storey", "largest mean spring force of a step"),
    "drift": Measure("length", "storey", "largest deformation"),
    "ductility": Measure("one", "storey", "largest deformation over the deformation at first yield"),
    "slip": Measure("length", "storey", "largest slip"),
    "residual_slip": Measure("length", "storey", "slip at the end"),
    "residual_displacement": Measure("length", "floor", "displacement at the end"),
    "residual_drift": Measure("length", "storey", "deformation at the end"),
    "settled_displacement": Measure("length", "floor", "displacement at rest, if nothing slips once more"),
    "settled_drift": Measure("length", "storey", "deformation at rest, if nothing slips once more"),
    "swing": Measure("length", "storey", "how far the deformation may still swing about that at rest"),
    "plastic_work": Measure("energy", "storey", "energy that slip dissipated"),
    "input_work": Measure("energy", "", "work of the load on the relative motion"),
    "cycles": Measure("one", "storey", "half the number of excursions into slip"),
}
# Names of a state at the end or the start of a batch.
STATE = ("displacement", "momentum", "slip", "back_force", "accumulated_slip")
HISTORIES = {
    "displacement": Measure("length", "floor", "displacement relative to the ground"),
    "velocity": Measure("velocity", "floor", "velocity relative to the ground"),
    "slip": Measure("length", "storey", "slip"),
    "force": Measure("force", "storey", "mean spring force of a step"),
}


@dataclass(frozen=True, eq=False)
class Batch(Shown):
    """Result of :func:`hamex.batch`.

    ``result["ductility"]`` is a labelled array, ``result.values("ductility")`` the same as plain NumPy. Dimensions are
    (model, motion, scale), or (case,) for paired runs, then storey or floor for buildings.

    Attributes
    ----------
    measures : results by name.
    histories : histories by name where they were asked for: one dimension more, ``time`` or ``interval``.
    coordinates : labels by dimension.
    step : length of a step [s].
    steps : number of steps of each motion.
    final : displacement, momentum, slip, back_force and accumulated_slip at the end where they were asked for: the
        ``start`` of another batch.
    collapse : time at which each run passed the limit and ended [s], NaN where it did not; None where nothing limits
        runs. Measures are those up to there.
    settled : which runs came to rest, where they were to go on until they did.
    rounding : for float32, the largest deviation from float64 seen in a sample, by measure, relative to its largest
        value there.

    Examples
    --------
    >>> import hamex as hx
    >>> many = hx.oscillators(period=[0.5, 1.0], damping_ratio=0.05, yield_force=1.0)
    >>> found = hx.batch(many, hx.el_centro(), hx.Galerkin(0.02), ("ductility",), scales=[0.5, 1.0], g=9.80665)
    >>> found["ductility"].dims, found.values("ductility").shape
    (('model', 'motion', 'scale'), (2, 1, 2))
    """

    measures: Mapping[str, Array]
    dims: tuple[str, ...]
    coordinates: Mapping[str, Any]
    units: UnitNames
    step: float
    steps: tuple[int, ...]
    describe: Callable[[], dict[str, str]]
    histories: Mapping[str, Array] = field(default_factory=dict)
    final: Mapping[str, Array] | None = None
    rounding: Mapping[str, float] = field(default_factory=dict)
    storeys: int = 0
    collapse: Array | None = None
    settled: Array | None = None

    def __repr__(self) -> str:
        size = " × ".join(f"{len(self.coordinates[dim])} {dim}s" for dim in self.dims)
        return f"<Batch: {size}, {', '.join(self.measures)}>"

    @property
    def collapsed(self) -> Array:
        """Which runs passed the limit."""
        cases = tuple(len(self.coordinates[dim]) for dim in self.dims)
        return np.zeros(cases, dtype=bool) if self.collapse is None else np.isfinite(self.collapse)

    @property
    def names(self) -> tuple[str, ...]:
        """Measures at hand."""
        return tuple(self.measures)

    def values(self, name: str) -> Array:
        """A measure as a plain array."""
        if name not in self.measures:
            raise InputError(f"the batch holds no {name!r}; it has {', '.join(self.measures)}")
        return self.measures[name]

    def history(self, name: str) -> Array:
        """A history as a plain array, time last."""
        if name not in self.histories:
            raise InputError(f"the batch holds no history {name!r}; ask for it with histories=({name!r},)")
        return self.histories[name]

    def __getitem__(self, name: str) -> xr.DataArray:
        """A measure as a labelled array."""
        import xarray as xr

        values = self.values(name)
        dims = self._dims(name)
        coordinates = {dim: self.coordinates[dim] for dim in dims if dim in self.coordinates}
        return xr.DataArray(values, dims=dims, coords=coordinates, name=name, attrs=self._attributes(name))

    def _dims(self, name: str) -> tuple[str, ...]:
        return (*self.dims, MEASURES[name].place) if self.values(name).ndim > len(self.dims) else self.dims

    def _attributes(self, name: str) -> dict[str, Any]:
        found = MEASURES[name]
        words: dict[str, Any] = {
            "units": unit(found.kind, self.units.length, self.units.force),
            "long_name": found.meaning,
        }
        return words | ({"rounding": self.rounding[name]} if name in self.rounding else {})

    @property
    def dataset(self) -> xr.Dataset:
        """All measures in one labelled dataset."""
        import xarray as xr

        return xr.Dataset({name: self[name] for name in self.measures}, attrs=self.provenance)

    @cached_property
    def provenance(self) -> dict[str, str]:
        """Version, scheme and hash of everything that entered."""
        return self.describe()

    def save(self, path: str | Path) -> Path:
        """Write ``.nc`` (NetCDF), ``.csv`` or ``.xlsx`` (Excel; one row per case), atomically."""
        from hamex.files import check_writable, write_atomically
        from hamex.solution.containers import write_dataset
        from hamex.solution.files import pairs, write_sheets

        target = Path(path)
        check_writable(target)
        if target.suffix.lower() == ".nc":
            return write_atomically(target, lambda part: write_dataset(part, self.dataset))
        if target.suffix.lower() == ".xlsx":
            units = {name: f" [{self._attributes(name)['units']}]" for name in self.measures}
            return write_sheets(target, {"cases": self._columns(units), "about": pairs(self.provenance)})
        return save_columns(target, self._columns({}))

    def _columns(self, units: Mapping[str, str]) -> dict[str, Array]:
        """One row per case; ``units`` stand behind the names of measures."""
        columns = axis_columns({dim: self.coordinates[dim] for dim in self.dims})
        cases = len(columns[self.dims[0]])
        for name, values in self.measures.items():
            flat = values.reshape(cases, -1)
            for i in range(flat.shape[1]):
                columns[(name if flat.shape[1] == 1 else f"{name} {i + 1}") + units.get(name, "")] = flat[:, i]
        return columns
