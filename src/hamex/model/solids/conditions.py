"""Conditions of a body as the principle lists them, eqs. (41) to (44): boundaries that are held, that move as given, or
that let waves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError
from hamex.model.inputs import few
from hamex.model.solids.cells import WHO, Cells
from hamex.model.solids.elements import Elements
from hamex.model.solids.meshes import scikit_fem

Array = NDArray[Any]
_ROUNDING = 1e-14  # of shape functions


def _ways(what: str, given: Any) -> dict[Any, Any]:
    if isinstance(given, str):
        return {given: "xyz"}
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Sequence):
        return dict.fromkeys(given, "xyz")
    raise ModelError(f"{WHO}: {what} must be names of boundaries, or directions by name; got {given!r:.60}")


def conditions(cells: Cells, fixed: Any, moving: Any, absorbing: Any) -> tuple[Array, Any, tuple[str, ...]]:
    """Dofs that are held, (node · dimension, support) of what moves as given, and names of the supports."""
    from scipy import sparse

    e = cells.elements
    d = e.dimension
    held = np.ones(e.points.size, dtype=bool)
    held.reshape(-1, d)[np.unique(e.nodes)] = False  # nodes of no cell are not there
    for where, ways in _ways("fixed", fixed).items():
        nodes = _nodes(e, where, "fixed")
        for way in _directions("fixed", where, ways, d):
            held[nodes * d + way] = True
    columns: list[Array] = []
    names: list[str] = []
    for where, ways in _ways("moving", moving).items():
        nodes = _nodes(e, where, "moving")
        shapes = ways if isinstance(ways, Mapping) else dict.fromkeys(_letters(ways, d), None)
        for letter, shape in shapes.items():
            (way,) = _directions("moving", where, letter, d)
            column = np.zeros(e.points.size)
            column[nodes * d + way] = 1.0 if shape is None else np.asarray(shape(e.points[nodes].T), dtype=float)
            if np.any(held & (column != 0)) or any(np.any((other != 0) & (column != 0)) for other in columns):
                raise ModelError(
                    f"{WHO}: boundary {where!r} moves in {letter} where another condition holds the same nodes; leave "
                    "the shared corner to one of them"
                )
            held[(nodes * d + way)[column[nodes * d + way] == 0]] = True
            columns.append(column)
            names.append(f"{where}.{letter}")
    for name in (absorbing,) if isinstance(absorbing, str) else absorbing:
        nodes = _nodes(e, name, "absorbing")
        if held.reshape(-1, d)[nodes].all():
            raise ModelError(f"{WHO}: boundary {name!r} cannot be fixed and absorbing; waves leave where it can move")
    matrix = sparse.csr_array(np.stack(columns, axis=1) if columns else np.zeros((e.points.size, 0)))
    return held, matrix, tuple(names)


def _letters(ways: Any, d: int) -> str:
    return "xyz"[:d] if ways == "xyz" else str(ways)


def _directions(what: str, where: Any, ways: Any, d: int) -> list[int]:
    letters = _letters(ways, d)
    if not letters or any(letter not in "xyz"[:d] for letter in letters):
        raise ModelError(f'{WHO}: {what} {where!r} names directions out of {"xyz"[:d]}, as "x" or "xy"; got {ways!r}')
    return ["xyz".index(letter) for letter in letters]


def _nodes(e: Elements, where: Any, what: str) -> Array:
    """Nodes on a named boundary, or the one at a point."""
    if isinstance(where, str):
        dofs = scikit_fem().Dofs(e.mesh, e.element)
        return np.unique(dofs.get_facet_dofs(facets_of(e.mesh, where, what)).flatten())
    try:
        point = np.array(where, dtype=float)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (e.dimension,):
        raise ModelError(
            f"{WHO}: conditions go by the name of a boundary or by {e.dimension} coordinates; got {where!r}"
        )
    off = np.sqrt(((e.points - point) ** 2).sum(axis=1))
    nearest = int(off.argmin())
    if off[nearest] > 1e-6 * np.ptp(e.points, axis=0).max():
        raise ModelError(f"{WHO}: there is no node at {where}; the nearest is at {e.points[nearest].tolist()}")
    return np.array([nearest])


def facets_of(mesh: Any, name: str, what: str = "") -> Array:
    """Numbers of the facets of a named boundary; ``what`` names it."""
    known = mesh.boundaries or {}
    if name not in known:
        listed = few(tuple(known), name) if known else "none (mesh.with_boundaries names some)"
        asked = f"{what} {name!r}: " if what else ""
        raise ModelError(f"{WHO}: {asked}there is no boundary {name!r} in the mesh; it has {listed}")
    return np.asarray(known[name])


def absorbed(cells: Cells, boundaries: Any, mass: str) -> Any:
    """C of dashpots at absorbing boundaries: ρ(c_P n⊗n + c_S(1 − n⊗n)), lumped at the nodes where the masses are."""
    from scipy import sparse

    e = cells.elements
    d, size = e.dimension, e.points.size
    names = (boundaries,) if isinstance(boundaries, str) else tuple(boundaries)
    if not names:
        return sparse.csr_array((size, size))
    facets = np.unique(np.concatenate([facets_of(e.mesh, name) for name in names]))
    basis = scikit_fem().FacetBasis(e.mesh, e.element, facets=facets, intorder=2 * e.degree + 1)
    x, normal = np.asarray(basis.default_parameters()["x"]), np.asarray(basis.normals)
    area = np.asarray(basis.dx) * (2 * np.pi * x[0] if e.plane == "axisymmetric" else e.thickness)
    density, pressure, shear = (np.zeros(area.shape) for _ in range(3))
    owner = e.mesh.f2t[0, facets]
    for place, material in enumerate(cells.materials):
        own = cells.kind[owner] == place
        if own.any():
            density[own] = material.weight(x[:, own])
            pressure[own], shear[own] = material.speeds(x[:, own])
    across = np.eye(d)[:, :, None, None] - normal[:, None] * normal[None]
    impedance = (normal[:, None] * normal[None] * pressure + across * shear) * density * area
    shapes = np.stack([np.asarray(part[0]) for part in basis.basis])  # (node, facet, point)
    shapes[np.abs(shapes) < _ROUNDING] = 0.0  # nodes off the facet
    local = np.einsum("afq,bfq,ijfq->faibj", shapes, shapes, impedance, optimize=True)
    if mass == "lumped":
        own = np.einsum("faibj->faij", local)  # row sums
        local = np.zeros_like(local)
        for a in range(shapes.shape[0]):
            local[:, a, :, a, :] = own[:, a]
    dofs = (basis.element_dofs.T[:, :, None] * d + np.arange(d)).reshape(len(facets), -1)
    k = dofs.shape[1]
    rows, columns = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, k).ravel()
    C = sparse.csr_array(sparse.coo_array((local.reshape(-1), (rows, columns)), shape=(size, size)))
    C.eliminate_zeros()
    return C
