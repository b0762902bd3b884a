"""The quadratic forms of a density: what a mesh needs to know of an action, as tables of coefficients.

A density that is quadratic in its fields is, at every point of space,

    l = ½ żᵀT ż − ½ zᵀV z + J̇ᵀG z + ½ J̇ᵀA J̇ + bᵀz,    φ = ½ żᵀD ż,

with the fields and their space derivatives in z. Impulses J enter with their rates alone, as stresses do in eq. (34):
their equation is d/dt(A J̇ + G z) = 0, so that A J̇ = −G z from rest on, and what they leave is ½ zᵀ Gᵀ A⁻¹ G z in the
potential. Rates beside places of any other kind (gyroscopic forces, first-order pairs) are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.jets import Index, indices, jet, t
from hamex.principle.parts import Part
from hamex.principle.variation import StatedAction

Array = NDArray[Any]
_SINGULAR = 1e-12  # eigenvalue of the scaled flexibility at which some stress would cost no energy
_MULTIPLIER = "is not positive definite; a stress without flexibility is a constraint, which no step determines"


class Place(NamedTuple):
    """A field by its number among those that remain, or one of its space derivatives: numbers of the axes."""

    field: int
    axes: tuple[int, ...]


class Coefficients(NamedTuple):
    """The forms at some points: (place, place) or (place,), then the shape of the points where they vary."""

    kinetic: Array
    dissipation: Array
    potential: Array
    load: Array


@dataclass(frozen=True, eq=False)
class QuadraticDensity:
    """A density as tables: places in its forms, names that need numbers, and one function from numbers to coefficients.

    Attributes
    ----------
    name : of the action, or "this density".
    space, fields : names of the coordinates, and of the fields that remain.
    impulses : names of the fields that were eliminated.
    kinetic, dissipation, potential : places in the three forms; load : fields that a load acts on, by their number.
    parameters : names that numbers are needed for; ``positive`` are those that were declared so.
    shapes : names of given functions of time in the loads: their shape in space may be given, or nothing acts.
    """

    name: str
    space: tuple[str, ...]
    fields: tuple[str, ...]
    impulses: tuple[str, ...]
    kinetic: tuple[Place, ...]
    dissipation: tuple[Place, ...]
    potential: tuple[Place, ...]
    load: tuple[Place, ...]
    parameters: tuple[str, ...]
    positive: frozenset[str]
    shapes: tuple[str, ...]
    _tables: tuple[_Table, ...]
    _values: Callable[..., list[Any]]
    _varies: bool

    def at(self, numbers: Mapping[str, float | Array], x: Array) -> Coefficients:
        """Coefficients for numbers, one each or one per point, at points x (dimension, …); impulses eliminated."""
        names = (*self.parameters, *self.shapes)
        given = [np.asarray(numbers.get(name, 0.0), dtype=float) for name in names]
        varies = self._varies or any(value.ndim for value in given)
        shape = x.shape[1:] if varies else ()
        with np.errstate(all="ignore"):  # what is no number is refused below, by name
            entries = self._values(*(x if varies else x.reshape(len(x), -1)[:, 0]), *given)
        if not all(np.all(np.isfinite(entry)) for entry in entries):
            raise ActionError(f"{self.name}: a coefficient is no finite number at some point; mend the parameters")
        filled, at = [], 0
        for table in self._tables:
            filled.append(table.filled(entries[at : at + len(table.cells)], shape))
            at += len(table.cells)
        T, D, V, A, G, b = filled
        if self.impulses:
            V = V + self._released(A, G)
        return Coefficients(T, D, V, b)

    def _released(self, A: Array, G: Array) -> Array:
        """Gᵀ A⁻¹ G: the potential of the stresses whose impulses are J."""
        A, G = np.moveaxis(A, (0, 1), (-2, -1)), np.moveaxis(G, (0, 1), (-2, -1))
        main = np.diagonal(A, axis1=-2, axis2=-1)
        named = ", ".join(self.impulses)
        if np.any(main <= 0):
            raise ActionError(f"{self.name}: the flexibility of the impulses {named} {_MULTIPLIER}")
        unit = 1 / np.sqrt(main)
        if np.linalg.eigvalsh(unit[..., None] * A * unit[..., None, :]).min() <= _SINGULAR:
            raise ActionError(f"{self.name}: the flexibility of the impulses {named} {_MULTIPLIER}")
        V = np.swapaxes(G, -1, -2) @ np.linalg.solve(A, G)
        return np.moveaxis(0.5 * (V + np.swapaxes(V, -1, -2)), (-2, -1), (0, 1))


@dataclass(frozen=True)
class _Table:
    """One form: its shape, and which cells the entries go to (and to their mirror images)."""

    shape: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    symmetric: bool

    def filled(self, entries: list[Any], shape: tuple[int, ...]) -> Array:
        out = np.zeros((*self.shape, *shape))
        for cell, entry in zip(self.cells, entries, strict=True):
            out[cell] = entry
            if self.symmetric:
                out[cell[::-1]] = entry
        return out


def quadratic(action: Action) -> QuadraticDensity:
    """The forms of a density, or an ActionError that names what it is instead.

    Examples
    --------
    >>> from hamex.principle.library import action
    >>> string = quadratic(action("string"))
    >>> string.fields, string.parameters, string.shapes, string.potential
    (('w',), ('N', 'mu'), ('q',), (Place(field=0, axes=(0,)),))
    >>> string.at({"mu": 2.0, "N": 50.0}, np.zeros((1, 1))).potential.tolist()
    [[50.0]]
    """
    who = action.name or "this density"
    if not action.space:
        raise ActionError(f"{who} is a lumped action, with no space to discretise; hamex.simulate runs it as it stands")
    return _tabled(who, action, action.space, eliminating=True)


@dataclass(frozen=True, eq=False)
class QuadraticPart:
    """A part of an action as tables; its places are motions.

    Attributes
    ----------
    forms : of the part, whose ``fields`` stand for the motions.
    motions : name of the field, and whether it is its slope, of each of them; lumped fields go by their name too.
    held : motions that are given as zero.
    boundary : name of the piece of the boundary, or "".
    axis, value : number of the coordinate that has a value, and that value from numbers by name.
    parameters : names that numbers are needed for, those of the place included.
    """

    forms: QuadraticDensity
    motions: tuple[tuple[str, bool], ...]
    held: tuple[tuple[str, bool], ...]
    boundary: str
    axis: int
    value: Callable[[Mapping[str, Any]], float]
    parameters: tuple[str, ...]


def quadratic_parts(action: Action) -> tuple[QuadraticPart, ...]:
    """The parts of a density as tables."""
    return tuple(_part(action, part) for part in action.parts)


def _part(action: Action, part: Part) -> QuadraticPart:
    who = f"{action.name or 'this density'}, part {part.name or part.where}"
    stated = action.of_part(part)
    forms = _tabled(who, stated, action.space, eliminating=False)
    places = (*forms.kinetic, *forms.dissipation, *forms.potential)
    if any(place.axes for place in places):
        raise ActionError(f"{who}: it has derivatives along an edge, which a mesh does not take")
    for motion, value in part.motions.items():
        if value != 0:
            raise ActionError(
                f"{who}: {motion} is given as {value}; a mesh holds motions at zero, and moves supports by the load"
            )
    motions = part.motions_of(action)
    value = sp.S.Zero if isinstance(part.where, str) else next(iter(part.where.values()))
    names = sorted(value.free_symbols, key=str)
    compiled = sp.lambdify(names, value)
    return QuadraticPart(
        forms,
        tuple((motions[f][0].func.__name__, bool(motions[f][1])) for f in stated.fields),
        tuple((next(iter(m.atoms(AppliedUndef))).func.__name__, bool(m.is_Derivative)) for m in part.motions),
        part.where if isinstance(part.where, str) else "",
        0 if part.axis is None else action.space.index(part.axis),
        lambda numbers: float(compiled(*(numbers[s.name] for s in names))),
        tuple(sorted({*forms.parameters, *(s.name for s in names)})),
    )


def _tabled(who: str, action: StatedAction, space: tuple[sp.Symbol, ...], eliminating: bool) -> QuadraticDensity:
    L = _Quadratic(who, "Lagrangian", action.lagrangian, action)
    phi = _Quadratic(who, "dissipation", action.dissipation, action)
    impulses = _impulses(who, action, L) if eliminating else []
    kept = [q for q in action.fields if q not in impulses and q not in action.lumped]
    _refuse_rates(who, L, kept)
    _refuse_linear(who, L, phi)
    loads = {q: action.loads.get(q, sp.S.Zero) + L.linear.get(Node(q, ()), sp.S.Zero) for q in kept}
    T = [node for node in L.nodes if t in node.by and node.field in kept]
    D = [node for node in phi.nodes if t in node.by]
    V = [node for node in L.nodes if t not in node.by]
    J = [Node(q, (t,)) for q in impulses]
    b = [Node(q, ()) for q in kept if loads[q] != 0]
    forms = (
        _form(L, T, T, 1),
        _form(phi, D, D, 1),
        _form(L, V, V, -1),
        _form(L, J, J, 1),
        _form(L, J, V, 1),
        (_Table((len(b),), tuple((i,) for i in range(len(b))), False), [loads[node.field] for node in b]),
    )
    stiff = [entry for _, entries in forms[:-1] for entry in entries]
    return _compiled(who, space, tuple(kept), tuple(impulses), (T, D, V, b), forms, stiff)


class Node(NamedTuple):
    """One jet coordinate: a field and the variables that it is derived by."""

    field: AppliedUndef
    by: Index

    @property
    def jet(self) -> sp.Expr:
        return jet(self.field, self.by)

    def place(self, space: tuple[sp.Symbol, ...], kept: tuple[AppliedUndef, ...]) -> Place:
        axes = tuple(sorted(space.index(v) for v in self.by if v != t))
        return Place(kept.index(self.field), axes)


class _Quadratic:
    """Second and first derivatives of an expression by its jet coordinates; refuses one of higher degree."""

    def __init__(self, who: str, what: str, expression: sp.Expr, action: StatedAction) -> None:
        self.nodes = [Node(q, index) for q in action.fields for index in indices(expression, q)]
        names = {node.jet: sp.Dummy(real=True) for node in self.nodes}
        z = list(names.values())
        flat = expression.xreplace(names)
        slope = [sp.expand(sp.diff(flat, each)) for each in z]
        at_rest = dict.fromkeys(z, sp.S.Zero)
        self.linear = {node: row.subs(at_rest) for node, row in zip(self.nodes, slope, strict=True)}
        self.square: dict[tuple[Node, Node], sp.Expr] = {}
        for one, row in zip(self.nodes, slope, strict=True):
            for other, each in zip(self.nodes, z, strict=True):
                entry = sp.expand(sp.diff(row, each))
                if entry.has(*z):
                    raise ActionError(
                        f"{who}: the {what} is not quadratic: its second derivative by {one.jet} and {other.jet} "
                        "depends on the fields. A mesh takes quadratic densities; laws that yield are those of "
                        "hamex.rod and of bodies"
                    )
                if entry != 0:
                    self.square[one, other] = entry


def _impulses(who: str, action: StatedAction, L: _Quadratic) -> list[AppliedUndef]:
    """Fields that enter with their rates alone, beside places of others: stress impulses."""
    found = []
    for q in action.fields:
        own = [node for node in L.nodes if node.field == q]
        if [node.by for node in own] != [(t,)]:
            continue
        if any(one == own[0] and t not in other.by for one, other in L.square):
            found.append(q)
    for q in found:
        if action.dissipation.has(q):
            raise ActionError(
                f"{who}: the impulse {q} dissipates: such a spring flows, and is no quadratic density; "
                "hamex.rod and bodies take laws for it"
            )
        if action.loads.get(q, sp.S.Zero) != 0 or L.linear[Node(q, (t,))] != 0:
            raise ActionError(f"{who}: a load acts on the impulse {q}; imposed deformations are not supported")
        for one, other in L.square:
            if one.field == q and t in other.by and other.field not in found:
                raise ActionError(
                    f"{who}: the rate of the impulse {q} meets the rate {other.jet}; it can only be eliminated where "
                    "it meets places"
                )
    return found


def _refuse_linear(who: str, L: _Quadratic, phi: _Quadratic) -> None:
    """A load is linear in a field; what is linear in a derivative of one is no force on a point."""
    terms = [*((node, c) for node, c in L.linear.items() if node.by), *phi.linear.items()]
    for node, coefficient in terms:
        if coefficient != 0:
            raise ActionError(f"{who}: a term is linear in {node.jet}; loads act on the fields themselves")


def _refuse_rates(who: str, L: _Quadratic, kept: list[AppliedUndef]) -> None:
    """Rates beside places, other than those of impulses, have no symmetric matrices."""
    for one, other in L.square:
        if t in one.by and t not in other.by and one.field in kept:
            has_mass = (one, one) in L.square
            kind = "gyroscopic forces" if has_mass else "an equation of first order in a pair of fields"
            raise ActionError(
                f"{who}: the Lagrangian has the product of {one.jet} and {other.jet}: {kind}, which a model of M, C "
                "and K, all symmetric, has no place for"
            )


def _form(source: _Quadratic, rows: list[Node], columns: list[Node], sign: int) -> tuple[_Table, list[sp.Expr]]:
    symmetric = rows == columns
    cells, entries = [], []
    for i, one in enumerate(rows):
        for j, other in enumerate(columns):
            if (one, other) in source.square and not (symmetric and j < i):
                cells.append((i, j))
                entries.append(sign * source.square[one, other])
    return _Table((len(rows), len(columns)), tuple(cells), symmetric), entries


def _compiled(
    who: str,
    space: tuple[sp.Symbol, ...],
    kept: tuple[AppliedUndef, ...],
    impulses: tuple[AppliedUndef, ...],
    nodes: tuple[list[Node], ...],
    forms: tuple[tuple[_Table, list[sp.Expr]], ...],
    stiff: list[sp.Expr],
) -> QuadraticDensity:
    """Names of all that needs a number, and one function for all entries."""
    every = [entry for _, entries in forms for entry in entries]
    whole = sp.Tuple(*every)
    rates = sorted(map(str, whole.atoms(sp.Derivative)))
    if rates:
        raise ActionError(f"{who}: {rates[0]} is the derivative of a given function; name it as a function of its own")
    functions = sorted(whole.atoms(AppliedUndef), key=str)
    timely = {f for f in functions if f.has(t)}
    fixed = {f: sp.Dummy(f.func.__name__) for f in functions}
    if any(entry.has(t) for entry in stiff) or any(entry.xreplace(fixed).has(t) for entry in every):
        raise ActionError(
            f"{who}: a coefficient depends on the time; M, C and K are constant, and the history of a load is given "
            "to hamex.Load"
        )
    symbols = whole.xreplace(fixed).free_symbols - {*space, *fixed.values()}
    parameters = sorted({s.name for s in symbols} | {f.func.__name__ for f in functions if f not in timely})
    shapes = sorted({f.func.__name__ for f in timely} - set(parameters))
    by_name = {name: sp.Dummy(name) for name in (*parameters, *shapes)}
    plain = {s: by_name[s.name] for s in symbols} | {f: by_name[f.func.__name__] for f in functions}
    ready = [entry.xreplace(plain) for entry in every]
    T, D, V, b = (tuple(node.place(space, kept) for node in form) for form in nodes)
    return QuadraticDensity(
        name=who,
        space=tuple(x.name for x in space),
        fields=tuple(q.func.__name__ for q in kept),
        impulses=tuple(q.func.__name__ for q in impulses),
        kinetic=T,
        dissipation=D,
        potential=V,
        load=b,
        parameters=tuple(parameters),
        positive=frozenset(s.name for s in symbols if s.is_positive),
        shapes=tuple(shapes),
        _tables=tuple(table for table, _ in forms),
        _values=sp.lambdify([*space, *by_name.values()], ready, modules=["numpy", "scipy"], cse=True),
        _varies=any(entry.has(*space) for entry in ready),
    )
