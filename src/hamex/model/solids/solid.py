"""Solids: the continuum of section 4.3 in two and three dimensions, as a Model.

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
from hamex.model.assembly import DampingLike, damping_of
from hamex.model.blocks import from_groups
from hamex.model.damping import Damping
from hamex.model.record import Model
from hamex.model.solids.body import Body, DofNames
from hamex.model.solids.cells import WHO, Cells
from hamex.model.solids.conditions import absorbed, conditions, facets_of
from hamex.model.solids.elements import Pattern
from hamex.model.solids.material import Material
from hamex.model.solids.matrices import mass as mass_of
from hamex.model.solids.matrices import point_springs, stiffness
from hamex.model.units import Units

Array = NDArray[Any]
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
