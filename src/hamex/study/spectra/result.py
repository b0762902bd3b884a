"""Spectrum: what a family of oscillators does at most, labelled by period and damping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.files import check_writable, write_atomically
from hamex.names import Shown
from hamex.solution.batch import axis_columns, write_columns
from hamex.solution.files import pairs, write_sheets
from hamex.solution.netcdf import write_dataset
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
