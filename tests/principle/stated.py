"""What is known of a system from elsewhere, and the algebra by which it is compared: hamex's own tests are not asked.

A system is an action as a user writes it and, beside it, what textbooks and hand calculation say about it. Signs are
those of the extended principle: one left-hand side per field, d/dt ∂L/∂q̇ − ∂L/∂q + ∂φ/∂q̇ − Q, equal to zero; on a
boundary the force whose work is force · δ(motion). Sources name the book; sections and exercises are from memory.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

import hamex as hx
from hamex.principle import t

Rules = Mapping[sp.Expr, sp.Expr]


def of_time(names: str) -> tuple[AppliedUndef, ...]:
    """Fields of time alone."""
    return tuple(sp.Function(name)(t) for name in names.split())


def positive(names: str) -> tuple[sp.Symbol, ...]:
    """Parameters."""
    return sp.symbols(names + ",", positive=True)


@dataclass(frozen=True)
class Motion:
    """The same motion in coordinates of its own: states, their rates, and the fields as functions of the states."""

    rates: Mapping[sp.Symbol, sp.Expr]
    fields: Mapping[AppliedUndef, sp.Expr]
    start: Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """Numbers for a run: parameters, where it starts, how long; ``motion`` where q and q̇ of all fields are no state.

    ``data`` names what `simulate` is given at the start; left out, the value and the rate of every field.
    """

    numbers: Mapping[str, float]
    start: Mapping[str, float] = field(default_factory=dict)
    duration: float = 2.0
    motion: Motion | None = None
    data: tuple[str, ...] | None = None
    algebraic: tuple[
        AppliedUndef, ...
    ] = ()  # fields of a relation that is not linear: at nodes of an order of their own
    smooth: bool = True  # False: friction and sliders, of which no order 2s is asked


@dataclass(frozen=True)
class System:
    """An action and what is known of it from elsewhere.

    ``equations``: one left-hand side per field. ``free``: how many numbers (in a continuum functions of place) the
    motion needs at the start, arbitrary functions of time (``gauges``) apart; ``relations`` vanish at all times, a
    multiplier's value apart. ``hamiltonian`` and ``power`` = dH/dt along the motion. ``charges``: conserved, beside H,
    and found by the engine; ``no_charges``: look conserved, and are not. ``boundary``: for an outward normal the
    motions and forces on the edge; ``corner``: the force between the first two axes; ``balances``: what holds on the
    parts. ``rules`` solve the equations for highest derivatives where the accelerations of all fields cannot be had
    from them; ``reactions`` are the multipliers in terms of the motion. ``refused``: why there is no action;
    ``undecided``: why its free data may be left open, said aloud.
    """

    name: str
    source: str
    fields: tuple[AppliedUndef, ...]
    lagrangian: sp.Expr
    equations: Sequence[sp.Expr] = ()
    dissipation: sp.Expr = sp.S.Zero
    loads: Mapping[AppliedUndef, sp.Expr] = field(default_factory=dict)
    space: tuple[sp.Symbol, ...] = ()
    constraints: tuple[sp.Expr, ...] = ()
    parts: tuple[Any, ...] = ()
    free: int = 0
    gauges: int = 0
    relations: tuple[sp.Expr, ...] = ()
    hamiltonian: sp.Expr | None = None
    power: sp.Expr | None = sp.S.Zero
    charges: tuple[sp.Expr, ...] = ()
    no_charges: tuple[sp.Expr, ...] = ()
    boundary: Mapping[tuple[sp.Expr, ...], Sequence[tuple[sp.Expr, sp.Expr]]] = field(default_factory=dict)
    corner: sp.Expr | None = None
    balances: tuple[sp.Expr, ...] = ()
    rules: Rules | None = None
    reactions: Rules = field(default_factory=dict)
    convex: bool = True
    run: Run | None = None
    refused: str = ""
    undecided: str = ""

    def __post_init__(self) -> None:
        if not self.refused and len(self.equations) != len(self.fields):
            raise ValueError(f"{self.name}: {len(self.equations)} equations for {len(self.fields)} fields")

    def action(self) -> hx.Action:
        """The action, by the public constructor; only what is stated is passed on."""
        return _action(self.name, self)

    @property
    def multipliers(self) -> tuple[AppliedUndef, ...]:
        """Fields that are multipliers: those whose value or rate is a reaction."""
        return tuple(_counts(jet)[0] for jet in self.reactions)

    def solved(self) -> Rules:
        """Rules that replace the highest derivatives by the equations of motion, as they are known from elsewhere."""
        return self.rules if self.rules is not None else _accelerations(self)


_BUILT: dict[str, hx.Action] = {}


def _action(name: str, system: System) -> hx.Action:
    if name not in _BUILT:
        stated = {"dissipation": system.dissipation, "loads": system.loads, "space": system.space}
        stated |= {"constraints": system.constraints, "parts": system.parts}
        given = {key: value for key, value in stated.items() if value}
        _BUILT[name] = hx.Action(system.fields, system.lagrangian, name=name, **given)
    return _BUILT[name]


def _accelerations(system: System) -> Rules:
    wanted = [q.diff(t, 2) for q in system.fields]
    names = sp.symbols(f"acceleration:{len(wanted)}")
    rows = [sp.sympify(e).doit().subs(dict(zip(wanted, names, strict=True))) for e in system.equations]
    matrix, right = sp.linear_eq_to_matrix(rows, names)
    over = matrix.det(method="berkowitz")
    return dict(zip(wanted, [e / over for e in matrix.adjugate(method="berkowitz") * right], strict=True))


def jets_to_symbols(*expressions: sp.Expr) -> list[sp.Expr]:
    """Derivatives and fields replaced by independent real symbols, the same in all expressions."""
    found: set[sp.Expr] = set()
    clean = [sp.sympify(e).doit() for e in expressions]
    for e in clean:
        found |= e.atoms(sp.Derivative) | e.atoms(AppliedUndef)
    order = sorted(found, key=lambda a: (-a.derivative_count if isinstance(a, sp.Derivative) else 0, str(a)))
    names = {a: sp.Symbol(f"j{i}", real=True) for i, a in enumerate(order)}
    return [e.subs([(a, names[a]) for a in order]) for e in clean]


def vanishes(expression: sp.Expr) -> bool:
    """Exact zero: as a polynomial, where sin and cos are rational in the tangent of half the angle.

    A value at a random place settles at once what is not zero; it never settles what is. Roots and other functions that
    stay are left to simplification.
    """
    (plain,) = jets_to_symbols(expression)
    if plain.has(sp.Piecewise):
        return all(vanishes(e) for e in branches(plain))
    if plain == 0 or sp.expand(plain) == 0:
        return True
    if abs(at_a_place(plain, 1)) > mpmath.mpf(10) ** -25:
        return False
    top = sp.fraction(sp.together(_rational(plain)))[0]
    return bool(sp.expand(top) == 0 or sp.simplify(top) == 0)


def branches(expression: sp.Expr) -> list[sp.Expr]:
    """The pieces of an expression; a piece for one value of a parameter (resonance) is left out."""
    generic = expression.replace(
        lambda e: isinstance(e, sp.Piecewise) and isinstance(e.args[0][1], sp.Ne), lambda e: e.args[0][0]
    )
    folded = sp.piecewise_fold(generic)
    return [e for e, _ in folded.args] if isinstance(folded, sp.Piecewise) else [folded]


def holds(expression: sp.Expr) -> bool:
    """Zero to 25 digits at three random places, one of them near zero.

    For rates along the motion, whose exact expansion costs seconds.
    """
    (plain,) = jets_to_symbols(expression)
    if plain.has(sp.Piecewise):
        return all(holds(e) for e in branches(plain))
    return plain == 0 or all(abs(at_a_place(plain, seed)) < mpmath.mpf(10) ** -25 for seed in (1, 2, -3))


def _rational(expression: sp.Expr) -> sp.Expr:
    """Sines and cosines of plain symbols (after the sums of angles are opened) by τ = tan(angle/2)."""
    if not expression.has(sp.sin, sp.cos):
        return expression
    opened = sp.expand_trig(expression)
    swaps = {}
    for f in opened.atoms(sp.sin, sp.cos):
        tau = sp.Symbol(f"tau_{f.args[0]}", real=True)
        swaps[f] = 2 * tau / (1 + tau**2) if isinstance(f, sp.sin) else (1 - tau**2) / (1 + tau**2)
    return opened.xreplace(swaps)


def at_a_place(expression: sp.Expr, seed: int) -> mpmath.mpc:
    """Value to forty digits where every symbol takes a random rational of the order of one (thirty
    times less where the seed is negative), positive ones a positive."""
    draw = random.Random(seed)
    symbols = sorted(expression.free_symbols, key=str)
    with mpmath.workdps(50):
        values = [mpmath.mpf(draw.randint(200, 900)) / (997 if seed > 0 else 29989) for _ in symbols]
        places = [v if s.is_positive or draw.random() < 0.5 else -v for s, v in zip(symbols, values, strict=True)]
        return mpmath.mpmathify(sp.lambdify(symbols, expression, "mpmath", cse=True)(*places))


def on_motion(expression: sp.Expr, rules: Rules) -> sp.Expr:
    """An expression with the highest derivatives replaced by the rules, derivatives of them included."""
    expression = sp.sympify(expression).doit()
    for _ in range(8):
        swaps = {}
        for jet in expression.atoms(sp.Derivative) | expression.atoms(AppliedUndef):
            new = _replaced(jet, rules)
            if new is not None:
                swaps[jet] = new
        if not swaps:
            return expression
        order = sorted(swaps, key=lambda a: a.derivative_count if isinstance(a, sp.Derivative) else 0, reverse=True)
        expression = expression.subs([(jet, swaps[jet]) for jet in order]).doit()
    raise RecursionError("the rules do not come to an end")


def rate_along(system: System, quantity: sp.Expr, more: sp.Expr = sp.S.Zero) -> sp.Expr:
    """d(quantity)/dt + more, along the motion."""
    return along(system, sp.diff(quantity, t) + more)


def along(system: System, expression: sp.Expr) -> sp.Expr:
    """An expression along the motion: with the rules, then in the coordinates of the motion where it has some."""
    motion = system.run.motion if system.run else None
    if motion is None:
        return on_motion(expression, system.solved())
    clocks = {s: sp.Function(f"{s.name}_of")(t) for s in motion.rates}
    places = {q: sp.sympify(e).subs(clocks) for q, e in motion.fields.items()}
    reacted = on_motion(expression, system.reactions)
    return on_motion(
        reacted.subs(places).doit(),
        {clocks[s].diff(t): sp.sympify(rate).subs(clocks) for s, rate in motion.rates.items()},
    )


def manifold_rank(system: System, relations: Sequence[sp.Expr]) -> int:
    """How many of the relations are independent at a place that the motion comes through; multipliers do not count."""
    own = [q for q in system.fields if q not in system.multipliers]
    jets = [jet for q in own for jet in (q, q.diff(t))]
    names = {jet: sp.Dummy() for jet in jets}
    rows = []
    for relation in relations:
        plain = sp.sympify(relation).doit().xreplace(names)
        rows.append([sp.diff(plain, name).xreplace({n: jet for jet, n in names.items()}) for name in names.values()])
    if not rows:
        return 0
    placed = jets_to_symbols(*(along(system, e) for row in rows for e in row))
    symbols = sorted({s for e in placed for s in e.free_symbols}, key=str)
    draw = random.Random(7)
    numbers = {s: sp.Rational(draw.randint(200, 900), 997) for s in symbols}
    table = np.array([complex(sp.N(e.subs(numbers), 30)) for e in placed]).reshape(len(rows), -1)
    return int(np.linalg.matrix_rank(table, tol=1e-10))


def eulers_operator(system: System, density: sp.Expr) -> list[sp.Expr]:
    """All zero exactly when a density of fields and rates, at one instant functions of place, is a divergence."""
    flat: dict[sp.Expr, AppliedUndef] = {}
    for jet in density.atoms(sp.Derivative) | density.atoms(AppliedUndef):
        base, have = _counts(jet)
        flat.setdefault(sp.Derivative(base, (t, have[t])) if have.get(t) else base, base)
    frozen = {one: sp.Function(f"at_{i}")(*system.space) for i, one in enumerate(sorted(flat, key=str, reverse=True))}
    order = sorted(
        density.atoms(sp.Derivative) | density.atoms(AppliedUndef),
        key=lambda a: -(a.derivative_count if isinstance(a, sp.Derivative) else 0),
    )
    swaps = []
    for jet in order:
        base, have = _counts(jet)
        one = sp.Derivative(base, (t, have[t])) if have.get(t) else base
        along = [(v, n) for v, n in have.items() if v != t]
        swaps.append((jet, sp.diff(frozen[one], *along) if along else frozen[one]))
    still = density.xreplace(dict(swaps))
    rows = []
    for f in frozen.values():
        jets = {j for j in still.atoms(sp.Derivative) if j.expr == f} | {f}
        names = {j: sp.Dummy() for j in jets}
        plain = still.xreplace(names)
        row = sp.S.Zero
        for j, name in names.items():
            part = sp.diff(plain, name).xreplace({n: k for k, n in names.items()})
            along = list(_counts(j)[1].items())
            row += (-1) ** sum(n for _, n in along) * (sp.diff(part, *along) if along else part)
        rows.append(row.doit())
    return rows


def _counts(jet: sp.Expr) -> tuple[AppliedUndef, dict[sp.Symbol, int]]:
    return (jet.expr, dict(jet.variable_count)) if isinstance(jet, sp.Derivative) else (jet, {})


def _replaced(jet: sp.Expr, rules: Rules) -> sp.Expr | None:
    base, have = _counts(jet)
    for left, right in rules.items():
        other, need = _counts(left)
        if other == base and all(have.get(v, 0) >= n for v, n in need.items()):
            rest = [(v, n - need.get(v, 0)) for v, n in have.items() if n > need.get(v, 0)]
            return sp.diff(right, *rest) if rest else right
    return None


def in_span(wanted: sp.Expr, basis: Iterable[sp.Expr], places: tuple[sp.Symbol, ...] = ()) -> bool:
    """True when ``wanted`` is a sum of the others and one, with constant factors that may depend on parameters.

    Exact up to forty digits: the factors that fit at as many random places as there are must fit at five more.
    """
    columns = [sp.S.One, *basis]
    plain = jets_to_symbols(wanted, *columns)
    jets = {s for e in plain for s in e.free_symbols if s.name.startswith("j") and s.name[1:].isdigit()} | {t, *places}
    numbers = {
        s: sp.Rational(311 + 83 * i, 499)
        for i, s in enumerate(sorted({s for e in plain for s in e.free_symbols} - jets, key=str))
    }
    plain = [e.subs(numbers) for e in plain]
    with mpmath.workdps(60):
        evaluate = sp.lambdify(sorted(jets, key=str), plain, "mpmath")
        draw = random.Random(5)
        rows = [
            evaluate(*(mpmath.mpf(draw.randint(200, 900)) / size for _ in jets))
            for size in (997, 29989)  # of the order of one, and where a narrow well is not yet flat
            for _ in range(len(columns) + 5)
        ]
        table = mpmath.matrix([row[1:] for row in rows])
        right = mpmath.matrix([row[0] for row in rows])
        return _fits(table, right)


def _fits(table: mpmath.matrix, right: mpmath.matrix) -> bool:
    """True when ``right`` lies in the column space of ``table``: Gram and Schmidt, twice, at sixty digits."""
    tiny = mpmath.mpf(10) ** -35
    base: list[mpmath.matrix] = []
    for j in [*range(table.cols), None]:
        v = right.copy() if j is None else table[:, j]
        size = mpmath.norm(v)
        for _ in range(2):
            for b in base:
                v = v - b * (b.H * v)[0]
        if j is None:
            return bool(mpmath.norm(v) <= tiny * size)
        if mpmath.norm(v) > tiny * size:
            base.append(v / mpmath.norm(v))
    raise AssertionError


def independent_equations(system: System) -> list[sp.Expr]:
    """The equations once more: by sympy.physics.mechanics (lumped) or sympy.calculus.euler (continua), and ∂φ/∂q̇ − Q.

    Neither knows of dissipation: its force is the derivative with respect to a symbol in the place of the rate.
    """
    conservative = _lagranges_equations(system) if not system.space else _eulers_equations(system)
    return [
        row + _dissipative(system, q) - system.loads.get(q, 0) - _reaction(system, q)
        for q, row in zip(system.fields, conservative, strict=True)
    ]


def _reaction(system: System, q: AppliedUndef) -> sp.Expr:
    """Σ λ_i A_i of the stated constraints: A is ∂c/∂q̇, or ∂c/∂q where there is no rate."""
    total = sp.S.Zero
    for i, c in enumerate(system.constraints, 1):
        names = {jet: sp.Dummy() for jet in (q.diff(t), q)}
        plain = c.xreplace(names)
        rates = any(jet.variables == (t,) for jet in c.atoms(sp.Derivative))
        total += sp.Function(f"lambda_{i}")(t) * sp.diff(plain, names[q.diff(t) if rates else q]).xreplace(
            {n: jet for jet, n in names.items()}
        )
    return total


def _lagranges_equations(system: System) -> list[sp.Expr]:
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    clock = dynamicsymbols._t
    theirs = sp.sympify(system.lagrangian).subs(t, clock)
    rows = LagrangesMethod(theirs, [q.subs(t, clock) for q in system.fields]).form_lagranges_equations()
    return [row.subs(clock, t).doit() for row in rows]


def _eulers_equations(system: System) -> list[sp.Expr]:
    from sympy.calculus.euler import euler_equations

    everywhere = [q for q in system.fields if q.args != (t,)]  # fields of t alone live in parts
    rows = dict(zip(everywhere, euler_equations(system.lagrangian, everywhere, (*system.space, t)), strict=True))
    return [-rows[q].lhs.doit() if q in rows and rows[q] is not sp.true else sp.S.Zero for q in system.fields]


def _dissipative(system: System, q: AppliedUndef) -> sp.Expr:
    """Σ (−1)^|i| ∂^i (∂φ/∂(∂^i q̇)), with the rates of q and of its space derivatives as independent symbols."""
    phi = sp.sympify(system.dissipation)
    rates = [jet for jet in phi.atoms(sp.Derivative) if jet.expr == q and dict(jet.variable_count).get(t) == 1]
    names = {jet: sp.Symbol(f"rate{i}", real=True) for i, jet in enumerate(rates)}
    back = {name: jet for jet, name in names.items()}
    plain = phi.subs(sorted(names.items(), key=lambda pair: -pair[0].derivative_count))
    total = sp.S.Zero
    for jet, name in names.items():
        along = [(v, n) for v, n in jet.variable_count if v != t]
        part = sp.diff(plain, name).subs(back)
        total += (-1) ** sum(n for _, n in along) * (sp.diff(part, *along) if along else part)
    return total
