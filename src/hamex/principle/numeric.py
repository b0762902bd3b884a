"""An action as functions of numbers: momenta, forces and their slopes, for those who march it.

Friction is a set: where a slip e(q, q̇, t) is zero, the force of μ|e| is anything between −μ and μ. Terms of the
dissipation and of the loads whose force jumps there are taken apart as A(q, q̇, t) r with r ∈ Sgn(e), and r is one more
unknown for those who march. What is continuous at zero slip, as |e|^{3/2} or a drag c|e|e, stays a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.action import Action
from hamex.principle.free_data import Relation
from hamex.principle.jets import indices, is_zero, partial, t
from hamex.principle.noether import Symmetry
from hamex.principle.variation import is_cyclic

_KINKS = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside)


@dataclass(frozen=True, eq=False)
class Functions:
    """The pieces of the weak form at one instant, from a flat list of arguments.

    Arguments are the fields, their rates, the time, the given functions of time and the parameters, in this order.

    Attributes
    ----------
    fields, carriers : names of the fields, and of those with a momentum.
    given, parameters : names of the functions of time and of the constants that numbers are needed for.
    positive : parameters that were declared positive.
    rest : P = ∂L/∂q̇, then φ_q̇ − L_q − Q, each for every field, in one list; further arguments are r, one for each
        contact.
    slopes : their derivatives by the fields and then by the rates, row by row in one list; arguments as for ``rest``.
    momenta : P, then ∂P/∂q̇ row by row.
    energy : H, the power Σ(Q − φ_q̇)q̇ − ∂L/∂t, and Q for every field; further arguments are the rates of the given
        functions, which the power needs when ``explicit``, and r.
    traces : H, P and L_q for every field.
    gauges : which fields enter with their rate alone.
    contacts : the slips e of friction, as text.
    slips : the slips, then their derivatives by the fields and the rates, row by row.
    grip : A, what r adds to φ_q̇ − L_q − Q: fields by contacts, row by row.
    held : for each constraint A q̇ + b = 0, whether places are held, g(q, t) = 0.
    floating : whether g is known up to a constant only, which the start fixes.
    bonds : for each constraint A, b and g (0 where there is none), row by row; further arguments are the rates of the
        given functions.
    bends : slopes of the forces Aᵀλ and of A q̇ + b by the fields, row by row; further arguments as for ``bonds``, and
        λ of each constraint.
    """

    fields: tuple[str, ...]
    carriers: tuple[bool, ...]
    gauges: tuple[bool, ...]
    given: tuple[str, ...]
    parameters: tuple[str, ...]
    positive: frozenset[str]
    rest: Callable[..., list[float]]
    slopes: Callable[..., list[float]]
    momenta: Callable[..., list[float]]
    energy: Callable[..., list[float]]
    traces: Callable[..., list[float]]
    explicit: bool
    contacts: tuple[str, ...]
    slips: Callable[..., list[float]]
    grip: Callable[..., list[float]]
    held: tuple[bool, ...]
    floating: tuple[bool, ...]
    bonds: Callable[..., list[float]]
    bends: Callable[..., list[float]]


@lru_cache(maxsize=32)
def functions(original: Action) -> Functions:
    """Compile an action; the result is kept as long as few others follow."""
    if original.space:
        who = original.name or "this action"
        raise ActionError(f"{who} is a density in space; only lumped actions can be simulated")
    whole = original.constrained()
    action = whole.plain
    fields = action.fields
    q = [sp.Dummy(f.func.__name__, real=True) for f in fields]
    v = [sp.Dummy(f"{f.func.__name__}_dot", real=True) for f in fields]
    flat = {**{f.diff(t): x for f, x in zip(fields, v, strict=True)}, **dict(zip(fields, q, strict=True))}
    L, *stated = (
        e.xreplace(flat)
        for e in (action.lagrangian, action.dissipation, *(action.loads.get(f, sp.S.Zero) for f in fields))
    )
    friction = _friction(stated[0], stated[1:], v)
    L, phi, *loads = (_smooth(e) for e in (L, friction.dissipation, *friction.loads))
    grip, r = friction.grip, friction.r
    bonds = [[e.xreplace(flat) for e in (*c.row, c.rest, c.place or sp.S.Zero)] for c in whole.constraints]
    kept = [e for row in bonds for e in (*row[:-2], row[-1])]
    stated = [L, phi, *loads, *friction.slips, *(a for row in grip for a in row), *kept]
    stated += [row[-2].subs({e: 0 for e in row[-2].atoms(sp.Derivative)}) for row in bonds]
    given = _given(sum(stated, sp.S.Zero))
    constants = sorted(set().union(*(e.free_symbols for e in stated)) - {t, *q, *v}, key=lambda s: s.name)
    P = [sp.diff(L, x) for x in v]
    G = [sp.diff(phi, x) - sp.diff(L, y) - Q for x, y, Q in zip(v, q, loads, strict=True)]
    power = sum(((Q - sp.diff(phi, x)) * x for x, Q in zip(v, loads, strict=True)), sp.S.Zero) - sp.diff(L, t)
    if r:
        held = [sum((a * x for a, x in zip(row, r, strict=True)), sp.S.Zero) for row in grip]
        G = [force + more for force, more in zip(G, held, strict=True)]
        power -= sum((force * x for force, x in zip(held, v, strict=True)), sp.S.Zero)
        loads = [
            Q + sum((a * x for a, x in zip(row, r, strict=True)), sp.S.Zero)
            for Q, row in zip(loads, friction.pull, strict=True)
        ]
    H = sum((p * x for p, x in zip(P, v, strict=True)), -L)
    hidden = {function: sp.Dummy(function.func.__name__) for function in given}
    rates = {sp.Derivative(function, t): sp.Dummy(f"{function.func.__name__}_dot") for function in given}
    arguments = [*q, *v, t, *hidden.values(), *constants]

    pull = [sp.Dummy(f"lambda_{k}") for k in range(len(bonds))]
    force = [sum((x * row[i] for x, row in zip(pull, bonds, strict=True)), sp.S.Zero) for i in range(len(fields))]
    drift = [sum((a * x for a, x in zip(row[:-2], v, strict=True)), row[-2]) for row in bonds]

    def compiled(expressions: list[sp.Expr], more: tuple[sp.Dummy, ...] = ()) -> Callable[..., list[float]]:
        known = [e.xreplace(rates).xreplace(hidden) for e in expressions]
        return sp.lambdify([*arguments, *more], known, modules=_module(known), cse=True)

    return Functions(
        fields=tuple(f.func.__name__ for f in fields),
        carriers=tuple(action.has_momentum[f] for f in fields),
        gauges=tuple(is_cyclic(action, f) for f in fields),
        given=tuple(f.func.__name__ for f in given),
        parameters=tuple(s.name for s in constants),
        positive=frozenset(s.name for s in constants if s.is_positive),
        rest=compiled([*P, *G], r),
        slopes=compiled([sp.diff(e, x) for e in (*P, *G) for x in (*q, *v)], r),
        momenta=compiled([*P, *(sp.diff(p, x) for p in P for x in v)]),
        energy=compiled([H, power, *loads], (*rates.values(), *r)),
        traces=compiled([H, *P, *(sp.diff(L, x) for x in q)]),
        explicit=sum((power, *drift)).has(*rates) if rates else False,
        contacts=tuple(map(str, friction.slips)),
        slips=compiled([*friction.slips, *(sp.diff(e, x) for e in friction.slips for x in (*q, *v))]),
        grip=compiled([a for row in grip for a in row]),
        held=tuple(c.place is not None for c in whole.constraints),
        floating=tuple(c.kind != "holonomic" for c in whole.constraints),
        bonds=compiled([e for row in bonds for e in row], tuple(rates.values())),
        bends=compiled([sp.diff(e, x) for e in (*force, *drift) for x in q], (*rates.values(), *pull)),
    )


@dataclass(frozen=True, eq=False)
class Ledger:
    """Charges as functions of the arguments of :class:`Functions`.

    Attributes
    ----------
    names : of the charges.
    values : the charges, one after the other.
    changes : for each charge the characteristic Q of every field, row by row; then L_q of every field, then for each
        charge what K loses of integrals of given functions, which no instant tells.
    """

    names: tuple[str, ...]
    values: Callable[..., list[float]]
    changes: Callable[..., list[float]]


def ledger(action: Action, f: Functions, symmetries: Sequence[Symmetry]) -> Ledger:
    """Compile the charges of some symmetries; with friction, the forces that the march finds do the work."""
    values, rows, lost = [], [], []
    for symmetry in symmetries:
        K = symmetry.gain[-1]
        integrals = sum((term for term in sp.Add.make_args(sp.expand(K)) if term.has(sp.Integral)), sp.S.Zero)
        values.append(symmetry.balance.value + integrals)
        lost.append(sp.diff(integrals, t).doit())
        rows += [symmetry.characteristic(q) for q in action.fields]
    rows += [partial(action.lagrangian, q) for q in action.fields]
    known = [_smooth(sp.expand(e)) for e in (*values, *rows, *lost)]
    nodes = {q.diff(t): sp.Dummy() for q in action.fields} | {q: sp.Dummy() for q in action.fields}
    given = {sp.Function(name)(t): sp.Dummy() for name in f.given}
    known = [e.xreplace(nodes).xreplace(given) for e in known]
    letters = {s.name: s for e in known for s in e.free_symbols}
    constants = [letters.get(name, sp.Dummy()) for name in f.parameters]
    rates, places = list(nodes.values())[: len(f.fields)], list(nodes.values())[len(f.fields) :]
    arguments = [*places, *rates, t, *given.values(), *constants]

    def compiled(expressions: list[sp.Expr]) -> Callable[..., list[float]]:
        return sp.lambdify(arguments, expressions, modules=_module(expressions), cse=True)

    count = len(values)
    return Ledger(tuple(s.name for s in symmetries), compiled(known[:count]), compiled(known[count:]))


@dataclass(frozen=True)
class _Friction:
    """φ and Q without what jumps, the slips e, their symbols r, A by fields and contacts, and what of A stands in Q."""

    dissipation: sp.Expr
    loads: list[sp.Expr]
    slips: tuple[sp.Expr, ...]
    r: tuple[sp.Dummy, ...]
    grip: list[list[sp.Expr]]
    pull: list[list[sp.Expr]]


def _friction(phi: sp.Expr, loads: list[sp.Expr], v: list[sp.Dummy]) -> _Friction:
    """Take apart what jumps where a slip is zero: limits μ of μ|e| in the dissipation, factors of sign(e) in loads."""
    forces: dict[sp.Expr, tuple[list[sp.Expr], list[sp.Expr]]] = {}

    def added(slip: sp.Expr, i: int, grip: sp.Expr, pull: sp.Expr) -> None:
        turned = slip.could_extract_minus_sign()
        key = sp.expand(-slip if turned else slip)
        row = forces.setdefault(key, ([sp.S.Zero] * len(v), [sp.S.Zero] * len(v)))
        row[0][i] += -grip if turned else grip
        row[1][i] += -pull if turned else pull

    rest = _by_size(phi, v)
    for size in sorted(rest.atoms(sp.Abs), key=sp.default_sort_key):
        slip = size.args[0]
        limit = _at_zero_slip(rest, size, slip, v)
        if limit == 0:
            continue
        rest = sp.expand(rest) - sp.expand(limit * size)
        for i, x in enumerate(v):
            added(slip, i, limit * sp.diff(slip, x), sp.S.Zero)
    smooth = []
    for i, load in enumerate(loads):
        left = _by_size(load, v)
        for sign in sorted(left.atoms(sp.sign), key=sp.default_sort_key):
            factor = _at_zero_slip(left, sign, sign.args[0], v)
            if factor == 0:
                continue
            left = sp.expand(left) - sp.expand(factor * sign)
            added(sign.args[0], i, -factor, factor)
        smooth.append(left)
    if not forces:
        return _Friction(phi, loads, (), (), [[] for _ in v], [[] for _ in v])
    slips = tuple(forces)
    grip, pull = ([[forces[e][part][i] for e in slips] for i in range(len(v))] for part in (0, 1))
    return _Friction(rest, smooth, slips, tuple(sp.Dummy(f"r_{k}") for k in range(len(slips))), grip, pull)


def _by_size(expression: sp.Expr, v: list[sp.Dummy]) -> sp.Expr:
    """Kinks in rates written by |e| and sign(e) alone."""
    if not expression.has(*_KINKS):
        return expression
    found = expression.replace(
        lambda e: isinstance(e, (sp.Max, sp.Min)) and len(e.args) == 2 and e.has(*v), lambda e: e.rewrite(sp.Abs)
    )
    return found.replace(lambda e: isinstance(e, sp.Heaviside) and e.has(*v), lambda e: (1 + sp.sign(e.args[0])) / 2)


def _at_zero_slip(expression: sp.Expr, kink: sp.Expr, slip: sp.Expr, v: list[sp.Dummy]) -> sp.Expr:
    """∂expression/∂kink where the slip vanishes: what jumps there; 0 where nothing does, or nothing finite."""
    moving = [x for x in v if slip.has(x) and not sp.diff(slip, x).has(x)]
    if not moving:
        return sp.S.Zero
    symbol = sp.Dummy(nonnegative=True)
    slope = sp.diff(expression.xreplace({kink: symbol}), symbol)
    at, x = slope.subs(symbol, 0), moving[0]
    if at.has(sp.nan, sp.zoo, sp.oo):
        return sp.S.Zero
    stopped = -slip.subs(x, 0) / sp.diff(slip, x)  # the slip is linear in this rate
    return sp.S.Zero if is_zero(at.subs(x, stopped)) else at


def _smooth(expression: sp.Expr) -> sp.Expr:
    """Kinks as pieces: their slopes are then defined everywhere but at the kink."""
    return expression.rewrite(sp.Piecewise) if expression.has(*_KINKS) else expression


def _given(whole: sp.Expr) -> list[AppliedUndef]:
    found = sorted(whole.atoms(AppliedUndef), key=str)
    for function in found:
        if function.args != (t,):
            raise ActionError(f"{function} cannot be given as a function of time")
    rates = whole.atoms(sp.Derivative)
    if rates:
        raise ActionError(f"{min(map(str, rates))} is the rate of a given function: name it as a function of its own")
    return found


def _module(expressions: list[sp.Expr]) -> str:
    """Python's own mathematics is the fastest for single numbers; special functions come from SciPy."""
    used = {f.func.__name__ for e in expressions for f in e.atoms(sp.Function) if not isinstance(f, sp.Piecewise)}
    return "math" if all(hasattr(math, name.lower()) for name in used) else "scipy"


@dataclass(frozen=True, eq=False)
class StartFunctions:
    """What a start must obey, from a flat list of arguments.

    Arguments are ``coordinates``, the time, the ``given`` functions and their derivatives, and the ``parameters``.

    Attributes
    ----------
    coordinates : names of values and rates (``x``, ``x_dot``), multipliers included.
    order : places in ``coordinates``, those first that should follow from the others.
    given : names of functions of time, each with the order of the derivative that is meant.
    relations, origins : what vanishes, as text, and where it comes from.
    momenta : names of the fields with a momentum.
    rest : the relations, then the momenta.
    slopes : their derivatives by the coordinates, row by row.
    """

    coordinates: tuple[str, ...]
    order: tuple[int, ...]
    given: tuple[tuple[str, int], ...]
    parameters: tuple[str, ...]
    relations: tuple[str, ...]
    origins: tuple[str, ...]
    momenta: tuple[str, ...]
    rest: Callable[..., list[float]]
    slopes: Callable[..., list[float]]


@lru_cache(maxsize=32)
def start_functions(action: Action) -> StartFunctions | None:
    """Compile what the start of a singular or constrained action must obey; None where nothing is."""
    found = action.data()
    relations = _binding(action, [r for r in found.relations])
    if found.undecided or not relations:
        return None
    plain = action.constrained().plain
    carriers = [f for f in plain.fields if action.has_momentum[f]]
    expressions = [*(_smooth(r.expression) for r in relations), *(plain.momentum(f) for f in carriers)]
    functions = {e for x in expressions for e in x.atoms(AppliedUndef)}
    rates = {e for x in expressions for e in x.atoms(sp.Derivative)}
    multipliers = _multipliers(action, functions)
    fields = (*plain.fields, *multipliers)
    nodes = [*fields, *(f.diff(t) for f in fields)]
    forces = sorted((functions | rates) - set(nodes), key=sp.default_sort_key)
    letters = {node: sp.Dummy(str(node), real=True) for node in (*nodes, *forces)}
    flat = [e.xreplace({n: x for n, x in letters.items() if n in rates}).xreplace(letters) for e in expressions]
    constants = sorted({s for e in flat for s in e.free_symbols} - {t, *letters.values()}, key=lambda s: s.name)
    unknown = [letters[node] for node in nodes]
    arguments = [*unknown, t, *(letters[node] for node in forces), *constants]
    late = [*multipliers, *(f.diff(t) for f in multipliers), *found.determined, *found.reached]
    late += [node for node in reversed((*found.shifts, *found.data)) if node not in late]
    names = [f.func.__name__ for f in fields]

    def compiled(wanted: list[sp.Expr]) -> Callable[..., list[float]]:
        return sp.lambdify(arguments, wanted, modules=_module(wanted), cse=True)

    return StartFunctions(
        coordinates=(*names, *(f"{name}_dot" for name in names)),
        order=tuple(dict.fromkeys([*(nodes.index(node) for node in late if node in nodes), *range(len(nodes))])),
        given=tuple(_derivative(node) for node in forces),
        parameters=tuple(s.name for s in constants),
        relations=tuple(str(r.expression) for r in relations),
        origins=tuple(r.origin for r in relations),
        momenta=tuple(f.func.__name__ for f in carriers),
        rest=compiled(flat),
        slopes=compiled([sp.diff(e, x) for e in flat for x in unknown]),
    )


def _multipliers(action: Action, found: set[sp.Expr]) -> list[AppliedUndef]:
    """Multipliers that occur: of stated constraints, and the user's own."""
    every = [c.reaction.expr if c.origin == "impulse" else c.reaction for c in action.constrained().constraints]
    return [f for f in every if f in found]


def _binding(action: Action, relations: list[Relation]) -> list[Relation]:
    """Relations less those that only say what multipliers are: one, or its rate, stands in no other; or together they
    have as many as there are relations, all independent."""
    while True:
        every = set().union(*(r.expression.atoms(AppliedUndef) for r in relations)) if relations else set()
        nodes = [n for f in _multipliers(action, every) for n in (f.diff(t), f)]
        telling = [r for r in relations if any(_holds(r.expression, n) for n in nodes)]
        if telling and _rank([r.expression for r in telling], nodes) == len(telling):
            return [r for r in relations if r not in telling]
        alone = [holding[0] for n in nodes if len(holding := [r for r in relations if _holds(r.expression, n)]) == 1]
        if not alone:
            return relations
        relations = [r for r in relations if r is not alone[0]]


def _rank(expressions: list[sp.Expr], nodes: list[sp.Expr]) -> int:
    """Of the derivatives by some nodes, at a point like any other."""
    letters = {node: sp.Dummy() for node in nodes}
    rates = {node: x for node, x in letters.items() if isinstance(node, sp.Derivative)}
    flat = [e.xreplace(rates).xreplace(letters) for e in expressions]
    rows = [[sp.diff(e, letters[node]) for node in nodes] for e in flat]
    others = {a for row in rows for e in row for a in e.atoms(sp.Derivative)}
    source = np.random.default_rng(1)
    rates = {a: sp.Float(source.uniform(0.5, 1.5)) for a in sorted(others, key=sp.default_sort_key)}
    rows = [[e.xreplace(rates) for e in row] for row in rows]
    rest = {a for row in rows for e in row for a in (*e.atoms(AppliedUndef), *e.free_symbols)}
    values = {a: sp.Float(source.uniform(0.5, 1.5)) for a in sorted(rest, key=sp.default_sort_key)}
    numbers = np.array([[complex(e.xreplace(values)) for e in row] for row in rows])
    return int(np.linalg.matrix_rank(numbers)) if np.all(np.isfinite(numbers)) else 0


def _holds(expression: sp.Expr, node: sp.Expr) -> bool:
    if isinstance(node, sp.Derivative):
        return node in expression.atoms(sp.Derivative)
    return () in indices(expression, node)


def _derivative(node: sp.Expr) -> tuple[str, int]:
    if isinstance(node, sp.Derivative):
        return node.expr.func.__name__, len(node.variables)
    return node.func.__name__, 0


_TURNS = ("theta", "phi", "psi", "vartheta", "varphi")


def angles(action: Action) -> tuple[str, ...]:
    """Fields that are angles: by their names, or since they stand in a sine or cosine."""
    texts = [action.lagrangian, action.dissipation, *dict(action.loads).values(), *(action.constraints or ())]
    waves = [wave for text in texts for wave in sp.sympify(text).atoms(sp.sin, sp.cos, sp.tan)]
    names = {q: q.func.__name__ for q in action.fields}
    return tuple(name for q, name in names.items() if name.partition("_")[0] in _TURNS or any(w.has(q) for w in waves))
