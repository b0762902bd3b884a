"""Model: one record of arrays for oscillator, frame and solid alike; what others ask of its laws: parameters spring by
spring, who yields, state variables, plain arrays; and its modes: periods, shapes, participation and effective masses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hamex.checks import LEAST, MOST
from hamex.errors import LawError, ModelError
from hamex.model.algebra import (
    DENSE,
    Masses,
    diagonal,
    eigen,
    forces_of,
    group_stiffness,
    quadratic,
    rows,
    solved,
    static_stiffness,
)
from hamex.model.damping import Damping
from hamex.model.fields import Fields
from hamex.model.laws import by_kind
from hamex.model.laws.law import Group
from hamex.model.laws.surface import Surfaces
from hamex.model.layout import Geometry, Layout, Storeys
from hamex.model.solids.body import Body
from hamex.model.units import Units
from hamex.names import Shown

Array = NDArray[Any]
Matrix = Any  # a NumPy array or a SciPy sparse array; both know shape, @ and .T
Answer = TypeVar("Answer")
_ITERATED = 20_000  # dofs of a body in space beyond which the factors of its masses cost more than iterations


@dataclass(frozen=True, eq=False)
class Model(Layout, Shown):
    """What is shaken: ``L = ½u̇ᵀMu̇ − ½uᵀKu + ½J̇ᵀAJ̇ − J̇ᵀBᵀu``, ``φ = ½u̇ᵀCu̇ + Σφₑ(J̇ₑ)``.

    Builders such as :func:`hamex.oscillator` return it; nobody has to fill it by hand.

    Attributes
    ----------
    mass : M, (dof, dof) [force·time²/length].
    damping : C as a matrix plus a low-rank part [force·time/length].
    stiffness : K, linear stiffness outside the springs (P-Delta), may be negative [force/length].
    flexibility : A, (spring, spring), block diagonal [length/force].
    compatibility : B, (dof, spring): deformation of the springs is ``Bᵀu``.
    laws : parameter arrays of the springs' laws by kind, :class:`hamex.model.laws.Group` or its like.
    influence : ι, (dof, direction): rigid motion of the dofs with the ground.
    supports : (support, spring): deformation of the springs per displacement of each support, all dofs at rest.
    dofs, springs, directions : names, in the order of the arrays.
    units : names of the units of length and force.
    support_names : names of the supports that may move.
    groups : springs by what they belong to (storey, element, device), as spring numbers.
    storeys, geometry : for results and pictures, where the builder knows them.
    body : of a solid: its mesh, for loads, fields and pictures. Its K is positive semidefinite by construction.
    ground_inertia : (dof, direction), inertia per acceleration of the ground [force·time²/length]: M ι, and what
        consistent masses share with nodes that move with the ground; None: M ι alone.
    fields : of a density on a mesh (:func:`hamex.discretise`): loads, starts and probes; files do not keep it.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0])
    >>> model.dofs, model.springs
    (('floor 1', 'floor 2'), ('storey 1', 'storey 2'))
    """

    mass: Matrix
    damping: Damping
    stiffness: Matrix
    flexibility: Matrix
    compatibility: Matrix
    laws: Mapping[str, Any]
    influence: Array
    supports: Matrix
    dofs: tuple[str, ...]
    springs: tuple[str, ...]
    directions: tuple[str, ...] = ("x",)
    units: Units = field(default_factory=Units)
    support_names: tuple[str, ...] = ()
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    storeys: Storeys | None = None
    geometry: Geometry | None = None
    body: Body | None = None
    ground_inertia: Array | None = None
    fields: Fields | None = None

    def __post_init__(self) -> None:
        dof, spring = len(self.dofs), len(self.springs)
        shapes = {
            "mass": (dof, dof),
            "stiffness": (dof, dof),
            "flexibility": (spring, spring),
            "compatibility": (dof, spring),
            "influence": (dof, len(self.directions)),
            "supports": (len(self.support_names), spring),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ModelError(f"Model: {name} has shape {array.shape}, expected {shape}")
            if not np.all(np.isfinite(entries(array))):
                raise ModelError(f"Model: {name} holds a value that is not finite")
            largest = float(np.abs(entries(array)).max(initial=0.0))
            if largest and not LEAST**2 <= largest <= MOST**2:  # quotients and products of what builders take
                raise ModelError(f"Model: the numbers of {name} are out of proportion, up to {largest:g}; mend them")
        damping = self.damping
        if damping.matrix.shape != (dof, dof) or damping.shapes.shape != (dof, damping.weights.size):
            raise ModelError(
                f"Model: damping has shape {damping.matrix.shape} and mode shapes {damping.shapes.shape}, "
                f"expected {(dof, dof)} and {(dof, damping.weights.size)}"
            )
        if not all(np.all(np.isfinite(entries(x))) for x in (damping.matrix, damping.shapes, damping.weights)):
            raise ModelError("Model: damping holds a value that is not finite")

    def __repr__(self) -> str:
        laws = ", ".join(f"{len(group.first)} {kind}" for kind, group in self.laws.items() if len(group.first))
        where = "" if self.storeys is None else f", {len(self.storeys.names) // self.horizontal} storeys"
        return (
            f"<Model: {len(self.dofs)} dofs, {len(self.springs)} springs{laws and f' ({laws})'}{where}, "
            f"in {self.units.length} and {self.units.force}>"
        )

    @cached_property
    def yields(self) -> Array:
        """(spring,), True where a spring has a yield limit."""
        return yields(self)

    @cached_property
    def together(self) -> Array:
        """(spring,), True where a spring yields together with others on one surface."""
        return _by_springs(self, False, lambda group: group.law.together(group))

    @cached_property
    def spring_stiffness(self) -> dict[str, Array]:
        """Stiffness of the springs by group of laws, (spring,) or (block, m, m) [force/length]."""
        return group_stiffness(self.flexibility, self.laws)

    def inertia(self, direction: str) -> Array:
        """(dof,), inertia per acceleration of the ground in a direction [force·time²/length]."""
        way = self.directions.index(direction)
        return np.asarray(
            self.mass @ self.influence[:, way] if self.ground_inertia is None else self.ground_inertia[:, way]
        )

    @cached_property
    def massless(self) -> Array:
        """(dof,), True for dofs without mass."""
        return np.asarray(diagonal(self.mass) == 0)

    @cached_property
    def masses(self) -> Masses:
        """M, to be solved with."""
        in_space = self.body is not None and self.body.dimension == 3
        return Masses(self.mass, self.body is not None, in_space and len(self.dofs) > _ITERATED)

    def deformation(self, u: Array) -> Array:
        """Bᵀu, row by row [length]."""
        return rows(u, self.compatibility)

    def spans(self, u: Array) -> Array:
        """|B|ᵀ|u|, what deformations are differences of [length]."""
        return rows(np.abs(u), abs(self.compatibility))

    def velocity(self, p: Array) -> Array:
        """M⁻¹p, row by row [length/time]; zero where a dof has no mass."""
        return self.masses.solved(p)

    def elastic_force(self, elastic: Array) -> Array:
        """A⁻¹ times elastic deformations, row by row [force]."""
        if self.body is None or elastic.ndim == 1:
            return solved(self.flexibility, elastic)
        force = np.empty_like(elastic)  # block by block: those of a body are too many to be factored
        for kind, group in self.laws.items():
            force[:, group.springs] = forces_of(self.spring_stiffness[kind], elastic[:, group.springs])
        return force

    def damping_force(self, rate: Array) -> Array:
        """C times rates, row by row [force]."""
        c = self.damping
        return np.asarray(rows(rate, c.matrix) + ((rate @ c.shapes) * c.weights) @ c.shapes.T)

    def damping_power(self, rate: Array) -> Array:
        """rateᵀ C rate, row by row [force·length/time]."""
        c = self.damping
        return quadratic(rate, c.matrix) + ((rate @ c.shapes) ** 2 @ c.weights)


def once(ask: Callable[[Model], Answer]) -> Callable[[Model], Answer]:
    """A question about a model, answered once for each: models do not change, and many runs ask the same of one.

    The answer is kept with the model, as what it knows of itself; nobody may write to it.
    """
    place = f"{ask.__module__}.{ask.__name__}"

    @wraps(ask)
    def answered(model: Model) -> Answer:
        known: dict[str, Any] = vars(model)
        if place not in known:
            known[place] = ask(model)
        answer: Answer = known[place]
        return answer

    return answered


def entries(matrix: Matrix) -> Array:
    """The stored numbers of a plain or sparse matrix."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.data)


def dense(matrix: Matrix) -> Array:
    """A plain or sparse matrix as a plain array."""
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def _by_springs(model: Model, none: float, ask: Callable[[Group], Array]) -> Array:
    """(spring,), what the groups of laws answer, each for its springs."""
    out = np.full(len(model.springs), none)
    for group in model.laws.values():
        out[group.springs] = ask(group)
    return out


def parameter(model: Model, name: str) -> Array:
    """(spring,), a parameter of the laws by name; zero where a spring's law has none of that name."""
    return _by_springs(model, 0.0, lambda group: group.law.per_spring(group, name))


def per_spring(model: Model) -> dict[str, Array]:
    """The parameters of sliders, spring by spring: for the routes that know no other law."""
    return {name: parameter(model, name) for name in ("yield_force", "viscosity", "kinematic", "isotropic")}


def yields(model: Model) -> Array:
    """(spring,), True where a spring has a yield limit; dampers flow from the start and have none."""
    return _by_springs(model, False, lambda group: group.law.yields(group))


def sliding_forces(model: Model) -> Array:
    """(spring,), force at which each spring slides by itself; ∞ where it never does."""
    out = np.full(len(model.springs), np.inf)
    for group in model.laws.values():
        limits = group.law.slides(group)
        assert limits is not None  # the schemes that ask have refused every other law
        out[group.springs] = limits
    return out


def damps(model: Model) -> Array:
    """(spring,), True where a spring is a damper."""
    return _by_springs(model, False, lambda group: group.law.damps(group))


def yield_forces(model: Model) -> Array:
    """(spring,), force at first yield; NaN where a spring has none of its own."""
    return _by_springs(model, np.nan, lambda group: group.law.first_yield(group))


def law_variables(model: Model) -> tuple[str, ...]:
    """Names of the state variables of the model's laws beside slip, one value per spring each."""
    names = ("back_force", "accumulated_slip", *(name for group in model.laws.values() for name in group.law.variables))
    return tuple(name for name in dict.fromkeys(names) if name != "slip")


def recorded(model: Model) -> tuple[str, ...]:
    """State variables that become histories, beside slip."""
    return tuple(dict.fromkeys(name for group in model.laws.values() for name in group.law.recorded(group)))


def law_arrays(model: Model) -> dict[str, dict[str, Array]]:
    """The laws as plain arrays by kind and parameter, with the digest of those that are a user's own: what a file keeps
    and a hash covers."""
    return {
        kind: {**group.numbers, **({"source": np.array(group.law.source)} if group.law.source else {})}
        for kind, group in model.laws.items()
    }


def laws_of(arrays: Mapping[str, Mapping[str, Array]]) -> dict[str, Any]:
    """The laws of a model from what :func:`law_arrays` gave."""
    return {kind: _group(kind, dict(numbers)) for kind, numbers in arrays.items()}


def _group(kind: str, numbers: dict[str, Array]) -> Any:
    if kind == "surface":
        return Surfaces(**numbers)
    try:
        law = by_kind(kind.split(" ")[0])
    except LawError as problem:
        raise ModelError(str(problem)) from None
    if int(numbers.pop("source", law.source)) != law.source:
        raise ModelError(f"the law {kind} is not the one that this was made with: its source has changed since")
    first, components = numbers.pop("first").astype(np.intp), int(numbers.pop("components", np.array(1)))
    return Group(law, first, components, numbers)


@dataclass(frozen=True, eq=False)
class Modes(Shown):
    """Natural modes of a model, lowest frequency first.

    Attributes
    ----------
    frequencies : ω [rad/time].
    shapes : φ, (dof, mode), mass normalised: φᵀMφ = 1; the largest entry is positive.
    participation : Γ = φᵀMι, (mode, direction) [√mass].
    effective_mass : Γ², (mode, direction) [mass]; over all modes they add up to ``total_mass``.
    total_mass : ιᵀMι, per direction [mass].
    dofs, directions : names.
    geometry : where the nodes are, for pictures; None where the model has no shape.
    body : of a solid: its mesh, for pictures.

    Examples
    --------
    >>> import hamex as hx
    >>> found = hx.modes(hx.shear_frame(masses=[2.0, 1.0], stiffnesses=[300.0, 200.0]))
    >>> found.periods.round(3).tolist()
    [0.696, 0.327]
    >>> float(found.effective_mass.sum().round(9)) == float(found.total_mass.sum())
    True
    """

    frequencies: Array
    shapes: Array
    participation: Array
    effective_mass: Array
    total_mass: Array
    dofs: tuple[str, ...]
    directions: tuple[str, ...]
    geometry: Geometry | None = None
    body: Body | None = None

    def __repr__(self) -> str:
        some = ", ".join(f"{period:.4g}" for period in self.periods[:4])
        more = " …" if len(self.periods) > 4 else ""
        return f"<Modes: {len(self.frequencies)} of {len(self.dofs)} dofs; periods {some}{more} s>"

    @property
    def periods(self) -> Array:
        """T = 2π/ω [time]; infinite for a motion without stiffness."""
        with np.errstate(divide="ignore"):
            return np.asarray(2 * np.pi / self.frequencies)

    @property
    def effective_ratio(self) -> Array:
        """Effective mass as a share of the total, (mode, direction) [1]; NaN in a direction without mass."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.effective_mass / self.total_mass)

    @property
    def cumulative_ratio(self) -> Array:
        """Share of the total mass in the modes up to each one, (mode, direction) [1]."""
        return np.asarray(np.cumsum(self.effective_ratio, axis=0))


_SLOWEST = 24  # modes that tell how the mass swings where there are many
_MANY = 2000  # dofs up to which modes tell it


@once
def swings(model: Model) -> tuple[Array, Array]:
    """Periods of the modes at rest, and the shares of the mass that they carry, (mode, direction); none where nothing
    swings at rest.

    Of more than ``DENSE`` dofs these are the slowest modes, beyond ``_MANY`` the shapes under an even acceleration in
    each direction, whose Rayleigh quotients bound the first period from below.
    """
    if len(model.dofs) == 1 and isinstance(model.mass, np.ndarray):  # needs no SciPy
        k = 1 / float(dense(model.flexibility)[0, 0])
        shares = [float(group.law.static_share(group, np.array([k]))[0]) for group in model.laws.values()]
        k = float(dense(model.stiffness)[0, 0]) + k * (shares[0] if shares else 1.0)
        periods = [2 * np.pi * np.sqrt(float(model.mass[0, 0]) / k)] if k > 0 else []
        return np.array(periods), np.ones((len(periods), 1))
    try:
        if len(model.dofs) <= _MANY:
            found = _modes(model, None if len(model.dofs) <= DENSE else _SLOWEST)
            return found.periods, np.nan_to_num(found.effective_ratio)
        return _under_inertia(model)
    except (ModelError, RuntimeError):  # a negative stiffness, or none
        return np.zeros(0), np.zeros((0, len(model.directions)))


def _under_inertia(model: Model) -> tuple[Array, Array]:
    from scipy.sparse.linalg import splu

    K = static_stiffness(model.stiffness, model.flexibility, model.compatibility, model.laws).tocsc()
    pushed = model.mass @ model.influence
    shapes = splu(K).solve(np.asarray(pushed, dtype=float))
    work, swung = (shapes * pushed).sum(axis=0), (shapes * (model.mass @ shapes)).sum(axis=0)
    pushes = np.flatnonzero((work > 0) & (swung > 0))
    work, swung = work[pushes], swung[pushes]
    share = np.zeros((len(pushes), len(model.directions)))
    share[np.arange(len(pushes)), pushes] = work**2 / (swung * (model.influence * pushed).sum(axis=0)[pushes])
    return 2 * np.pi * np.sqrt(swung / work), share


def modes(model: Model, count: int | None = None) -> Modes:
    """Natural modes of a model at rest: mass M, stiffness ``K + B A⁻¹ Bᵀ``, P-Delta included.

    Springs that flow under any force (Maxwell and power-law dampers) do not stiffen it. Massless dofs follow
    statically.

    Parameters
    ----------
    model : any model.
    count : how many, lowest first; all that the masses allow by default.

    Examples
    --------
    >>> from hamex.model.shear_frame import shear_frame
    >>> found = modes(shear_frame(masses=[1.0, 1.0], stiffnesses=[100.0, 100.0]))
    >>> found.periods.round(4).tolist()
    [1.0166, 0.3883]
    >>> found.cumulative_ratio[:, 0].round(4).tolist()
    [0.9472, 1.0]
    """
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ModelError(f"modes: count must be a whole number from 1 on, got {count!r}")
    return _modes(model, count, "modes")


def _modes(model: Model, count: int | None, who: str = "") -> Modes:
    """The same; ``who`` warns of lost digits."""
    from scipy import sparse

    mass = sparse.csr_array(model.mass)
    stiffness = static_stiffness(model.stiffness, model.flexibility, model.compatibility, model.laws)
    definite = model.body is not None and not np.any(model.massless)
    frequencies, shapes = eigen(mass, stiffness, count, definite, who)
    moved = mass @ model.influence
    participation = shapes.T @ moved
    total = np.sum(model.influence * moved, axis=0)
    names = model.dofs, model.directions
    return Modes(frequencies, shapes, participation, participation**2, total, *names, model.geometry, model.body)
