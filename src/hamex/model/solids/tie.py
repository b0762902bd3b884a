"""Ties: a structure that stands on a body, as one model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import floats
from hamex.errors import ModelError
from hamex.model.algebra import inverse, static_stiffness
from hamex.model.damping import Damping
from hamex.model.inputs import few
from hamex.model.layout import Geometry, Storeys
from hamex.model.record import Model, dense, entries
from hamex.model.solids.body import Body

Array = NDArray[Any]
WHO = "tie"
_TURNS = {"rx": (2, 1), "ry": (0, 2), "rz": (1, 0)}  # of a displacement field: ½(∂uᵢ/∂xⱼ − ∂uⱼ/∂xᵢ)


def tie(structure: Model, body: Model, places: Mapping[str, Any]) -> Model:
    """A structure on a body: its supports move as the body does at their places, and push it in return.

    The structure is built as usual, with supports; those that are tied are supports no longer. Viscous damping of the
    structure acts on its motion relative to what its supports bring about slowly.

    Parameters
    ----------
    structure : a frame, truss, rod or other model with supports.
    body : a model from :func:`hamex.solid` in the same units.
    places : node of a support → its place on the body, ``{"A": (0.0, 0.0), "B": (6.0, 0.0)}``: its displacements are
        those of the body there, its rotations ½ rot u of the cell. Or support → (place, direction) for structures with
        one direction, ``{"node 0": ((0.0, 0.0), "y")}``.

    Examples
    --------
    >>> import hamex as hx
    >>> column = hx.Member("A", "B", modulus=30e6, area=0.09, inertia=6.75e-4)
    >>> mast = hx.frame({"A": (0, 0), "B": (0, 3)}, [column], supports={"A": "fixed"}, masses={"B": 10.0})
    >>> soil = hx.Material(density=2.0, modulus=50e3, poisson=0.3)
    >>> ground = hx.solid(hx.meshes.half_space(20.0, 10.0, (20, 10)), soil, fixed=["bottom"])
    >>> both = tie(mast, ground, {"A": (0.0, 0.0)})
    >>> len(both.dofs) == len(ground.dofs) + 3, both.dofs[-3:], both.support_names
    (True, ('B.x', 'B.y', 'B.rz'), ())
    """
    from scipy import sparse

    for name, model in (("structure", structure), ("body", body)):
        if not isinstance(model, Model):
            raise ModelError(f"{WHO}: the {name} must be a Model, got {type(model).__name__}")
    if body.body is None or structure.body is not None:
        raise ModelError(f"{WHO}: ties a structure (first) to a body that hamex.solid built (second)")
    if structure.units != body.units:
        raise ModelError(f"{WHO}: the structure is in {structure.units}, the body in {body.units}; use the same units")
    if np.any(entries(structure.stiffness)):
        raise ModelError(
            f"{WHO}: the structure has stiffness beside its springs (P-Delta), which does not know that supports move"
        )
    tied, rows, turned = _rows(structure, body.body, places)
    pulls = sparse.csr_array(structure.supports)
    left = [number for number in range(len(structure.support_names)) if number not in tied]
    count, size, first = len(body.dofs), len(structure.dofs), len(body.springs)
    B = sparse.block_array(
        [
            [sparse.csr_array(body.compatibility), rows.T @ pulls[tied]],
            [None, sparse.csr_array(structure.compatibility)],
        ],
        format="csr",
    )
    # Motion of the structure relative to what its supports bring about slowly.
    relative = sparse.csr_array(sparse.hstack([-_following(structure, pulls[tied]) @ rows, sparse.eye_array(size)]))
    own = structure.damping
    damping = Damping(
        _diagonal(body.damping.matrix, sparse.csr_array((size, size)))
        + relative.T @ sparse.csr_array(own.matrix) @ relative,
        np.hstack(
            [np.vstack([body.damping.shapes, np.zeros((size, body.damping.weights.size))]), relative.T @ own.shapes]
        ),
        np.concatenate([body.damping.weights, own.weights]),
    )
    return Model(
        mass=_diagonal(body.mass, structure.mass),
        damping=damping,
        stiffness=_diagonal(body.stiffness, sparse.csr_array((size, size))),
        flexibility=_diagonal(body.flexibility, structure.flexibility),
        compatibility=B,
        laws=_laws(body.laws, structure.laws, first),
        influence=np.vstack([body.influence, _across(structure, body, structure.influence, turned)]),
        supports=_diagonal(body.supports, pulls[left]),
        dofs=(*body.dofs, *structure.dofs),
        springs=(*body.springs, *structure.springs),
        directions=body.directions,
        units=body.units,
        support_names=(*body.support_names, *(structure.support_names[number] for number in left)),
        groups=dict(body.groups)
        | {name: tuple(first + spring for spring in springs) for name, springs in structure.groups.items()},
        storeys=_storeys(structure, tied, rows),
        geometry=_geometry(structure, tied, rows, count, first),
        body=_wider(body.body, size, len(left)),
        ground_inertia=np.vstack([_pulled(body), _across(structure, body, _pulled(structure), turned)]),
    )


def _rows(structure: Model, body: Body, places: Mapping[str, Any]) -> tuple[list[int], Any, str]:
    """Supports that are tied, their motion (support, dof of the body), and the direction of a structure with one."""
    from scipy import sparse

    if not isinstance(places, Mapping) or not places:
        raise ModelError(f"{WHO}: places must map supports of the structure to points of the body; got {places!r:.60}")
    number = {name: support for support, name in enumerate(structure.support_names)}
    tied, rows, turned = [], [], ""
    for node, given in places.items():
        single = isinstance(given, Sequence) and len(given) == 2 and isinstance(given[1], str)
        place = floats(given[0] if single else given, f"{WHO}: {node!r} needs the coordinates of its place", ModelError)
        if single:
            names, turned = ({node: given[1]} if node in number else {}), given[1]
        else:
            names = {f"{node}.{way}": way for way in ("x", "y", "z", *_TURNS) if f"{node}.{way}" in number}
        if not names:
            known = tuple(dict.fromkeys(name.rpartition(".")[0] or name for name in structure.support_names))
            listed = few(known, node) if known else "none"
            raise ModelError(f"{WHO}: no support of the structure is at {node!r}; it has {listed}")
        values, slopes = body.interpolation(np.atleast_2d(place)), body.slopes(place)
        for name, way in names.items():
            tied.append(number[name])
            if way in _TURNS:
                rows.append(_turned(body, slopes, way))
            elif way in tuple("xyz"[: body.dimension]):
                rows.append(values @ body.motion["xyz".index(way) :: body.dimension])
            else:
                raise ModelError(f"{WHO}: {name} moves in {way!r}, which the body does not have")
    return tied, sparse.csr_array(sparse.vstack(rows)), turned


def _following(structure: Model, pulls: Any) -> Any:
    """(dof, support): what the structure does when its supports move slowly, −K⁻¹ K_support."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    A = inverse(structure.flexibility)
    B = sparse.csr_array(structure.compatibility)
    K = static_stiffness(structure.stiffness, structure.flexibility, B, structure.laws)
    return sparse.csr_array(-splu(sparse.csc_array(K)).solve((B @ A @ pulls.T).toarray()))


def _turned(body: Body, slopes: Any, way: str) -> Any:
    """Row of a rotation: ½(∂uᵢ/∂xⱼ − ∂uⱼ/∂xᵢ); ``slopes`` is (dimension, node)."""
    i, j = _TURNS[way]
    if max(i, j) >= body.dimension:
        raise ModelError(f"{WHO}: a rotation {way} is not one of the body's plane")
    d = body.dimension
    return 0.5 * (slopes[[j]] @ body.motion[i::d] - slopes[[i]] @ body.motion[j::d])


def _across(structure: Model, body: Model, columns: Array, turned: str) -> Array:
    """Columns (dof, direction) of the structure for the directions of the body."""
    out = np.zeros((len(structure.dofs), len(body.directions)))
    for place, way in enumerate(structure.directions):
        known = turned if turned and len(structure.directions) == 1 else way
        if known in body.directions:
            out[:, body.directions.index(known)] = columns[:, place]
    return out


def _pulled(model: Model) -> Array:
    return np.stack([model.inertia(way) for way in model.directions], axis=1)


def _diagonal(one: Any, other: Any) -> Any:
    from scipy import sparse

    return sparse.csr_array(sparse.block_diag([one, other], format="csr"))


def _laws(one: Mapping[str, Any], other: Mapping[str, Any], first: int) -> dict[str, Any]:
    """Both sets of groups; the springs of the second are numbered behind those of the first."""
    laws = dict(one)
    for kind, group in other.items():
        changes = {"first": group.first + first}
        if hasattr(group, "primary"):
            changes["primary"] = group.primary + first
        name, number = kind, 2
        while name in laws:
            name, number = f"{kind.split(' ')[0]} {number}", number + 1
        laws[name] = dataclasses.replace(group, **changes)
    return laws


def _storeys(structure: Model, tied: list[int], rows: Any) -> Storeys | None:
    """Storeys over the dofs of both: drifts of the first are relative to the mean of the supports that are tied."""
    storeys = structure.storeys
    if storeys is None:
        return None
    base = np.zeros((len(structure.directions), rows.shape[1]))
    for place, way in enumerate(structure.directions):
        own = [row for row, support in enumerate(tied) if _way(structure, support) in (way, "")]
        if own:
            base[place] = rows[own].toarray().mean(axis=0)

    def wider(matrix: Any, before: Array) -> Any:
        return np.hstack([before, dense(matrix)])

    drift, nothing = dense(storeys.drift), np.zeros((len(storeys.names), rows.shape[1]))
    return dataclasses.replace(
        storeys,
        drift=wider(drift, -(drift @ structure.influence) @ base),
        above=wider(storeys.above, nothing),
        floors=None if storeys.floors is None else wider(storeys.floors, nothing),
    )


def _way(structure: Model, support: int) -> str:
    """Direction of a support; empty where its name has none."""
    _, dot, way = structure.support_names[support].rpartition(".")
    return way if dot else ""


def _geometry(structure: Model, tied: list[int], rows: Any, count: int, first: int) -> Geometry | None:
    """Where the structure is; its tied nodes are drawn where the body takes them."""
    from scipy import sparse

    old = structure.geometry
    if old is None:
        return None
    motion = sparse.lil_array(
        sparse.hstack([sparse.csr_array((old.motion.shape[0], count)), sparse.csr_array(old.motion)])
    )
    width = old.coordinates.shape[1]
    for row, support in enumerate(tied):
        node, _, way = structure.support_names[support].rpartition(".")
        if node in old.nodes and way in tuple("xyz"[:width]):
            motion[[old.nodes.index(node) * width + "xyz".index(way)], :count] = rows[[row]]
    springs = tuple(tuple(first + spring for spring in each) for each in old.springs)
    return dataclasses.replace(old, motion=sparse.csr_array(motion), springs=springs)


def _wider(body: Body, dofs: int, supports: int) -> Body:
    from scipy import sparse

    def padded(matrix: Any, more: int) -> Any:
        return sparse.csr_array(
            (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], matrix.shape[1] + more)
        )

    return dataclasses.replace(
        body,
        motion=padded(body.motion, dofs),
        given=padded(body.given, supports),
        outgoing=_diagonal(body.outgoing, sparse.csr_array((dofs, dofs))),
    )
