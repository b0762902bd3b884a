"""Action: fields, Lagrangian, dissipation and loads; what follows from them are its values.

For coordinates q with P_q = ∂L/∂q̇, dissipation φ(q, q̇, t) and loads Q_q(q, q̇, t) the extended principle is

    δA_NEW = −∫ (L_q̇ δq̇ + L_q δq) dt + ∫ (φ_q̇ − Q_q) δq dt + [ P̂_q δq̂ ]₀ᵀ = 0.

What the rule does not cover is refused by name, before anything is derived from it. A dissipation that is not convex is
covered, but said aloud: only a convex one never feeds energy in and gives each step one solution. What counts are the
rates, at every fixed place: van der Pol's (x² − 1)ẋ² is convex outside |x| < 1 only. Each piece is decided by the
principal minors of its Hessian in the rates, parameters positive. Across the pieces, and where the minors stay
undecided, forces are compared at random pairs of rates: a convex potential has monotone forces,
(g(a) − g(b))·(a − b) ≥ 0, and one pair that breaks this is a proof of the contrary.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError, ConvexityWarning, UndecidedWarning
from hamex.principle.constraints import check_stated, constrained, moves, multiplied
from hamex.principle.jets import indices, jet, t
from hamex.principle.parts import Part
from hamex.principle.variation import StatedAction

if TYPE_CHECKING:
    from hamex.principle.conditions import EndPointConstraints, FrameworkStep, InitialCondition
    from hamex.principle.constraints import Constrained
    from hamex.principle.edges import Balance, BoundaryCondition, PartEnergy, Vector
    from hamex.principle.free_data import FreeData
    from hamex.principle.noether import Charge, Symmetry

__all__ = ["Action", "ActionError"]

_PAIRS = 300  # of rates at which forces are compared
_SIZES = (0.5, 0.5, 0, 0, -0.5, -1, -2, 1, 2)  # powers of ten of these rates, mostly about one
_MINORS = 4  # 2ⁿ minors: beyond this many rates the pairs decide alone


@dataclass(frozen=True, eq=False)
class Action(StatedAction):
    """A system in symbols.

    Parameters
    ----------
    fields : unknown functions, ``Function("u")(t)`` or ``Function("u")(x, t)``.
    lagrangian : L(q, q̇), or a density of the fields, their rates, and the first or second space derivatives of both.
    dissipation : φ(q, q̇, t), whose forces are φ_q̇; Piecewise for sliders, Abs for friction. In a continuum φ of the
        rates and their space derivatives alone.
    loads : generalised force Q_q(q, q̇, t) for a field: what has neither a potential nor a φ, as follower forces,
        flutter and friction under a changing pressure. In a continuum, force per volume, of place and time.
    space : the coordinates of a density; empty for a lumped system.
    name, citation : what it is and where it comes from.
    meanings : what each parameter stands for, with its unit, for pages and messages.
    constraints : expressions that vanish, of a lumped action. Without rates they are holonomic; linear in the rates
        and not integrable they are nonholonomic, and kept by Lagrange and d'Alembert's rule, not by varying them.
    parts : pieces of the boundary, interfaces and points of a continuum with energies and loads of their own
        (:class:`hamex.Part`); fields of ``t`` alone may stand beside fields of space when a part holds them.

    Examples
    --------
    >>> from hamex.principle import t
    >>> m, k = sp.symbols("m k", positive=True)
    >>> u = sp.Function("u")(t)
    >>> Action((u,), m * u.diff(t)**2 / 2 - k * u**2 / 2).strong_form()[u]
    k*u(t) + m*Derivative(u(t), (t, 2))
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "lagrangian", sp.sympify(self.lagrangian))
        object.__setattr__(self, "dissipation", sp.sympify(self.dissipation))
        object.__setattr__(self, "loads", {q: sp.sympify(Q) for q, Q in self.loads.items()})
        object.__setattr__(self, "constraints", tuple(sp.sympify(e) for e in self.constraints))
        object.__setattr__(self, "parts", tuple(self.parts))
        if not all(isinstance(part, Part) for part in self.parts):
            raise ActionError(f"Action: parts must be hamex.Part, got {', '.join(map(repr, self.parts)):.80}")
        refuse_uncovered(self)
        if not self.space:
            self.constrained()  # refuses constraints that contradict each other
        _warn_unless_convex(self)

    def constrained(self) -> Constrained:
        """The action taken apart: itself without constraints and multipliers, and each constraint with its kind."""
        return self._constrained

    @cached_property
    def _constrained(self) -> Constrained:
        return constrained(self)

    def data(self) -> FreeData:
        """Which data are free at t = 0, which follow from them, gauges, relations and index.

        In a continuum they are functions of place, counted at a generic wave vector.

        >>> from hamex.principle import t
        >>> m, k = sp.symbols("m k", positive=True)
        >>> x, y = sp.Function("x")(t), sp.Function("y")(t)
        >>> print(Action((x, y), m * x.diff(t)**2 / 2 - k * (x - y)**2 / 2 - k * y**2 / 2).data())
        free data (2): x, x_dot
        primary: x(t) - 2*y(t) = 0
        secondary: Derivative(x(t), t) - 2*Derivative(y(t), t) = 0
        rank of the Hessian: 1 of 2; index: 1
        """
        from hamex.principle.free_data import free_data

        return free_data(self)

    def steps(self) -> tuple[FrameworkStep, ...]:
        """The four steps of section 4.1, in order."""
        from hamex.principle.conditions import steps

        return steps(self)

    def initial_conditions(self) -> list[InitialCondition]:
        """Which data the principle accepts at t = 0, in the order of their assignment, eqs. (32)-(33), (41)-(42).

        Each with its role: free ``data``, a ``gauge``, or ``determined`` by a relation. See also :meth:`data`.
        """
        return list(self._initial_conditions)

    @cached_property
    def _initial_conditions(self) -> list[InitialCondition]:
        from hamex.principle.conditions import initial_conditions

        return initial_conditions(self)

    def boundary_conditions(self, normal: Vector | None = None, *, curvature: object = None) -> list[BoundaryCondition]:
        """Force or motion on the boundary, eqs. (43)-(44); empty for a lumped system.

        Without arguments on any smooth boundary: outward normal n_x, n_y …, curvature κ in the plane (dn/ds = κ s; 1/R
        for a round plate), b_ij = D_i n_j in space. With a ``normal`` on a straight edge across it.

        Examples
        --------
        >>> from hamex.principle.library import action
        >>> plate = action("plate")
        >>> [c.motion for c in plate.boundary_conditions((1, 0))]   # shear with the twisting moment's slope; moment
        [w(x, y, t), Derivative(w(x, y, t), x)]
        """
        from hamex.principle.edges import boundary_conditions

        return boundary_conditions(self, normal, curvature)

    def boundary_momenta(self, normal: Vector | None = None, *, curvature: object = None) -> list[BoundaryCondition]:
        """Momenta on the boundary itself, which mixed derivatives in space and time leave there; most systems: none."""
        from hamex.principle.edges import boundary_momenta

        return boundary_momenta(self, normal, curvature)

    def corners(self, sides: Sequence[tuple[Vector, Vector]] | None = None) -> list[BoundaryCondition]:
        """Forces at a corner of the plane, or per length along an edge of a body, where two sides meet.

        ``sides`` are two pairs (outward normal, tangent that points out of the side); by default a right angle.
        """
        from hamex.principle.edges import corners

        return corners(self, sides)

    def interface(
        self, other: Action | None = None, *, normal: Vector | None = None, curvature: object = None
    ) -> list[BoundaryCondition]:
        """What jumps across an interface to another region (the same material by default): zero where nothing acts.

        Fields on this side are called ``w_minus``, beyond it ``w_plus``; the normal points there.
        """
        from hamex.principle.edges import interface

        return interface(self, other, normal, curvature)

    def balances(self) -> list[Balance]:
        """What holds on each of the parts: the body's force and the part's own equation add up to zero."""
        from hamex.principle.edges import balances

        return balances(self)

    def part_energies(self) -> list[PartEnergy]:
        """Energy of each part, and the rate at which it changes with the body's."""
        from hamex.principle.edges import energies

        return energies(self)

    def classical(self) -> EndPointConstraints:
        """Hamilton's own principle beside it, with its end-point constraints, eqs. (9) and (24)."""
        from hamex.principle.conditions import classical

        return classical(self)

    def charges(self, shifts: list[Mapping[AppliedUndef, sp.Expr]] | None = None) -> list[Charge]:
        """Charges of the given constant shifts, or of all that the Lagrangian allows, quasi-symmetries included."""
        from hamex.principle.symmetries import charges

        return charges(self, shifts)

    def symmetries(self) -> list[Symmetry]:
        """Point symmetries found in the Lagrangian, quasi-symmetries included, each with its name and its ``charge``.

        >>> from hamex.principle.library import action
        >>> [(s.name, s.charge.value) for s in action("particle").symmetries()][:2]
        [('time: energy', m*Derivative(u(t), t)**2/2), ('shift of u', m*Derivative(u(t), t))]
        """
        found, undecided = self._searched
        if undecided:
            words = f"symmetries: undecided, and not listed: {'; '.join(undecided)}"
            warnings.warn(words, UndecidedWarning, stacklevel=2)
        return list(found)

    def undecided_symmetries(self) -> list[str]:
        """Names of changes that may be symmetries, and were neither certified nor refuted; mostly there are none."""
        return list(self._searched[1])

    @cached_property
    def _searched(self) -> tuple[list[Symmetry], tuple[str, ...]]:
        from hamex.principle.symmetries import searched

        return searched(self)


def _warn_unless_convex(action: Action) -> None:
    """Say aloud that a dissipation is not convex, and in which rates."""
    stated = [action, *(action.of_part(part) for part in action.parts)]
    fields = tuple(q for one in stated for q in convexity(one).fields)
    if fields:
        rates = ", ".join(f"d{q}/dt" for q in fields)
        placed = [str(q) for q in action.fields if () in indices(action.dissipation, q)]
        where = f", at some values of {', '.join(placed)}" if placed else ""
        warnings.warn(
            f"the dissipation is not convex in {rates}{where}: it can feed energy in, and a step may have several "
            "solutions",
            ConvexityWarning,
            stacklevel=4,
        )


@dataclass(frozen=True)
class Convexity:
    """``pieces``: every piece proved convex (None: not decided). ``fields``: rates in which φ was refuted."""

    pieces: bool | None
    fields: tuple[AppliedUndef, ...]

    @property
    def refuted(self) -> bool:
        """True when a pair of rates shows forces that are not monotone."""
        return bool(self.fields)


def convexity(action: StatedAction) -> Convexity:
    """Decide the convexity of the dissipation of an action."""
    acting = [(q, jet(q, i)) for q in action.fields for i in indices(action.dissipation, q) if t in i]
    if not acting:
        return Convexity(True, ())
    rates = [sp.Dummy(q.func.__name__, real=True) for q, _ in acting]
    names = {node: rate for (_, node), rate in zip(acting, rates, strict=True)}
    # Rates before fields: a field's own symbol must not reach into its derivative.
    places = {q: sp.Dummy(q.func.__name__, real=True) for q in action.fields if () in indices(action.dissipation, q)}
    potential = action.dissipation.xreplace(names).xreplace(places)
    if potential.has(sp.Abs, sp.Max, sp.Min, sp.Heaviside, sp.sign):
        potential = potential.rewrite(sp.Piecewise)
    folded = sp.piecewise_fold(potential)
    pieces = [piece for piece, _ in folded.args] if isinstance(folded, sp.Piecewise) else [folded]
    verdicts = [_positive_hessian(piece, rates) for piece in pieces]
    whole = None if None in verdicts else all(verdicts)
    if whole and len(pieces) == 1:
        return Convexity(True, ())
    return Convexity(whole, tuple(dict.fromkeys(acting[i][0] for i in _refutation(potential, rates, places))))


def _positive_hessian(piece: sp.Expr, rates: list[sp.Dummy]) -> bool | None:
    """True when every principal minor is proved nonnegative."""
    if len(rates) > _MINORS:
        return None
    hessian = sp.hessian(piece, rates)
    for size in range(1, len(rates) + 1):
        for chosen in combinations(range(len(rates)), size):
            minor = sp.factor(hessian.extract(chosen, chosen).det())
            if minor.is_nonnegative is None:
                return None
            if not minor.is_nonnegative:
                return False
    return True


def _refutation(potential: sp.Expr, rates: list[sp.Dummy], places: Mapping[AppliedUndef, sp.Dummy]) -> list[int]:
    """Rates along which two points show falling forces: one rate at a time first, then all together.

    Rates of every size, pairs far apart and close together: a well that is narrow, or shallow, is a well.
    """
    fixed = list(places.values())
    others = sorted(potential.free_symbols - set(rates) - set(fixed), key=lambda s: s.name)
    functions = sorted(potential.atoms(AppliedUndef), key=str)
    dummies = [sp.Dummy() for _ in functions]
    flat = potential.xreplace(dict(zip(functions, dummies, strict=True)))
    gradient = sp.lambdify([rates, [*others, *dummies, *fixed]], [sp.diff(flat, rate) for rate in rates], "math")
    counts = len(rates), len(others) + len(dummies), len(fixed)
    source = random.Random(1)
    single = [i for i in range(len(rates)) if _falls(gradient, [i], counts, source)]
    if single:
        return single
    every = list(range(len(rates)))
    return every if len(every) > 1 and _falls(gradient, every, counts, source) else []


def _falls(gradient: object, moved: list[int], counts: tuple[int, int, int], source: random.Random) -> bool:
    """True when forces fall between two points that differ in the moved rates, parameters positive, places of any
    sign; ``counts`` are those of rates, parameters and places."""
    assert callable(gradient)
    n, parameters, places = counts
    for _ in range(_PAIRS):
        values = [math.exp(source.gauss(0, 1)) for _ in range(parameters)]
        values += [source.gauss(0, 3) for _ in range(places)]
        size = 10 ** source.choice(_SIZES)
        apart = size * source.choice((1.0, 0.1))
        one = [source.gauss(0, size) for _ in range(n)]
        other = [x + source.gauss(0, apart) if i in moved else x for i, x in enumerate(one)]
        try:
            g, k = gradient(one, values), gradient(other, values)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            continue
        work = [(g[i] - k[i]) * (one[i] - other[i]) for i in moved]
        terms = sum((abs(g[i]) + abs(k[i])) * abs(one[i] - other[i]) for i in moved)
        if sum(work) < -1e-9 * terms:  # round-off is of the forces, not of their difference
            return True
    return False


def refuse_uncovered(action: StatedAction) -> None:
    """Raise an ActionError that says what is not covered and what to write instead."""
    if not action.fields:
        raise ActionError("Action: no fields; give the unknown functions, e.g. Function('u')(t)")
    for q in action.fields:
        _refuse_field(action, q)
    _refuse_dissipation(action)
    _refuse_loads(action)
    check_stated(action)
    for q in action.fields:
        _refuse_multiplier(action, q)
    for part in action.parts:
        from hamex.principle.edges import refuse_part

        refuse_part(part, action)
        _refuse_dissipation(action.of_part(part))


def _refuse_field(action: StatedAction, q: AppliedUndef) -> None:
    if not isinstance(q, AppliedUndef) or t not in q.args:
        raise ActionError(
            f"Action: the field {q} must be a function of t, e.g. Function('u')(t), with the t of "
            "hamex.principle, which is real"
        )
    inside = [(part.lagrangian, part.dissipation, *part.loads) for part in action.parts]
    if q in action.lumped and any(sp.sympify(e).has(q) for part in inside for e in part):
        return
    if set(q.args) != {t, *action.space}:
        raise ActionError(
            f"Action: the field {q} must be a function of {', '.join(map(str, [*action.space, t]))}; "
            "name the coordinates of a density in space=(x, …); a field of t alone needs a part that holds it"
        )
    if not any(e.has(q) for e in (action.lagrangian, action.dissipation, *action.constraints)):
        raise ActionError(f"Action: the field {q} occurs neither in the Lagrangian nor in the dissipation")
    for index in indices(action.lagrangian, q):
        times, places = index.count(t), len(index) - index.count(t)
        if times > 1 or places > 2:
            raise ActionError(
                f"Action: the derivative {jet(q, index)} in the Lagrangian is not covered; "
                "rates enter once, space derivatives up to the second"
            )


def _refuse_dissipation(action: StatedAction) -> None:
    """φ is a function of rates; in a lumped system also of places, which its forces φ_q̇ take as they are."""
    rates = {q.diff(t) for q in action.fields}
    for node in action.dissipation.atoms(sp.Derivative):
        if node.expr not in action.fields:
            continue
        if node.variables.count(t) != 1 or len(node.variables) > 3:
            raise ActionError(f"Action: the dissipation must be a function of rates, but contains {node}")
        rates.add(node)
    for q in action.fields:
        if action.space and () in indices(action.dissipation, q):
            raise ActionError(
                f"Action: the dissipation of a density must be a function of rates, but contains {q} itself; "
                "places enter the dissipation of lumped systems only"
            )
    if action.dissipation != 0 and not action.dissipation.has(*rates):
        raise ActionError(
            f"Action: the dissipation must be a function of rates, but {action.dissipation} contains "
            "none of the fields' rates"
        )
    for size in action.dissipation.atoms(sp.Abs):
        limit = sp.expand(action.dissipation).coeff(size)
        others = rates - size.atoms(sp.Derivative)
        if size.has(*rates) and limit.has(*others):
            raise ActionError(
                f"Action: non-associated friction: the limit {limit} of {size} depends on another rate. "
                "No potential φ(q̇) yields it without a spurious motion of the normal force; "
                f"give it as a load, −({limit})·sign({size.args[0]}), which works on the slip alone, or an "
                "associated law ⟨|F| − μN⟩²/2η in the impulses"
            )


def _refuse_loads(action: StatedAction) -> None:
    """Loads Q(q, q̇, t) of lumped systems; those of a density are functions of place and time."""
    for q, load in action.loads.items():
        if q not in action.fields:
            raise ActionError(
                f"Action: the load on {q} acts on no field; the fields are {', '.join(map(str, action.fields))}"
            )
        for node in load.atoms(sp.Derivative):
            if node.expr in action.fields and node.variables.count(t) > 1:
                raise ActionError(
                    f"Action: the load on {q} contains {node}; what depends on accelerations is inertia, "
                    "and belongs in the Lagrangian"
                )
        moving = [f for f in action.fields if load.has(f)]
        if moving and action.space:
            raise ActionError(
                f"Action: the load on {q} depends on {moving[0]}; a load per volume is a function of place and "
                "time, springs and weights belong in the Lagrangian, dampers in the dissipation"
            )


def _refuse_multiplier(action: StatedAction, q: AppliedUndef) -> None:
    """A field that enters L linearly, and nowhere else, constrains the others: places it may, rates it may not."""
    found = multiplied(action, q)
    if found is None:
        return
    origin, constraint = found
    moving = [f for f in action.fields if f != q and any(t in index for index in indices(constraint, f))]
    if any(moves(action, f, q) for f in moving):
        # Rates in exact form under a load are a balance of forces at a massless joint, J̇ = f: covered.
        if origin == "multiplier" and q in action.loads and _is_exact(constraint, action):
            return
        name = q if origin == "multiplier" else q.diff(t)
        raise ActionError(
            f"Action: {name} multiplies the velocity constraint {constraint} = 0. Varied like this it is "
            "vakonomic, not nonholonomic: its forces are not those of rolling or of a blade. Take it out of the "
            f"Lagrangian and state it, constraints=({constraint},): it is then kept by Lagrange and d'Alembert's rule"
        )
    if origin == "multiplier" and action.space and constraint.has(*(f for f in action.fields if f != q)):
        raise ActionError(
            f"Action: {q} multiplies the constraint {constraint} = 0 at every place: a multiplier of index 3, which in "
            "a continuum is not covered. Use fields that satisfy it, or a stiff energy"
        )
    if origin == "multiplier" and not constraint.has(*(f for f in action.fields if f != q)):
        raise ActionError(f"Action: {q} enters the Lagrangian only as {constraint}·{q}: no equation determines it")


def _is_exact(expression: sp.Expr, action: StatedAction) -> bool:
    from hamex.principle.variation import antiderivative

    return antiderivative(expression, action.fields) is not None
