"""Solids: the continuum of section 4.3 in two and three dimensions, as a Model; with its conditions as the principle
lists them, eqs. (41) to (44): boundaries that are held, that move as given, or that let waves out.

In ``½∫ρu̇² + ½∫J̇ᵀAJ̇ − ∫J̇ᵀε(u)``, eqs. (34) to (44), the displacement is continuous and the stress impulse J lives at
the points of integration: each of them is a block of springs whose deformation is the strain, whose force is the stress
times the volume of the point, and whose flexibility is that of the material. Where the material is elastic, J is
eliminated beforehand, which changes a step by rounding only: those points are the stiffness K beside the springs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_one_of
from hamex.errors import ModelError
from hamex.model.algebra import static_stiffness
from hamex.model.assembly import DampingLike, damping_of, from_groups
from hamex.model.damping import Damping
from hamex.model.inputs import few
from hamex.model.record import Model
from hamex.model.solids.body import Body, DofNames
from hamex.model.solids.cells import WHO, Cells, point_springs, stiffness
from hamex.model.solids.cells import mass as mass_of
from hamex.model.solids.material import Elements, Material, Pattern
from hamex.model.solids.meshes import scikit_fem
from hamex.model.units import Units

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
        prefix = f"{what} {name!r}: " if what else ""
        raise ModelError(f"{WHO}: {prefix}there is no boundary {name!r} in the mesh; it has {listed}")
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


Ways = Mapping[Any, Any]


def solid(
    mesh: Any,
    material: Material | Mapping[str, Material],
    *,
    fixed: Ways | Sequence[str] = (),
    moving: Ways | Sequence[str] = (),
    absorbing: Sequence[str] = (),
    plane: Literal["strain", "stress", "axisymmetric"] = "strain",
    thickness: float = 1.0,
    degree: Literal[1, 2] = 1,
    mass: Literal["consistent", "lumped"] = "consistent",
    mean_dilatation: bool | None = None,
    condense: bool = True,
    damping: DampingLike = 0.0,
    units: Units | None = None,
) -> Model:
    """A body on a mesh, elastic or viscoplastic, in the plane, around an axis, or in space.

    Dofs are the displacements of the nodes that can move ("node 1.x", …). ``model.body`` says where they are, makes
    loads (``model.body.traction("right", (0, -1))``) and fields for the start, and finds dofs by place.

    Parameters
    ----------
    mesh : of triangles, quadrilaterals, tetrahedra or hexahedra, from :mod:`hamex.meshes` or scikit-fem.
    material : one for all, or by the name of a region of the mesh (``mesh.subdomains``).
    fixed : boundaries that do not move: names, or directions by name, ``{"left": "xy", "bottom": "y"}``. A point goes
        by its coordinates, ``{(0.0, 0.0): "xy"}``. Under a ground motion they move with the ground.
    moving : boundaries whose displacement is given in time (``Problem(…, supports=…)``), each direction as one support
        ("left.x"); or by direction a function of points, ``{"left": {"x": lambda x: 1 - x[1]**2}}``, which the
        displacement of the support multiplies. Cells at such a boundary have lumped masses.
    absorbing : boundaries at which waves leave: dashpots ρc_P along the normal and ρc_S across.
    plane : of a mesh in the plane: plane "strain", plane "stress", or "axisymmetric" around the y-axis, where x is the
        radius.
    thickness : of a body in the plane [length]; a body around an axis is whole (2πr).
    degree : of the displacement: 1, or 2 (with nodes on the sides).
    mass : "consistent", or "lumped" at the nodes (row sums; of degree 2 by scaled diagonals, HRZ), as
        :class:`hamex.LeapFrog` needs it.
    mean_dilatation : volume changes of a whole cell instead of its points (B-bar), so that it does not lock in plastic
        flow or near ν = ½. By default for quadrilaterals and hexahedra of degree 1 but in plane stress.
    condense : sum elastic points into the stiffness K. False keeps each as springs along the principal directions of
        its elasticity: the same steps, at more cost.
    damping : as for :func:`hamex.structure`.
    units : names of the units, for labels.

    Examples
    --------
    >>> import hamex as hx
    >>> steel = hx.Material(density=7.85e-9, modulus=210e3, poisson=0.3)              # t/mm³, MPa
    >>> beam = hx.solid(hx.meshes.rectangle(100.0, 10.0, (20, 4)), steel, fixed=["left"], plane="stress",
    ...                 units=hx.Units("mm", "N"))
    >>> len(beam.dofs), len(beam.springs), round(float(hx.modes(beam, 1).frequencies[0]))  # rad/s
    (200, 0, 5483)
    """
    cells = Cells.of(mesh, material, plane, degree, thickness, mean_dilatation)
    for what, word, known in (("mass", mass, ("consistent", "lumped")),):
        if not is_one_of(word, known):
            raise ModelError(f"{WHO}: {what} must be one of {', '.join(known)}; got {word!r:.40}")
    held, given, supports = conditions(cells, fixed, moving, absorbing)
    elements = cells.elements
    d = elements.dimension
    driven = np.diff(given.indptr) > 0
    free = np.flatnonzero(~held & ~driven)
    if not free.size:
        raise ModelError(f"{WHO}: every node is held; leave some free")
    touched = np.zeros(len(elements.points), dtype=bool)
    touched[np.flatnonzero(driven) // d] = True
    beside = np.asarray(touched[elements.nodes].any(axis=1))  # cells at a boundary that moves
    springs = cells.yields | beside | (not condense)
    pattern = Pattern.of(elements.nodes, len(elements.points))
    K = stiffness(cells, pattern, ~springs)[free][:, free]
    M = mass_of(cells, pattern, mass, beside)
    parts = point_springs(cells, np.flatnonzero(springs))
    B = parts.compatibility
    gathered = from_groups(WHO, parts.names, parts.flexibility, B[free], given.T @ B, parts.groups)
    dofs: Any = DofNames(free, d)
    own = M[free][:, free]
    ways = "y" if plane == "axisymmetric" and d == 2 else "xyz"[:d]
    rigid = np.zeros((len(held), len(ways)))
    for column, way in enumerate(ways):
        rigid["xyz".index(way) :: d, column] = 1.0
    C = damping_of(
        WHO,
        damping,
        own,
        lambda: static_stiffness(K, gathered.flexibility, gathered.compatibility, gathered.laws),
        [],
        dofs,
        units=units,
    )
    outgoing = absorbed(cells, absorbing, mass)[free][:, free]
    C = Damping(outgoing + C.matrix, C.shapes, C.weights)
    return Model(
        mass=own,
        damping=C,
        stiffness=K,
        flexibility=gathered.flexibility,
        compatibility=gathered.compatibility,
        laws=gathered.laws,
        influence=rigid[free],
        supports=gathered.supports,
        dofs=dofs,
        springs=gathered.names,
        directions=tuple(ways),
        units=units or Units(),
        support_names=supports,
        groups=gathered.groups,
        body=_record(cells, free, given, parts.first, outgoing),
        ground_inertia=np.asarray((M @ rigid)[free]),
    )


def _record(cells: Cells, free: Array, given: Any, slipping: Array, outgoing: Any) -> Body:
    """What the model keeps of the body."""
    from scipy import sparse

    e, mesh = cells.elements, cells.elements.mesh
    size = e.points.size
    motion = sparse.csr_array((np.ones(len(free)), (free, np.arange(len(free)))), shape=(size, len(free)))
    middle = np.zeros((e.dimension, 1)) + e.points.mean(axis=0)[:, None]
    if cells.uniform:
        elasticity = np.stack([m.stiffness(e.plane, middle)[0] for m in cells.materials])
    else:
        elasticity = np.concatenate([cells.stiffness(some) for some in e.chunks()])
    return Body(
        cell=e.cell,
        vertices=np.ascontiguousarray(mesh.p.T),
        corners=np.ascontiguousarray(mesh.t.T),
        degree=e.degree,
        plane=e.plane,
        thickness=e.thickness,
        mean_dilatation=e.mean_dilatation,
        boundaries={name: np.asarray(mesh.facets[:, facets_of(mesh, name)].T) for name in mesh.boundaries or {}},
        regions={name: np.asarray(own) for name, own in (mesh.subdomains or {}).items()},
        motion=motion,
        given=given,
        kind=cells.kind,
        elasticity=elasticity,
        slipping=slipping,
        speeds=cells.fastest(),
        outgoing=outgoing,
    )
