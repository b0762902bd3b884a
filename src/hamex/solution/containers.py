"""Files that hold arrays for other programs: NetCDF-4, and series that ParaView opens.

Groups of named arrays as a NetCDF-4 file and back, with one handle on the file: many small arrays cost little.

What stands in the file is what xarray would write: dimensions as scales, a fill value for floats, yes and no as bytes.
Behind it, where HDF5 does not look, stands the checksum. The properties say so: a file that was changed in place has
lost it and is known; one that another program wrote anew has neither.

Series of files that ParaView opens: one .vtu an instant in a folder, and a .pvd that tells their times.

The folder is written whole under another name and put in place last, so that a series is never half old, half new.

Nodes of cells of degree 2 stand in VTK's own order, that of vtkQuadraticTriangle, vtkBiQuadraticQuad, vtkQuadraticTetra
and vtkTriQuadraticHexahedron, written as places in the reference cell: those of scikit-fem are found by coordinates.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.errors import FileError, MissingPackageError
from hamex.files import ROOM, is_whole, stamped, write_atomically
from hamex.model.solids.body import Body
from hamex.model.solids.skin import equivalent_strain, tensor, von_mises
from hamex.solution.fields import Times, at_points, body_of, nearest, nodal
from hamex.solution.outline import Answers

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


_NAMES = {("tri", 1): "triangle", ("quad", 1): "quad", ("tet", 1): "tetra", ("hex", 1): "hexahedron"}
_NAMES |= {("tri", 2): "triangle6", ("quad", 2): "quad9", ("tet", 2): "tetra10", ("hex", 2): "hexahedron27"}
_SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
_CORNERS: dict[str, list[tuple[int, ...]]] = {
    "tri": [(0, 0), (1, 0), (0, 1)],
    "quad": [*_SQUARE],
    "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "hex": [(*corner, z) for z in (0, 1) for corner in _SQUARE],
}
# Corners between which the further nodes of degree 2 lie: sides, then faces, then the middle.
_RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
_BETWEEN: dict[str, list[tuple[int, ...]]] = {
    "tri": [(0, 1), (1, 2), (2, 0)],
    "quad": [*_RING, (0, 1, 2, 3)],
    "tet": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
    "hex": [
        *_RING,
        *((a + 4, b + 4) for a, b in _RING),
        *((a, a + 4) for a in range(4)),
        *((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7)),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ],
}


def spots(cell: str, degree: int) -> Array:
    """(node, dimension): nodes of VTK's reference cell, in its order.

    >>> spots("tri", 2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]]
    """
    corners = np.array(_CORNERS[cell], dtype=float)
    if degree == 1:
        return corners
    return np.vstack([corners, *(corners[list(some)].mean(axis=0) for some in _BETWEEN[cell])])


def cells_of(body: Body) -> Array:
    """(cell, node), nodes of the cells in VTK's order; cells that scikit-fem turns inside out are turned back."""
    elements = body.elements
    own, theirs = elements.element.doflocs, spots(body.cell, body.degree)
    found = elements.nodes[:, _places(own, theirs)]
    middle = own.mean(axis=0)[:, None]
    inverted = np.asarray(elements.mapping.detDF(middle)).ravel() < 0
    swapped = theirs.copy()
    swapped[:, :2] = theirs[:, 1::-1]  # every reference cell is its own image when x and y change places
    found[inverted] = elements.nodes[inverted][:, _places(own, swapped)]
    return found


def _places(own: Array, theirs: Array) -> Array:
    """Which of our nodes of the reference cell each of theirs is."""
    return np.asarray(np.abs(own[None] - theirs[:, None]).max(axis=2).argmin(axis=1))


def check_meshio() -> None:
    """Refuse to start without the package that writes."""
    try:
        import meshio  # noqa: F401
    except ImportError:
        raise MissingPackageError("files of VTK need meshio: pip install 'hamex[fem]'") from None


def write_vtu(path: Path, body: Body, cells: Array, points: Mapping[str, Array], means: Mapping[str, Array]) -> None:
    """Write a body with values at its nodes and means of its cells, packed; ``cells`` are those of :func:`cells_of`."""
    import meshio

    places = np.zeros((len(body.nodes), 3))
    places[:, : body.dimension] = body.nodes
    mesh = meshio.Mesh(
        places,
        [(_NAMES[body.cell, body.degree], cells)],
        point_data={name: _vector(values) for name, values in points.items()},
        cell_data={name: [_single(values)] for name, values in means.items()},
    )
    meshio.vtu.write(path, mesh)


def _vector(values: Array) -> Array:
    """Vectors of the plane have a third component, as VTK wants them."""
    if values.ndim == 2 and values.shape[1] == 2:
        values = np.hstack([values, np.zeros((len(values), 1))])
    return _single(values)


def _single(values: Array) -> Array:
    """Numbers for eyes: half the size, seven digits."""
    return np.ascontiguousarray(values, dtype=np.float32 if values.dtype.kind == "f" else values.dtype)


def save_series(solution: Answers, path: Path, times: Times = None) -> Path:
    """Write ``.pvd`` with its folder, or one instant as ``.vtu``; of all instants that were kept, or those nearest to
    ``times``; of a single file, the last one."""
    body = body_of(solution, f"cannot write {path.name}")
    check_meshio()
    single = path.suffix.lower() == ".vtu"
    if times is None and not single:
        instants = np.arange(solution.steps + 1)
    else:
        instants = np.unique(nearest(solution, "displacement", times, "save"))
    if single:
        if len(instants) > 1:
            raise FileError(f"cannot write {path}: a .vtu holds one instant, {len(instants)} are asked for; write .pvd")
        return write_atomically(path, partial(_instant, solution, body, cells_of(body), int(instants[0])))
    return _series(solution, body, path, instants)


def _series(solution: Answers, body: Body, path: Path, instants: Array) -> Path:
    folder = path.with_suffix("")
    own = re.compile(re.escape(folder.name) + r"_\d+\.vtu")  # files of a series before, which goes
    if folder.exists() and not (folder.is_dir() and all(own.fullmatch(file.name) for file in folder.iterdir())):
        raise FileError(
            f"cannot write {path}: its files go into the folder {folder}, where other things are; take another name"
        )
    names = [f"{path.stem}_{number:0{len(str(len(instants)))}d}.vtu" for number in range(len(instants))]
    try:
        new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.stem}-"))
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None
    try:
        cells = cells_of(body)
        for name, instant in zip(names, instants, strict=True):
            write_atomically(new / name, partial(_instant, solution, body, cells, int(instant)))
        new.chmod(0o755)
        index = "\n".join(_index(folder.name, names, solution.times[instants]))
        old = new.with_name(f"{new.name}-old")
        with suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as problem:
        raise FileError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return write_atomically(path, lambda part: part.write_text(index, encoding="utf-8"))


def _index(folder: str, names: list[str], times: Array) -> Iterator[str]:
    from xml.sax.saxutils import quoteattr  # which loads what talks to servers

    yield '<?xml version="1.0"?>'
    yield '<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">'
    yield "<Collection>"
    for name, time in zip(names, times.tolist(), strict=True):
        yield f'<DataSet timestep="{time!r}" group="" part="0" file={quoteattr(f"{folder}/{name}")}/>'
    yield "</Collection>\n</VTKFile>\n"


def _instant(solution: Answers, body: Body, cells: Array, instant: int, path: Path) -> None:
    """Displacement, velocity and von Mises stress at the nodes; stresses and plastic strains of the cells, as symmetric
    tensors xx, yy, zz, xy, yz, zx (shear strains halved)."""
    points = {"displacement": nodal(solution, body, "displacement", instant)}
    if "velocity" in solution.histories or "momentum" in solution.histories:
        points["velocity"] = nodal(solution, body, "velocity", instant)
    stress = at_points(solution, body, "stress", instant)
    points["von_mises"] = von_mises(body.components, body.at_nodes(stress))
    means = {"stress": tensor(body.components, body.in_cells(stress))}
    if np.any(body.slipping >= 0):
        plastic = body.in_cells(at_points(solution, body, "plastic_strain", instant))
        means["plastic_strain"] = tensor(body.components, plastic, shear=0.5)
        means["equivalent_plastic_strain"] = equivalent_strain(body.components, plastic)
    if len(np.unique(body.kind)) > 1:
        means["material"] = body.kind.astype(np.int32)
    write_vtu(path, body, cells, points, means)
