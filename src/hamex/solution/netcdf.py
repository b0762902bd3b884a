"""Groups of named arrays as a NetCDF-4 file and back, with one handle on the file: many small arrays cost little.

What stands in the file is what xarray would write: dimensions as scales, a fill value for floats, yes and no as bytes.
Behind it, where HDF5 does not look, stands the checksum. The properties say so: a file that was changed in place has
lost it and is known; one that another program wrote anew has neither.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.files import ROOM, is_whole, stamped

if TYPE_CHECKING:
    import h5py
    import xarray as xr

Array = NDArray[Any]
_SIGN = "checksum=sha256"
NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable."


@dataclass(frozen=True)
class FileVariable:
    """An array, the names of its dimensions, and words on it."""

    dims: tuple[str, ...]
    values: Array
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FileGroup:
    """What one group of a file is written from."""

    variables: Mapping[str, FileVariable]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents:
    """What was read of one group: arrays by name, and which of these are coordinates."""

    values: Mapping[str, Array]
    coordinates: frozenset[str]
    attributes: Mapping[str, Any]


def group_of(dataset: xr.Dataset) -> FileGroup:
    """A labelled dataset; coordinates that are no dimension are named at each result that has them."""
    beside = {str(name): set(dataset[name].dims) for name in dataset.coords if name not in dataset.dims}
    found = {}
    for name, variable in dataset.variables.items():
        words = dict(variable.attrs)
        if name not in dataset.coords:
            theirs = sorted(each for each, dims in beside.items() if dims <= set(variable.dims))
            words |= {"coordinates": " ".join(theirs)} if theirs else {}
        found[str(name)] = FileVariable(tuple(str(dim) for dim in variable.dims), variable.values, words)
    return FileGroup(found, dataset.attrs)


def write_dataset(path: Path, dataset: xr.Dataset) -> None:
    """A labelled dataset as a new file."""
    path.write_bytes(image({"": group_of(dataset)}))


def image(groups: Mapping[str, FileGroup]) -> bytes:
    """A new file; the results stand under "", and the groups by their names.

    Made in memory: HDF5 that meets a full disk as it closes a file takes the process along.
    """
    import h5py

    made = f"version=2,hamex={__version__},hdf5={h5py.version.hdf5_version},h5py={h5py.__version__},{_SIGN}"
    content = io.BytesIO()
    with h5py.File(content, "w", track_order=True) as file:
        file.attrs["_NCProperties"] = np.bytes_(made)
        count = 0
        for name, group in groups.items():
            place = file.create_group(name, track_order=True) if name else file
            count = _write_group(place, group, count)
    content.seek(0, io.SEEK_END)
    content.write(f"\n{ROOM}\n".encode())
    return stamped(content.getvalue())


def _write_group(place: h5py.Group, group: FileGroup, count: int) -> int:
    """Number of the dimensions so far, and with those of this group."""
    sizes: dict[str, int] = {}
    for variable in group.variables.values():
        sizes |= dict(zip(variable.dims, variable.values.shape, strict=True))
    numbers = {dim: count + number for number, dim in enumerate(sizes)}
    made = {}
    for dim, size in sizes.items():
        if dim not in group.variables:
            made[dim] = place.create_dataset(dim, (size,), ">f4", maxshape=None if size else (None,), track_order=True)
    for name, variable in group.variables.items():
        made[name] = _create(place, name, variable)
    for dim in sizes:
        scale = made[dim]
        scale.attrs["_Netcdf4Dimid"] = np.int32(numbers[dim])
        scale.make_scale(dim if dim in group.variables else f"{NO_VARIABLE}{sizes[dim]:10}")
    for name, variable in group.variables.items():
        target = made[name]
        if variable.dims and name not in sizes:
            for axis, dim in enumerate(variable.dims):
                target.dims[axis].attach_scale(made[dim])
            target.attrs["_Netcdf4Dimid"] = np.int32(numbers[variable.dims[0]])
        if variable.dims:
            target.attrs["_Netcdf4Coordinates"] = np.array([numbers[dim] for dim in variable.dims], dtype=np.int32)
        if variable.values.dtype.kind == "f":
            target.attrs["_FillValue"] = np.array([np.nan], dtype=variable.values.dtype)
        _describe(target, variable.attributes)
        if variable.values.dtype.kind == "b":
            target.attrs["dtype"] = "bool"
    _describe(place, group.attributes)
    return count + len(sizes)


def _create(place: h5py.Group, name: str, variable: FileVariable) -> h5py.Dataset:
    import h5py

    values = variable.values
    kind = values.dtype.kind
    dtype: Any = {"b": np.dtype("i1"), "U": h5py.string_dtype(), "O": h5py.string_dtype()}.get(kind, values.dtype)
    # A dimension without a size may grow, as NetCDF reads it.
    grows = {"maxshape": tuple(size or None for size in values.shape)} if 0 in values.shape else {}
    return place.create_dataset(
        name,
        values.shape,
        dtype,
        values.astype(object) if kind == "U" else values.astype(dtype, copy=False),
        fillvalue=np.nan if kind == "f" else None,
        track_order=True,
        **grows,
    )


def _describe(target: h5py.Group | h5py.Dataset, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        target.attrs[name] = value if isinstance(value, str) else np.atleast_1d(value)


def is_damaged(path: Path) -> bool:
    """Whether a file does not match its checksum, or has lost it; one of before there were any is not damaged."""
    content = path.read_bytes()
    whole = is_whole(content)
    return _SIGN.encode() in content if whole is None else not whole


def read(path: Path) -> dict[str, Contents]:
    """The results under "", the groups by their names."""
    import h5py

    with h5py.File(path, "r") as file:
        found = {"": _read_group(file)}
        return found | {name: _read_group(each) for name, each in file.items() if isinstance(each, h5py.Group)}


def _read_group(place: h5py.Group) -> Contents:
    import h5py

    values, coordinates = {}, set[str]()
    for name, each in place.items():
        if not isinstance(each, h5py.Dataset):
            continue
        words = each.attrs
        if h5py.h5ds.is_scale(each.id):
            if h5py.h5ds.get_scale_name(each.id).startswith(NO_VARIABLE.encode()):
                continue
            coordinates.add(name)
        elif "coordinates" in words:
            coordinates |= set(_word(words["coordinates"]).split())
        values[name] = _values(each)
    return Contents(values, frozenset(coordinates), {name: _word(value) for name, value in place.attrs.items()})


def _values(data: h5py.Dataset) -> Array:
    import h5py

    if h5py.check_string_dtype(data.dtype):
        return np.asarray(data.asstr()[()], dtype=object)
    found = np.asarray(data[()])
    return found.astype(bool) if found.dtype == np.int8 and _word(data.attrs.get("dtype", "")) == "bool" else found


def _word(value: Any) -> Any:
    """An attribute as it was given: text, or a number."""
    if isinstance(value, bytes):
        return value.decode()
    return value[0] if isinstance(value, np.ndarray) and value.shape == (1,) else value
