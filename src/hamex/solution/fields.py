"""Fields of bodies at chosen instants, and probes in time at chosen places; only what is asked for is computed.

Displacements, velocities and accelerations live at the nodes, where those of boundaries that move as given are known
too; strains and stresses live at the points of integration, where the law of the material is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_memory, floats, is_one_of, is_whole
from hamex.errors import InputError
from hamex.model.inputs import few
from hamex.model.solids.skin import carried, equivalent_strain, mean_stress, principal, von_mises
from hamex.solution.outline import Answers, unit

if TYPE_CHECKING:
    import xarray as xr

    from hamex.model.solids.body import Body

Array = NDArray[Any]


def at_instants(solution: Answers, of: str, instants: Array, shares: Any = None) -> Array:
    """(instant, dof) of displacement, velocity or acceleration; or (instant, place) with ``shares`` (place, dof). Dofs
    without mass, which a structure on a body may have, show no velocity here.

    Velocities of a few places in many instants are found the other way round: with W = M⁻¹ sharesᵀ they are p W, one
    solution per place instead of one per instant.
    """
    what = "acceleration" if of == "absolute_acceleration" else of
    kept = solution.histories
    if of == "absolute_acceleration" and of in kept:
        return _shared(kept[of], instants, shares)
    if what == "displacement" or what in kept:
        return _shared(_history(solution, what), instants, shares) + _ride(solution, of, instants, shares)
    if what == "acceleration":
        if solution.extent.every > 1:
            raise InputError(
                f"{of} needs two nodes in a row, and every {solution.extent.every}th was kept; name it among the "
                "results that are kept"
            )
        ends = at_instants(solution, "velocity", np.concatenate([instants, instants + 1]), shares)
        rate = (ends[len(instants) :] - ends[: len(instants)]) / solution.step
        return rate + _ride(solution, of, instants, shares)
    momentum, model = _history(solution, "momentum"), solution.model
    if shares is not None and shares.shape[0] < len(instants):
        return np.asarray(momentum[instants] @ model.velocity(shares.toarray()).T)
    velocity = model.velocity(momentum[instants])
    return velocity if shares is None else np.asarray((shares @ velocity.T).T)


def _history(solution: Answers, name: str) -> Array:
    if name not in solution.histories:
        raise InputError(f"the run kept no {name}; add it to keep=, or leave keep= without names")
    return solution.histories[name]


def _shared(history: Array, instants: Array, shares: Any) -> Array:
    if shares is None:
        return history[instants]
    columns = np.unique(shares.indices)  # of a long history of many dofs only these are touched
    return np.asarray((shares[:, columns] @ history[np.ix_(instants, columns)].T).T)


def _ride(solution: Answers, of: str, instants: Array, shares: Any) -> Any:
    """Acceleration of the ground that the dofs ride on, where the absolute one is asked for."""
    if of != "absolute_acceleration":
        return 0.0
    ground = solution.loading.ground
    return solution.loading.means[instants] @ (ground if shares is None else shares @ ground).T


def ground_share(solution: Answers, body: Body) -> Array:
    """(node · dimension, channel): acceleration of the ground at the nodes that move with it, which are no dofs."""
    layout, ground = solution.layout, solution.loading.ground
    out = np.zeros((body.motion.shape[0], ground.shape[1]))
    held = body.held
    for column, way in enumerate(layout.directions):
        own = np.flatnonzero(layout.influence[:, column])
        if own.size:
            axis = "xyz".index(way)
            out.reshape(*held.shape, -1)[held[:, axis], axis] = ground[own[0]]
    return out


Times = float | Sequence[float] | Array | None
_BLOCK = 1 << 22  # numbers of strains that are computed together along a history
_PLACES = ("points", "nodes", "cells")


class Field(NamedTuple):
    """What a field is: motion or strain it comes from, kind of its unit, its components, and what is made of them."""

    of: str
    kind: str
    components: str
    meaning: str
    made: Callable[[Sequence[str], Array], Array] | None = None


def _size(_: Sequence[str], vector: Array) -> Array:
    return np.asarray(np.linalg.norm(vector, axis=-1))


FIELDS: dict[str, Field] = {
    "displacement": Field("displacement", "length", "axes", "displacement, relative to the ground"),
    "displacement_size": Field("displacement", "length", "", "length of the displacement", _size),
    "velocity": Field("velocity", "velocity", "axes", "velocity, relative to the ground"),
    "speed": Field("velocity", "velocity", "", "length of the velocity", _size),
    "acceleration": Field("acceleration", "acceleration", "axes", "mean acceleration of the step, relative"),
    "absolute_acceleration": Field(
        "absolute_acceleration", "acceleration", "axes", "mean acceleration of the step plus that of the ground"
    ),
    "strain": Field("strain", "one", "strains", "strain; shear strains are γ = 2ε"),
    "plastic_strain": Field("plastic_strain", "one", "strains", "plastic strain; shear strains are γ = 2ε"),
    "equivalent_plastic_strain": Field(
        "plastic_strain", "one", "", "√(2/3 εᵖ:εᵖ) of the plastic strain", equivalent_strain
    ),
    "stress": Field("stress", "stress", "strains", "stress, positive in tension"),
    "von_mises": Field("stress", "stress", "", "von Mises stress √(3/2 s:s)", von_mises),
    "mean_stress": Field("stress", "stress", "", "mean stress, positive in tension", mean_stress),
    "principal_stress": Field("stress", "stress", "order", "principal stresses, largest first", principal),
}
_OF_NODES = ("displacement", "velocity", "acceleration", "absolute_acceleration")
_OF_STEPS = ("acceleration", "absolute_acceleration")


def body_of(solution: Answers, who: str) -> Body:
    """The body, or a word on what to ask instead."""
    body = solution.layout.body
    if body is None:
        raise InputError(
            f"{who}: the model is no body on a mesh; its results are histories of dofs and springs, such as "
            "displacement and force"
        )
    return body


def known(name: object, who: str) -> Field:
    """What a field is, by name."""
    if not is_one_of(name, tuple(FIELDS)):
        raise InputError(f"{who}: there is no field {name!r:.40}; known are {few(tuple(FIELDS), name, 20)}")
    return FIELDS[str(name)]


def clock(solution: Answers, name: str) -> Array:
    """Instants at which a field is known [s]: nodes that were kept, or middles of steps."""
    return solution.middles if FIELDS[name].of in _OF_STEPS else solution.times


def nearest(solution: Answers, name: str, times: Times, who: str) -> Array:
    """Numbers of the instants that are nearest to times [s]; None is the last one."""
    instants = clock(solution, name)
    if times is None:
        return np.array([len(instants) - 1])
    wanted = np.atleast_1d(floats(times, f"{who}: times must be numbers", InputError))
    apart = float(np.diff(instants).max(initial=solution.step))
    if wanted.ndim != 1 or not np.all((wanted >= instants[0] - apart) & (wanted <= instants[-1] + apart)):
        raise InputError(
            f"{who}: there is no instant near {wanted.tolist()!s:.60}; those known go from {instants[0]:g} to "
            f"{instants[-1]:g} s"
        )
    return np.abs(instants[None, :] - wanted[:, None]).argmin(axis=1)


# Values at one instant -------------------------------------------------------------------------------------------


def nodal(solution: Answers, body: Body, of: str, instant: int) -> Array:
    """(node, dimension): displacement, velocity or an acceleration of all nodes at one instant."""
    own = at_instants(solution, of, np.array([instant]))[0]
    flat = body.motion @ own
    driven = solution.driven
    if driven is not None:
        flat = flat + body.given @ driven.at(of)[instant]
    if of == "absolute_acceleration":
        flat = flat + ground_share(solution, body) @ solution.loading.means[instant]
    return np.asarray(flat).reshape(-1, body.dimension)


def at_points(solution: Answers, body: Body, of: str, instant: int) -> Array:
    """(cell, point, m): strain, plastic strain or stress at one instant."""
    slip = _slip(solution, body)[instant]
    if of == "plastic_strain":
        return body.plastic_strain(slip)
    moved = nodal(solution, body, "displacement", instant)
    return body.strain(moved) if of == "strain" else body.stress(moved, slip)


def _slip(solution: Answers, body: Body) -> Array:
    if "slip" in solution.histories:
        return solution.histories["slip"]
    if np.any(body.slipping >= 0):
        raise InputError("the run kept no slip, which stresses need where the material yields; add it to keep=")
    return np.zeros((solution.steps + 1, 0))


def values(solution: Answers, body: Body, name: str, instant: int, at: str) -> Array:
    """A field at one instant: at (node,) or (cell, point) or (cell,), and its components."""
    what = FIELDS[name]
    if what.of in _OF_NODES:
        found = nodal(solution, body, what.of, instant)
        return found if what.made is None else what.made((), found)
    found = at_points(solution, body, what.of, instant)
    found = body.at_nodes(found) if at == "nodes" else body.in_cells(found) if at == "cells" else found
    return found if what.made is None else what.made(body.components, found)


class Scalar(NamedTuple):
    """One number a node: a field, or a component of one, with its words and unit."""

    name: str
    component: int | None
    words: str
    unit: str

    @property
    def signed(self) -> bool:
        """Whether it may be negative."""
        return self.component is not None or self.name == "mean_stress"

    def at(self, solution: Answers, body: Body, instant: int) -> Array:
        """(node,), at one instant."""
        found = values(solution, body, self.name, instant, "nodes")
        return found if self.component is None else found[..., self.component]


_INSTEAD = {"displacement": "displacement_size", "velocity": "speed", "stress": "von_mises"}
_INSTEAD |= {"plastic_strain": "equivalent_plastic_strain"}
_SHORT = {"displacement_size": "displacement", "von_mises": "von Mises stress"}


def scalar(solution: Answers, name: str, who: str) -> Scalar:
    """What "von_mises", "stress" (then its von Mises stress), "velocity" (then its length) or "stress.xx" names."""
    body = body_of(solution, who)
    field, _, part = str(name).partition(".")
    known(field, who)
    field = field if part else _INSTEAD.get(field, field)
    labels = _components(field, body)
    if (part or labels) and part not in labels:
        parts = ", ".join(f"{field}.{label}" for label in labels) or field
        raise InputError(f"{who}: {name!r:.40} is no single number at a place; take {parts}")
    words = _SHORT.get(field, field.replace("_", " ")) + (f" {part}" if part else "")
    label = unit(FIELDS[field].kind, solution.units.length, solution.units.force)
    return Scalar(field, labels.index(part) if part else None, words, label)


def place_of(name: str, at: object, who: str) -> str:
    """Where a field is told: nodes for motions; points, unless something else is asked for, for strains."""
    if FIELDS[name].of in _OF_NODES:
        if at not in (None, "nodes"):
            raise InputError(f"{who}: {name} is known at the nodes, not at {at!r:.40}")
        return "nodes"
    if at is None:
        return "points"
    if not is_one_of(at, _PLACES):
        raise InputError(f"{who}: at must be one of {', '.join(_PLACES)}; got {at!r:.40}")
    return str(at)


def field(solution: Answers, name: str, time: Times = None, at: str | None = None) -> xr.DataArray:
    """See :meth:`hamex.Solution.field`."""
    import xarray as xr

    body = body_of(solution, "field")
    known(name, "field")
    where = place_of(name, at, "field")
    instants = nearest(solution, name, time, "field")
    several = time is not None and np.ndim(time) > 0
    size = body.nodes.size if where == "nodes" else body.slipping.size * len(body.components)
    check_memory("field", 2.0 * size * len(instants), f"{len(instants)} instants", "take fewer")
    found = np.stack([values(solution, body, name, int(instant), where) for instant in instants])
    dims = {"nodes": ("node",), "points": ("cell", "point"), "cells": ("cell",)}[where]
    places = {"nodes": body.nodes, "points": body.places, "cells": body.in_cells(body.places)}[where]
    coordinates: dict[str, Any] = {"time": ("time", clock(solution, name)[instants], {"units": "s"})}
    coordinates |= _numbered(dims, places) | _along(places, dims, solution)
    labels = _components(name, body)
    array = xr.DataArray(
        found,
        dims=("time", *dims, *(("component",) if labels else ())),
        coords=coordinates | ({"component": list(labels)} if labels else {}),
        name=name,
        attrs=_words(solution, name),
    )
    return array if several else array.isel(time=0)


def _numbered(dims: tuple[str, ...], places: Array) -> dict[str, Any]:
    return {dim: np.arange(1, size + 1) for dim, size in zip(dims, places.shape, strict=False)}


def _along(places: Array, dims: tuple[str, ...], solution: Answers) -> dict[str, Any]:
    """Coordinates x, y and z."""
    return {
        way: (dims, places[..., place], {"units": solution.units.length})
        for place, way in enumerate("xyz"[: places.shape[-1]])
    }


def _components(name: str, body: Body) -> tuple[str, ...]:
    axes = tuple("xyz"[: body.dimension])
    return {"axes": axes, "strains": body.components, "order": ("1", "2", "3"), "": ()}[FIELDS[name].components]


def _words(solution: Answers, name: str) -> dict[str, str]:
    what = FIELDS[name]
    words = {"units": unit(what.kind, solution.units.length, solution.units.force), "long_name": what.meaning}
    if solution.extent.every > 1:
        words["kept"] = f"instants are those that were kept, every {solution.extent.every} steps"
    return words


# Values in time --------------------------------------------------------------------------------------------------


def probe(solution: Answers, places: ArrayLike, name: str = "displacement", times: Times = None) -> xr.DataArray:
    """See :meth:`hamex.Solution.probe`."""
    import xarray as xr

    body = body_of(solution, "probe")
    what = known(name, "probe")
    points = np.atleast_2d(floats(places, "probe: places must be coordinates", InputError))
    if points.ndim != 2 or points.shape[1] != body.dimension:
        raise InputError(f"probe: places have {body.dimension} coordinates each, got shape {np.shape(places)}")
    instants = np.arange(len(clock(solution, name))) if times is None else nearest(solution, name, times, "probe")
    if what.of in _OF_NODES:
        found = _moving(solution, body, what.of, points, instants)
    else:
        found = _strained(solution, body, what.of, points, instants)
    if what.made is not None:
        found = what.made(body.components, found)
    first = "interval" if what.of in _OF_STEPS else "time"
    labels = _components(name, body)
    return xr.DataArray(
        found,
        dims=(first, "point", *(("component",) if labels else ())),
        coords={first: (first, clock(solution, name)[instants], {"units": "s"})}
        | _numbered(("point",), points)
        | _along(points, ("point",), solution)
        | ({"component": list(labels)} if labels else {}),
        name=name,
        attrs=_words(solution, name),
    )


def probe_line(
    solution: Answers,
    start: ArrayLike,
    end: ArrayLike,
    name: str = "displacement",
    count: int = 101,
    times: Times = None,
) -> xr.DataArray:
    """See :meth:`hamex.Solution.probe_line`."""
    ends = [np.atleast_1d(floats(place, "probe_line: ends must be coordinates", InputError)) for place in (start, end)]
    if not is_whole(count, 2):
        raise InputError(f"probe_line: count must be a whole number ≥ 2, got {count!r:.40}")
    if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
        raise InputError(f"probe_line: the ends have {ends[0].size} and {ends[1].size} coordinates; give the same")
    share = np.linspace(0.0, 1.0, count)
    found = probe(solution, ends[0] + share[:, None] * (ends[1] - ends[0]), name, times)
    distance = share * float(np.linalg.norm(ends[1] - ends[0]))
    words = {"units": solution.units.length, "long_name": "distance from the start of the line"}
    return found.assign_coords(distance=("point", distance, words))


def _moving(solution: Answers, body: Body, of: str, points: Array, instants: Array) -> Array:
    """(instant, point, dimension)."""
    from scipy import sparse

    d = body.dimension
    shares = sparse.csr_array(sparse.kron(body.interpolation(points), sparse.eye_array(d)))
    found = at_instants(solution, of, instants, sparse.csr_array(shares @ body.motion))
    driven = solution.driven
    if driven is not None:
        found = found + driven.at(of)[instants] @ (shares @ body.given).toarray().T
    if of == "absolute_acceleration":
        found = found + solution.loading.means[instants] @ (shares @ ground_share(solution, body)).T
    return np.asarray(found).reshape(len(instants), len(points), d)


def _strained(solution: Answers, body: Body, of: str, points: Array, instants: Array) -> Array:
    """(instant, point, m)."""
    elements = body.elements
    cells, X = body.found(points)
    unique, own = np.unique(cells, return_inverse=True)
    weights = carried(elements.rule[0], X)  # (place, point of its cell)
    B, _ = elements.strains(unique)
    slip = _slip(solution, body)
    d, n = body.dimension, elements.nodes.shape[1]
    rows = (elements.nodes[unique][:, :, None] * d + np.arange(d)).ravel()
    motion, given, driven = body.motion[rows], body.given[rows], solution.driven
    first, m = body.slipping[unique], len(body.components)
    D = body.elasticity[unique] if body.elasticity.ndim == 4 else body.elasticity[body.kind[unique]][:, None]
    out = np.zeros((len(instants), len(points), m))
    together = max(_BLOCK // B[..., 0].size, 1)
    for begin in range(0, len(instants), together):
        some = instants[begin : begin + together]
        plastic = np.zeros((len(some), *first.shape, m))
        if slip.shape[1]:
            found = slip[some[:, None, None, None], (np.maximum(first, 0)[..., None] + np.arange(m))[None]]
            plastic = np.where(first[None, ..., None] >= 0, found, 0.0)
        if of != "plastic_strain":
            moved = at_instants(solution, "displacement", some, motion)
            if driven is not None:
                moved = moved + driven.displacement[some] @ given.toarray().T
            strain = np.einsum("eqmi,tei->teqm", B, moved.reshape(len(some), len(unique), n * d), optimize=True)
            elastic = strain - plastic
            plastic = strain if of == "strain" else np.einsum("eqab,teqb->teqa", D, elastic, optimize=True)
        out[begin : begin + together] = np.einsum("pq,tpqm->tpm", weights, plastic[:, own], optimize=True)
    return out
