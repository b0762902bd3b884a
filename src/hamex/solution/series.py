"""Series of files that ParaView opens: one .vtu an instant in a folder, and a .pvd that tells their times.

The folder is written whole under another name and put in place last, so that a series is never half old, half new.

Nodes of cells of degree 2 stand in VTK's own order, that of vtkQuadraticTriangle, vtkBiQuadraticQuad, vtkQuadraticTetra
and vtkTriQuadraticHexahedron, written as places in the reference cell: those of scikit-fem are found by coordinates.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from hamex.errors import FileError, MissingPackageError
from hamex.files import write_atomically
from hamex.model.solids.body import Body
from hamex.model.solids.skin import equivalent_strain, tensor, von_mises
from hamex.solution.fields import Times, at_points, body_of, nearest, nodal
from hamex.solution.outline import Answers

Array = NDArray[Any]
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
    if folder.exists() and not _is_ours(folder):
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


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds the files of a series before, and nothing else."""
    rule = re.compile(re.escape(folder.name) + r"_\d+\.vtu")
    return folder.is_dir() and all(rule.fullmatch(file.name) for file in folder.iterdir())


def _index(folder: str, names: list[str], times: Array) -> Iterator[str]:
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
