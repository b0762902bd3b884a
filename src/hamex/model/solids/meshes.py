"""Meshes of bodies: generators for simple shapes, with named boundaries, and files of other programs.

A mesh is scikit-fem's own: points ``mesh.p`` (dimension, point), cells ``mesh.t`` (corner, cell), boundaries and
regions by name. Any of triangles, quadrilaterals, tetrahedra or hexahedra will do for :func:`hamex.solid`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_one_of, is_whole, said
from hamex.errors import FileError, MissingPackageError, ModelError
from hamex.model.inputs import number

__all__ = ["box", "half_space", "line", "named", "plate_with_hole", "read", "rectangle", "ring"]


def __dir__() -> list[str]:
    return __all__


Array = NDArray[Any]
Count = int | Sequence[float] | Array
Range = float | Sequence[float]
_SPARE = 40  # numbers in memory per cell while a mesh is made
_ON = 1e-9  # of the size of the mesh: a point this close to a coordinate is on it
_FILES = {"triangle": "MeshTri", "quad": "MeshQuad", "tetra": "MeshTet", "hexahedron": "MeshHex"}
_CORNERS = {"triangle6": ("triangle", 3), "quad8": ("quad", 4), "quad9": ("quad", 4), "tetra10": ("tetra", 4)}
_CORNERS |= {"hexahedron20": ("hexahedron", 8), "hexahedron27": ("hexahedron", 8)}


def scikit_fem() -> Any:
    """scikit-fem, or a word on how to get it."""
    try:
        import skfem
    except ImportError:
        raise MissingPackageError("bodies need scikit-fem: install the extra with pip install hamex[fem]") from None
    return skfem


def line(length: float, elements: Count) -> Any:
    """From x = 0 to x = length; boundaries "left" and "right".

    Parameters
    ----------
    length : L [length].
    elements : how many of equal length, or the coordinates of all points from 0 to L.

    Examples
    --------
    >>> line(2.0, 4).p[0].tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    x = _along("line", "length", length, elements)
    return _bounded(scikit_fem().MeshLine(x), {"left": np.array([0]), "right": np.array([len(x) - 1])})


def rectangle(
    width: float,
    height: float,
    elements: tuple[Count, Count],
    *,
    cells: Literal["quadrilaterals", "triangles"] = "quadrilaterals",
    origin: tuple[float, float] = (0.0, 0.0),
) -> Any:
    """A rectangle in the plane; boundaries "left", "right", "bottom", "top".

    Parameters
    ----------
    width, height : along x and y [length].
    elements : how many along x and y, or all coordinates along one of them (from 0 on), for graded meshes.
    cells : "quadrilaterals", or "triangles" (two for each).
    origin : lower left corner [length].

    Examples
    --------
    >>> mesh = rectangle(4.0, 1.0, (8, 2))
    >>> mesh.t.shape, sorted(mesh.boundaries)
    ((4, 16), ['bottom', 'left', 'right', 'top'])
    """
    _one_of("rectangle", cells, ("quadrilaterals", "triangles"))
    axes = _axes("rectangle", ("width", "height"), (width, height), elements, origin)
    kind = scikit_fem().MeshQuad if cells == "quadrilaterals" else scikit_fem().MeshTri
    return kind.init_tensor(*axes).with_defaults()


def box(
    width: float,
    depth: float,
    height: float,
    elements: tuple[Count, Count, Count],
    *,
    cells: Literal["hexahedra", "tetrahedra"] = "hexahedra",
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Any:
    """A box in space; boundaries "left", "right" (x), "front", "back" (y), "bottom", "top" (z).

    Parameters
    ----------
    width, depth, height : along x, y and z [length].
    elements : how many along x, y and z, or all coordinates along one of them (from 0 on).
    cells : "hexahedra", or "tetrahedra" (six for each).
    origin : corner with the smallest coordinates [length].

    Examples
    --------
    >>> mesh = box(2.0, 1.0, 1.0, (4, 2, 2))
    >>> mesh.t.shape, sorted(mesh.boundaries)
    ((8, 16), ['back', 'bottom', 'front', 'left', 'right', 'top'])
    """
    _one_of("box", cells, ("hexahedra", "tetrahedra"))
    axes = _axes("box", ("width", "depth", "height"), (width, depth, height), elements, origin)
    kind = scikit_fem().MeshHex if cells == "hexahedra" else scikit_fem().MeshTet
    mesh = kind.init_tensor(*axes)
    low, high = (np.array([pick(axis) for axis in axes]) for pick in (np.min, np.max))
    sides = {}
    for way, (first, last) in enumerate((("left", "right"), ("front", "back"), ("bottom", "top"))):
        near = 1e-9 * (high[way] - low[way])
        sides[first] = lambda x, way=way, near=near: np.abs(x[way] - low[way]) < near
        sides[last] = lambda x, way=way, near=near: np.abs(x[way] - high[way]) < near
    return mesh.with_boundaries(sides)


def ring(
    inner: float,
    outer: float,
    elements: tuple[Count, int],
    *,
    angle: float = 90.0,
    cells: Literal["quadrilaterals", "triangles"] = "quadrilaterals",
) -> Any:
    """A sector of a ring around the origin, from the x-axis on; boundaries "inner", "outer", "start", "end".

    A quarter in the plane is a thick cylinder with two lines of symmetry; turned around the y-axis
    (``plane="axisymmetric"``) it is half of a thick sphere. A full ring (360) has no "start" and no "end".

    Parameters
    ----------
    inner, outer : radii [length].
    elements : how many across and around; across also all radii, from 0 at the inner one on.
    angle : of the sector [degrees].
    cells : "quadrilaterals", or "triangles".

    Examples
    --------
    >>> sorted(ring(1.0, 2.0, (4, 8)).boundaries)
    ['end', 'inner', 'outer', 'start']
    """
    _one_of("ring", cells, ("quadrilaterals", "triangles"))
    inner, outer = number("ring", "inner", inner, positive=True), number("ring", "outer", outer, positive=True)
    angle = number("ring", "angle", angle, positive=True)
    if outer <= inner or angle > 360:
        raise ModelError(f"ring: outer ({outer:g}) must exceed inner ({inner:g}), and the angle not 360; got {angle:g}")
    across, around = _pair("ring", elements)
    r = inner + _along("ring", "outer − inner", outer - inner, across)
    if not is_whole(around, 3 if angle > 180 else 1):
        raise ModelError(f"ring: elements around must be a whole number ≥ 1 (3 beyond 180°), got {around!r:.40}")
    check_memory("ring", _SPARE * len(r) * int(around), "this mesh", "take fewer elements")
    closed = angle == 360
    turn = np.linspace(0.0, np.deg2rad(angle), int(around) + 1)[: int(around) if closed else None]
    R, T = np.meshgrid(r, turn, indexing="ij")
    points = np.stack([(R * np.cos(T)).ravel(), (R * np.sin(T)).ravel()])
    points[np.abs(points) < 1e-15 * outer] = 0.0
    place = np.arange(R.size).reshape(R.shape)
    ahead = np.roll(place, -1, axis=1) if closed else place[:, 1:]
    here = place if closed else place[:, :-1]
    mesh = _of_grid(points, here, ahead, cells)
    ends = {"inner": place[0], "outer": place[-1]} | ({} if closed else {"start": place[:, 0], "end": place[:, -1]})
    return _bounded(mesh, ends)


def half_space(
    width: float,
    depth: float,
    elements: tuple[Count, Count],
    *,
    cells: Literal["quadrilaterals", "triangles"] = "quadrilaterals",
) -> Any:
    """A piece of ground below y = 0, x from −width/2 to width/2; boundaries "surface", "bottom", "left", "right".

    Waves leave it where the last three are ``absorbing`` (:func:`hamex.solid`).

    Parameters
    ----------
    width : along x [length].
    depth : down from the surface [length].
    elements : how many along x and y, or all coordinates along one of them (from 0 on, upwards).
    cells : "quadrilaterals", or "triangles" (two for each).

    Examples
    --------
    >>> mesh = half_space(20.0, 10.0, (10, 5))
    >>> mesh.p.min(axis=1).tolist(), sorted(mesh.boundaries)
    ([-10.0, -10.0], ['bottom', 'left', 'right', 'surface'])
    """
    width, depth = (
        number("half_space", what, value, positive=True) for what, value in (("width", width), ("depth", depth))
    )
    mesh = rectangle(width, depth, elements, cells=cells, origin=(-0.5 * width, -depth))
    named = {"surface" if name == "top" else name: facets for name, facets in mesh.boundaries.items()}
    return type(mesh)(mesh.p, mesh.t, _boundaries=named)


def plate_with_hole(
    width: float,
    height: float,
    radius: float,
    elements: tuple[int, int],
    *,
    grading: float = 1.0,
    cells: Literal["quadrilaterals", "triangles"] = "quadrilaterals",
) -> Any:
    """A quarter of a plate with a round hole around the origin; boundaries "hole", "left", "bottom", "right", "top".

    On the lines of symmetry "left" (x = 0) and "bottom" (y = 0) nodes move along the line only:
    ``fixed={"left": "x", "bottom": "y"}``.

    Parameters
    ----------
    width, height : of the quarter, from the middle of the hole [length].
    radius : of the hole [length].
    elements : how many from the hole outwards, and how many around it, an even number: half of them face each side.
    grading : how often the outermost cells are longer than those at the hole, outwards [1].
    cells : "quadrilaterals", or "triangles".

    Examples
    --------
    >>> mesh = plate_with_hole(10.0, 18.0, 5.0, (6, 8), grading=3.0)
    >>> mesh.t.shape, sorted(mesh.boundaries)
    ((4, 48), ['bottom', 'hole', 'left', 'right', 'top'])
    """
    who = "plate_with_hole"
    _one_of(who, cells, ("quadrilaterals", "triangles"))
    width, height, radius, grading = (
        number(who, what, value, positive=True)
        for what, value in (("width", width), ("height", height), ("radius", radius), ("grading", grading))
    )
    if radius >= min(width, height):
        raise ModelError(f"{who}: radius ({radius:g}) must be below width ({width:g}) and height ({height:g})")
    across, around = _pair(who, elements)
    if not is_whole(across, 1) or not is_whole(around, 2) or around % 2:
        raise ModelError(
            f"{who}: elements must be two whole numbers, the second even (half of them face each side); got "
            f"{elements!r:.60}"
        )
    check_memory(who, _SPARE * int(across) * int(around), "this mesh", "take fewer elements")
    half = np.linspace(0.0, 1.0, int(around) // 2 + 1)
    turn = np.linspace(0.0, 0.5 * np.pi, int(around) + 1)
    inner = radius * np.stack([np.cos(turn), np.sin(turn)])
    inner[:, [0, -1]] = [[radius, 0.0], [0.0, radius]]
    corner = np.concatenate([np.full(len(half), width), width * (1 - half[1:])])
    outer = np.stack([corner, np.concatenate([height * half, np.full(len(half) - 1, height)])])
    sizes = np.geomspace(1.0, grading, int(across))
    share = np.concatenate([[0.0], np.cumsum(sizes) / sizes.sum()])
    share[-1] = 1.0
    points = (inner[:, None, :] + share[None, :, None] * (outer - inner)[:, None, :]).reshape(2, -1)
    place = np.arange(points.shape[1]).reshape(len(share), len(turn))
    mesh = _of_grid(points, place[:, :-1], place[:, 1:], cells)
    middle = int(around) // 2
    ends = {"hole": place[0], "right": place[-1, : middle + 1], "top": place[-1, middle:]}
    return _bounded(mesh, ends | {"bottom": place[:, 0], "left": place[:, -1]})


def named(
    mesh: Any,
    *,
    regions: Mapping[str, Mapping[str, Range]] | None = None,
    boundaries: Mapping[str, Mapping[str, Range]] | None = None,
    rest: str | None = None,
) -> Any:
    """The mesh with further names for cells and outer facets, by where their middles are.

    Parameters
    ----------
    mesh : of any kind.
    regions : ranges of coordinates by name, ``{"clay": {"y": (-5.0, 0.0)}}``: cells from the first number up to, not
        at, the second. What is left out does not matter.
    boundaries : likewise, both ends included, or one number for facets in one plane:
        ``{"footing": {"x": (-1.0, 1.0), "y": 0.0}}``.
    rest : name for the cells that are in no region, if there are some.

    Examples
    --------
    >>> mesh = named(rectangle(4.0, 2.0, (4, 2)), regions={"clay": {"x": (0.0, 1.0), "y": (1.0, 2.0)}}, rest="rock",
    ...              boundaries={"footing": {"x": (0.0, 2.0), "y": 2.0}})
    >>> len(mesh.subdomains["clay"]), len(mesh.subdomains["rock"]), len(mesh.boundaries["footing"])
    (1, 7, 2)
    """
    near = _ON * float(np.ptp(mesh.p, axis=1).max())
    for what, given, middles in (
        ("region", regions, mesh.p[:, mesh.t].mean(axis=1)),
        ("boundary", boundaries, mesh.p[:, mesh.facets[:, mesh.boundary_facets()]].mean(axis=1)),
    ):
        found = {}
        for name, ranges in (given or {}).items():
            inside = np.ones(middles.shape[1], dtype=bool)
            for axis, limits in ranges.items():
                low, high = _range(what, name, axis, limits, len(mesh.p))
                x = middles["xyz".index(axis)]
                inside &= (x >= low) & (x < high) if what == "region" else (x >= low - near) & (x <= high + near)
            if not inside.any():
                span = ", ".join(
                    f"{axis} from {row.min():g} to {row.max():g}" for axis, row in zip("xyz", mesh.p, strict=False)
                )
                raise ModelError(
                    f"named: {what} {name!r} has no {'cell' if what == 'region' else 'outer facet'}; the mesh spans "
                    f"{span}"
                )
            found[name] = np.flatnonzero(inside)
        if what == "region":
            mesh = mesh.with_subdomains(found) if found else mesh
        elif found:
            mesh = mesh.with_boundaries({name: mesh.boundary_facets()[own] for name, own in found.items()})
    if rest is not None:
        free = np.ones(mesh.t.shape[1], dtype=bool)
        for own in (mesh.subdomains or {}).values():
            free[own] = False
        mesh = mesh.with_subdomains({rest: np.flatnonzero(free)}) if free.any() else mesh
    return mesh


def _range(what: str, name: str, axis: str, limits: Any, dimension: int) -> tuple[float, float]:
    if axis not in tuple("xyz"[:dimension]):
        raise ModelError(
            f"named: {what} {name!r} has ranges along {', '.join('xyz'[:dimension])}, as "
            f'{{"y": (0.0, 1.0)}}; got {axis!r:.40}'
        )
    pair = tuple(limits) if isinstance(limits, Sequence) and not isinstance(limits, str) else (limits, limits)
    if len(pair) != 2:
        raise ModelError(f"named: {what} {name!r}: {axis} must be a number or two, from and to; got {limits!r:.40}")
    low, high = (number("named", f"{axis} of {what} {name!r}", limit, signed=True) for limit in pair)
    if high < low or (what == "region" and high == low):
        raise ModelError(f"named: {what} {name!r}: {axis} must grow from its first number to its second; got {pair}")
    return low, high


def read(path: str | os.PathLike[str], *, boundaries: Mapping[str, Callable[[Array], Array]] | None = None) -> Any:
    """A mesh from a file that meshio reads (Gmsh, VTU, Abaqus, Nastran, MED, XDMF …).

    Physical groups of Gmsh become boundaries and regions by name. Sides of quadratic cells are taken as straight: the
    degree of the displacement is chosen in :func:`hamex.solid`, not in the file.

    Parameters
    ----------
    path : the file; its ending tells the format.
    boundaries : further boundaries by name: functions of points (dimension, facet) that are true on them, asked at the
        middle of the outer facets.

    Examples
    --------
    >>> import hamex as hx
    >>> hx.meshes.read("nowhere.msh")
    Traceback (most recent call last):
    hamex.errors.FileError: read: there is no file nowhere.msh
    """
    file = Path(path)
    if not file.is_file():
        raise FileError(f"read: there is no file {file}")
    fem = scikit_fem()
    import meshio

    try:
        with redirect_stdout(StringIO()):  # its readers print empty lines
            given = meshio.read(file)
    except SystemExit:  # meshio ends the program where it knows no reader
        raise FileError(f"read: {file} is of no kind that meshio reads; its ending tells the format") from None
    except Exception as problem:  # its readers raise whatever the damage leads to
        raise FileError(f"read: {file} cannot be read as a mesh: {problem or type(problem).__name__}") from None
    mesh = _converted(fem, given, file)
    mesh = mesh.with_boundaries(dict(boundaries)) if boundaries else mesh
    empty = [name for name, facets in (mesh.boundaries or {}).items() if not len(facets)]
    if empty:
        raise ModelError(f"read: boundary {empty[0]!r} has no facet of {file}")
    return mesh


def _converted(fem: Any, given: Any, file: Path) -> Any:
    """A mesh of corners in scikit-fem's classes, in two dimensions where all points are."""
    import meshio
    from skfem.io.meshio import from_meshio

    cells: dict[str, Array] = {}
    for block in given.cells:
        kind, corners = _CORNERS.get(block.type, (block.type, block.data.shape[1]))
        if kind in _FILES:
            rows = np.asarray(block.data[:, :corners])
            cells[kind] = np.vstack([cells[kind], rows]) if kind in cells else rows
    solid = [kind for kind in ("tetra", "hexahedron") if kind in cells]
    kinds: list[str] = [*solid] or [*cells]
    if len(kinds) != 1:
        what = " and ".join(cells) if cells else "none of these"
        raise FileError(
            f"read: {file} must hold triangles, quadrilaterals, tetrahedra or hexahedra of one kind, it has {what}"
        )
    if {block.type for block in given.cells} & set(_CORNERS):
        if not given.cell_sets:
            used, where = np.unique(cells[kinds[0]], return_inverse=True)
            return _oriented(kinds[0], given.points[used], where.reshape(cells[kinds[0]].shape), file)
        raise FileError(f"read: {file} has quadratic cells and groups; write it with cells of first order")
    if not solid and given.points.shape[1] == 3 and np.ptp(given.points[:, 2]) > 0:
        raise FileError(f"read: {file} is a surface in space; a body in the plane has one z for all points")
    if not solid:
        given.points = np.ascontiguousarray(given.points[:, :2])
    try:
        with redirect_stdout(StringIO()):
            return fem.Mesh.load(file) if solid else from_meshio(given)
    except Exception:  # groups that scikit-fem cannot take: the mesh itself is enough
        plain = meshio.Mesh(given.points, [(kinds[0], cells[kinds[0]])])
        return from_meshio(plain)


def _oriented(kind: str, points: Array, cells: Array, file: Path) -> Any:
    import meshio
    from skfem.io.meshio import from_meshio

    flat = kind in ("triangle", "quad")
    if flat and points.shape[1] == 3 and np.ptp(points[:, 2]) > 0:
        raise FileError(f"read: {file} is a surface in space; a body in the plane has one z for all points")
    return from_meshio(meshio.Mesh(points[:, :2] if flat else points, [(kind, cells)]))


def _of_grid(points: Array, here: Array, ahead: Array, cells: str) -> Any:
    """Cells between points numbered in rows outwards; ``here`` and ``ahead`` are their two sides around."""
    quads = np.stack([here[:-1], here[1:], ahead[1:], ahead[:-1]]).reshape(4, -1)
    if cells == "quadrilaterals":
        return scikit_fem().MeshQuad(points, quads)
    return scikit_fem().MeshTri(points, np.hstack([quads[[0, 1, 2]], quads[[0, 2, 3]]]))


def _bounded(mesh: Any, ends: Mapping[str, Array]) -> Any:
    """The mesh with boundaries: the outer facets all of whose points are in a set."""
    outer = mesh.boundary_facets()
    named = {}
    for name, points in ends.items():
        inside = np.zeros(mesh.p.shape[1], dtype=bool)
        inside[points] = True
        named[name] = outer[inside[mesh.facets[:, outer]].all(axis=0)]
    return type(mesh)(mesh.p, mesh.t, _boundaries=named)


def _one_of(who: str, word: object, known: tuple[str, ...]) -> None:
    if not is_one_of(word, known):
        raise ModelError(f"{who}: cells must be {' or '.join(known)}, got {word!r:.40}")


def _pair(who: str, elements: object, count: int = 2) -> tuple[Any, ...]:
    if isinstance(elements, str) or not isinstance(elements, Sequence) or len(elements) != count:
        raise ModelError(f"{who}: elements must be {count} numbers, one for each direction; got {elements!r:.60}")
    return tuple(elements)


def _axes(
    who: str, names: tuple[str, ...], sizes: tuple[float, ...], elements: Any, origin: tuple[float, ...]
) -> list[Array]:
    counts, start = _pair(who, elements, len(sizes)), _pair(who, origin, len(sizes))
    many = min(math.prod([float(min(count, 10**200)) if is_whole(count, 1) else 1.0 for count in counts]), 1e300)
    check_memory(who, _SPARE * many, f"{said(int(many))} elements", "take fewer")
    return [
        number(who, "origin", begin, signed=True) + _along(who, name, size, count)
        for name, size, count, begin in zip(names, sizes, counts, start, strict=True)
    ]


def _along(who: str, what: str, size: float, count: Any) -> Array:
    """Coordinates from 0 to a size."""
    size = number(who, what, size, positive=True)
    if is_whole(count, 1):
        check_memory(who, _SPARE * int(count), f"{said(count)} elements", "take fewer")
        return np.linspace(0.0, size, int(count) + 1)
    try:
        x = np.array(count, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim != 1 or x.size < 2:
        raise ModelError(f"{who}: elements must be whole numbers ≥ 1, or coordinates; got {count!r:.60}")
    if x[0] != 0 or abs(x[-1] - size) > 1e-9 * size or not np.all(np.diff(x) > 0):
        raise ModelError(f"{who}: coordinates must grow from 0 to {what} = {size:g}, got {x[0]:g} … {x[-1]:g}")
    return x
