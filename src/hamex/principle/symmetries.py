"""Point symmetries of an action, found: ξ^μ ∂_μ + η_a ∂_a that change L by a divergence, and no more.

Noether's condition, pr X(L) + L div ξ = div K, holds exactly when the Euler expressions of Σ Q_a E_a vanish, with the
characteristics Q_a = η_a − ξ^μ ∂_μ q_a and the equations E_a of L alone. Written out, for every b,

    Σ_a Σ_I (∂E_b/∂q_a,I) D_I Q_a + Σ_a (∂Q_a/∂q_b) E_a + D_μ(ξ^μ E_b) = 0

(Olver, Applications of Lie Groups to Differential Equations, § 5.3). This is linear in the generator: for a polynomial
ansatz each random place gives one linear equation per field, whatever functions L is made of. The null space at random
positive parameters has a few entries per vector; those that change with the parameters are powers of them. What is
found so is listed when its charge is certified, as an identity of symbols; where that fails the condition is asked at
more places, smaller and larger (a narrow well is flat almost everywhere), and what then is still not certified, or has
coefficients that are not recovered, is named in a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from hamex.principle.jets import Index, compiled, flattened, indices, is_zero, jet, partial, pythagoras, t, total
from hamex.principle.noether import Charge, Symmetry
from hamex.principle.readable import (
    KINDS,
    SAME,
    Change,
    Column,
    Polynomial,
    Term,
    TimeFunction,
    ansatz,
    by_letter,
    fraction,
    letter_total,
    listed,
    null_space,
    power_beside_one,
    sorted_index,
    time_functions,
)
from hamex.principle.variation import StatedAction, euler, stated_rows

Array = NDArray[Any]
_DRAWS = 200  # of parameters, until frequencies are real
_SIZES = ((1.0,), (1.0, 0.1, 0.02), (1.0, 0.1, 0.02, 0.002, 20.0))  # of places; the next where one round was not sure


def searched(action: StatedAction) -> tuple[list[Symmetry], tuple[str, ...]]:
    """All point symmetries within the ansatz, simplest first, as a basis with small coefficients; and names of others.

    Lumped: ξ and η of degree 2 in (q, t); beside them cos ωt, sin ωt, cos 2ωt, sin 2ωt, or exponentials, where L is
    quadratic and the frequencies are roots of rational functions of the parameters. Continua: ξ affine in place and
    time, η affine in place, time and fields; a shift of a field whose rate alone enters holds with any function of
    place, and stands here once, without it. With constraints only those on which the reactions do no work.

    >>> from hamex.principle.library import action
    >>> [s.name for s in searched(action("gyroscopic"))[0]]
    ['time: energy', 'rotation in (x, y)']
    """
    if action.lumped:  # they live in parts: of the body, all that holds at a place is said without them
        inside = tuple(q for q in action.fields if q not in action.lumped)
        loads = {q: Q for q, Q in action.loads.items() if q in inside}
        action = StatedAction(inside, action.lagrangian, action.dissipation, loads, action.space)
    system = _Equations.of(action)
    columns = ansatz(action, system.functions)
    for sizes in _SIZES:
        vectors, lost = _null_vectors(system, columns, sizes)
        found = _unhindered(action, [_symmetry(action, columns, vector, system.functions) for vector in vectors])
        sure = found if _is_plain(action) else [s for s in found if _is_certain(s)]
        if len(sure) == len(found):  # other sizes show what hides between places, not coefficients that are no powers
            break
    names = *(s.name for s in found if s not in sure), *(["one with coefficients not recovered"] * lost)
    return sorted(sure, key=lambda s: KINDS.index(s.kind)), names


def _is_plain(action: StatedAction) -> bool:
    """Whether a density is a polynomial of its jets: nothing hides between random places then, and each of its many
    symmetries is certified when its charge is asked for."""
    flat = flattened(action.lagrangian)
    return bool(action.space) and bool(flat.is_polynomial(*flat.atoms(sp.Dummy)))


def _is_certain(symmetry: Symmetry) -> bool:
    """Whether the balance of its charge is an identity of symbols."""
    try:
        return symmetry.balance is not None
    except (ValueError, ArithmeticError):  # no K, or an identity that fails
        return False


def _unhindered(action: StatedAction, found: list[Symmetry]) -> list[Symmetry]:
    """Those on which the reactions of constraints A q̇ + b = 0 do no work, A η + ξ b = 0, and such combinations."""
    rows = stated_rows(action)
    works = [
        [
            sp.expand(sum((a * s.change.get(q, 0) for a, q in zip(row, action.fields, strict=True)), s.time * rest))
            for _, row, rest in rows
        ]
        for s in found
    ]
    free = [s for s, work in zip(found, works, strict=True) if all(is_zero(w) for w in work)]
    held = [(s, work) for s, work in zip(found, works, strict=True) if s not in free]
    for vector in _combinations([work for _, work in held]):
        time = sum((c * s.time for c, (s, _) in zip(vector, held, strict=True)), sp.S.Zero)
        change: dict[AppliedUndef, sp.Expr] = {}
        for c, (s, _) in zip(vector, held, strict=True):
            change |= {q: change.get(q, sp.S.Zero) + c * e for q, e in s.change.items() if c != 0}
        free.append(Symmetry.of(action, time, (), change))
    return free


def _combinations(works: list[list[sp.Expr]]) -> list[list[sp.Expr]]:
    """Numbers c with Σ c_j work_j = 0 identically: the coefficients of each product of fields, t and functions."""
    whole = sp.Tuple(*(w for work in works for w in work))
    letters = {node: sp.Dummy(real=True) for node in sorted(whole.atoms(AppliedUndef), key=str)}
    moving = {t, *letters.values()}
    equations: dict[Any, dict[int, sp.Expr]] = {}
    for j, work in enumerate(works):
        for i, w in enumerate(work):
            for term in sp.Add.make_args(sp.expand(pythagoras(w.xreplace(letters)))):
                fixed, product = term.as_independent(*moving, as_Add=False)
                row = equations.setdefault((i, product), {})
                row[j] = row.get(j, sp.S.Zero) + fixed
    rows = [[row.get(j, sp.S.Zero) for j in range(len(works))] for row in equations.values()]
    return sp.Matrix(rows).to_DM(field=True).nullspace().to_Matrix().tolist() if works else []


@dataclass(frozen=True, eq=False)
class _Equations:
    """E_b, ∂E_b/∂x_μ at fixed jets, and ∂E_b/∂q_a,I of L alone, as one function of arrays; D_I Q as asked for."""

    action: StatedAction
    functions: dict[str, TimeFunction]
    E: list[sp.Expr]
    slots: list[tuple[AppliedUndef, Index]]
    letters: list[Any]
    parameters: list[sp.Symbol]
    given: list[sp.Expr]
    compiled: Callable[..., list[Any]]
    moved: dict[tuple[Column, AppliedUndef], dict[Index, Polynomial]] = field(default_factory=dict)

    @classmethod
    def of(cls, action: StatedAction) -> _Equations:
        E = [euler(action, q) for q in action.fields]
        slots = sorted(
            {(q, sorted_index(i)) for e in E for q in action.fields for i in indices(e, q)},
            key=lambda s: (action.fields.index(s[0]), len(s[1]), str(s[1])),
        )
        deeper = max((len(i) for _, i in slots), default=0) + 1
        variables = (*action.space, t)
        every = [
            (q, sorted_index(i))
            for q in action.fields
            for n in range(deeper + 1)
            for i in combinations_with_replacement(variables, n)
        ]
        nodes = {jet(q, i): sp.Dummy(real=True) for q, i in reversed(every)}
        flat = [e.xreplace(nodes) for e in E]
        rows = list(flat)
        rows += [sp.diff(e, x) for e in flat for x in variables]
        rows += [total(e, nodes[jet(q, i)]) for e in flat for q, i in slots]
        known = {*nodes.values(), *variables}
        others = sp.Tuple(*rows)
        given = sorted(
            (n for n in others.atoms(sp.Derivative, AppliedUndef) if n not in nodes), key=sp.default_sort_key
        )[::-1]
        hidden = {g: sp.Dummy(real=True) for g in given}
        rows = [r.xreplace(hidden) for r in rows]
        parameters = sorted(sp.Tuple(*rows).free_symbols - known - set(hidden.values()), key=lambda s: s.name)
        arguments = [*variables, *(nodes[jet(q, i)] for q, i in every), *hidden.values(), *parameters]
        return cls(
            action,
            time_functions(action, E),
            E,
            slots,
            [*variables, *every],
            parameters,
            list(hidden),
            compiled(arguments, rows, "numpy", cse=True),
        )

    @cached_property
    def rates(self) -> dict[sp.Symbol, sp.Expr]:
        """Frequencies that are no powers of the parameters, as letters beside them: entries may be powers of these."""
        found = {f.frequency for f in self.functions.values()}
        sums = [w for w in found if w.atoms(sp.Add) and not any(v != w and (w / v).is_Integer for v in found)]
        lone = [w for w in sums if not w.could_extract_minus_sign() or -w not in sums]
        return {sp.Dummy(positive=True): w for w in sorted(lone, key=sp.default_sort_key)}

    def matrix(
        self, columns: list[Column], numbers: dict[sp.Symbol, float], source: np.random.Generator, size: float
    ) -> Array:
        """Noether's condition at random places: a row per place and field, a column per unknown."""
        n = len(self.action.fields)
        points = int(1.3 * len(columns) / n) + 6
        for analytic in (False, True):  # roots and logarithms of negative numbers: continued to complex places
            values = {letter: _places(source, points, analytic, size) for letter in self.letters}
            given = [_places(source, points, analytic, size) for _ in self.given]
            with np.errstate(all="ignore"):
                out = self.compiled(*values.values(), *given, *(numbers[s] for s in self.parameters))
                found = np.array([np.broadcast_to(x, points) for x in out])
            good = np.isfinite(found).all(axis=0) & (np.abs(found).max(axis=0) < 1e6)
            if good.sum() * n >= 1.1 * len(columns):
                break
        for name, f in self.functions.items():
            rate = complex(f.frequency.subs(numbers)).real
            values[name] = getattr(np, name.split()[0])(rate * values[t])
            values[f"rate {f.frequency}"] = np.full(points, rate)
        largest = np.abs(found).max(axis=0)  # each place has a say, also where all terms are small
        found = found / np.where(largest > 0, largest, 1.0)
        rows = _condition(self, columns, found, values, points)[:, good]
        flat = rows.reshape(-1, len(columns))
        return np.vstack([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat


def _places(source: np.random.Generator, points: int, analytic: bool, size: float) -> Array:
    x = size * source.uniform(0.2, 0.9, points) * source.choice([-1.0, 1.0], points)
    return x + 1j * source.uniform(0.1, 0.5, points) if analytic else x


def _condition(system: _Equations, columns: list[Column], found: Array, values: dict[Any, Array], points: int) -> Array:
    fields, variables = system.action.fields, (*system.action.space, t)
    n, v, slots = len(fields), len(variables), system.slots
    E, DE = found[:n], found[n : n + n * v].reshape(n, v, points).copy()
    slopes = found[n + n * v :].reshape(n, len(slots), points)
    for i, x in enumerate(variables):
        for j, (q, index) in enumerate(slots):
            DE[:, i] += slopes[:, j] * values[q, sorted_index((*index, x))]
    known: dict[Term, Array] = {}

    def at(p: Polynomial) -> Array:
        total: Array = np.zeros(points)
        for term, c in p.items():
            if term not in known:
                known[term] = np.prod([values[x] for x in term], axis=0) if term else np.ones(points)
            total = total + float(c) * known[term]
        return total

    acting = [np.nonzero(slopes[:, j].any(axis=1))[0] for j in range(len(slots))]
    rows = np.zeros((len(columns), n, points), dtype=np.result_type(*values.values(), found))
    for k, column in enumerate(columns):
        moved = fields if isinstance(column.along, sp.Symbol) else (column.along,)
        for a in moved:
            Q = system.moved.setdefault((column, a), {(): column.characteristic(a)})
            for j, (q, index) in enumerate(slots):
                if q == a and acting[j].size:
                    rows[k, acting[j]] += slopes[acting[j], j] * at(_derived(Q, index, system.functions))
            for letter in {x for term in Q[()] for x in term if isinstance(x, tuple) and not x[1]}:
                rows[k, fields.index(letter[0])] += at(by_letter(Q[()], letter)) * E[fields.index(a)]
        if isinstance(column.along, sp.Symbol):
            xi = {column.term: Fraction(1)}
            by = letter_total(xi, column.along, system.functions)
            rows[k] += at(by) * E + at(xi) * DE[:, variables.index(column.along)]
    return np.moveaxis(rows, 0, 2)


def _derived(Q: dict[Index, Polynomial], index: Index, functions: dict[str, TimeFunction]) -> Polynomial:
    """D_I Q, each derivative taken once."""
    if index not in Q:
        Q[index] = letter_total(_derived(Q, index[:-1], functions), index[-1], functions)
    return Q[index]


def _null_vectors(
    system: _Equations, columns: list[Column], sizes: tuple[float, ...]
) -> tuple[list[dict[int, sp.Expr]], int]:
    """A basis of the solutions, entries as numbers or functions of the parameters; and how many were not recovered."""
    source = np.random.default_rng(20)
    samples = [_sample(system, columns, source, sizes) for _ in range(2)]
    if len(samples[0][1]) != len(samples[1][1]):  # exceptional parameters have more solutions
        samples += [_sample(system, columns, source, sizes) for _ in range(2)]
        fewest = min(len(basis) for _, basis in samples)
        samples = [sample for sample in samples if len(sample[1]) == fewest]
    first, second = samples[0][1], samples[-1][1]
    varies = np.abs(first - second) > SAME * (1 + np.abs(first))
    if varies.any():
        samples += [_sample(system, columns, source, sizes) for _ in (*system.parameters, *system.rates)]
    found = []
    for i, row in enumerate(first):
        entries: dict[int, sp.Expr] = {}
        for j in np.nonzero(np.abs(row) > SAME)[0].tolist():
            values = np.array([basis[i, j] for _, basis in samples if len(basis) == len(first)])
            at = [n for n, basis in samples if len(basis) == len(first)]
            entry = power_beside_one(at, values) if varies[i, j] else fraction(float(row[j]))
            if entry is None:
                entries = _exactly(system, columns, np.nonzero(np.abs(row) > SAME)[0].tolist())
                break
            entries[j] = entry.xreplace(system.rates)
        found.append(entries)
    return [entries for entries in found if entries], found.count({})


def _sample(
    system: _Equations, columns: list[Column], source: np.random.Generator, sizes: tuple[float, ...]
) -> tuple[dict[sp.Symbol, float], Array]:
    """Parameters of order one at which frequencies are real, and the null space there in reduced form."""
    for _ in range(_DRAWS):
        numbers = {s: float(source.uniform(0.5, 2.0)) for s in system.parameters}
        rates = {letter: complex(rate.subs(numbers)) for letter, rate in system.rates.items()}
        if not any(abs(rate.imag) > 0 for rate in rates.values()):
            break
    numbers |= {letter: rate.real for letter, rate in rates.items()}
    return numbers, null_space(np.vstack([system.matrix(columns, numbers, source, size) for size in sizes]))


def _exactly(system: _Equations, columns: list[Column], support: list[int]) -> dict[int, sp.Expr]:
    """Entries that are sums of parameters: the few columns of one vector, exactly, at rational places."""
    source = np.random.default_rng(3)
    fields = system.action.fields
    expressions = []
    for j in support:
        symmetry = _symmetry(system.action, columns, {j: sp.S.One}, system.functions)
        work = sum((symmetry.characteristic(q) * e for q, e in zip(fields, system.E, strict=True)), sp.S.Zero)
        expressions.append([euler(StatedAction(fields, work.doit(), space=system.action.space), q) for q in fields])
    whole = sp.Tuple(*(e for row in expressions for e in row))
    places = sorted(whole.atoms(sp.Derivative) | whole.atoms(AppliedUndef), key=sp.default_sort_key, reverse=True)
    rows = []
    for _ in range(len(support) + 2):
        at = {node: sp.Rational(int(source.integers(1, 50)), 7) for node in [*places, *system.action.space, t]}
        for b in range(len(fields)):
            rows += _split([expressions[k][b].xreplace(at) for k in range(len(support))])
    matrix = sp.Matrix(rows)
    if not rows or not all(entry.is_rational_function(*system.parameters) for entry in matrix):
        return {}
    null = matrix.to_DM(field=True).nullspace().to_Matrix()
    if null.rows != 1:
        return {}
    return {j: sp.factor(c / null[0]) for j, c in zip(support, null, strict=True)}


def _split(entries: list[sp.Expr]) -> list[list[sp.Expr]]:
    """One row for each surd or other irrational number in a row: each must vanish with coefficients that have none."""
    rows: dict[sp.Expr, list[sp.Expr]] = {}
    for k, entry in enumerate(entries):
        for term in sp.Add.make_args(sp.expand(entry)):
            odd = [f for f in sp.Mul.make_args(term) if f.is_number and not f.is_Rational]
            row = rows.setdefault(sp.prod(odd), [sp.S.Zero] * len(entries))
            row[k] += term / sp.prod(odd)
    return list(rows.values())


def _symmetry(
    action: StatedAction, columns: list[Column], vector: dict[int, sp.Expr], functions: dict[str, TimeFunction]
) -> Symmetry:
    """The generator as expressions, over the common denominator of its numbers."""
    size = sp.ilcm(1, *(sp.fraction(c.as_coeff_Mul()[0])[1] for c in vector.values()))
    parts: dict[Any, sp.Expr] = {}
    for j, c in vector.items():
        letters = (
            x if isinstance(x, sp.Symbol) else functions[x].value if isinstance(x, str) else x[0]
            for x in columns[j].term
        )
        parts[columns[j].along] = parts.get(columns[j].along, sp.S.Zero) + size * c * sp.prod(letters)
    change = {q: parts[q] for q in action.fields if q in parts}
    return Symmetry.of(action, parts.get(t, sp.S.Zero), tuple(parts.get(x, sp.S.Zero) for x in action.space), change)


def charges(action: StatedAction, shifts: list[Change] | None = None) -> list[Charge]:
    """Charges of the given constant shifts, or of all that the Lagrangian allows."""
    wanted = [dict(s) for s in shifts] if shifts is not None else _allowed_shifts(action)
    still = (sp.S.Zero,) * len(action.space)
    return [Symmetry(action, sp.S.Zero, still, shift, "shift", f"shift of {listed(shift)}").charge for shift in wanted]


def _allowed_shifts(action: StatedAction) -> list[dict[AppliedUndef, sp.Expr]]:
    """Constant shifts s with Σ s_q ∂L/∂q a total derivative: its Euler expressions vanish, linear equations in s."""
    s = sp.symbols(f"s_0:{len(action.fields)}", real=True)
    change = sum((a * partial(action.lagrangian, q) for a, q in zip(s, action.fields, strict=True)), sp.S.Zero)
    equations: list[sp.Expr] = []
    for q in action.fields:
        euler = sp.expand((sp.diff(partial(change, q, (t,)), t) - partial(change, q)).doit())
        coordinates = [jet(f, i) for f in action.fields for i in indices(euler, f)]
        symbols = {c: sp.Dummy(real=True) for c in sorted(coordinates, key=sp.default_sort_key, reverse=True)}
        equations += _coefficients(euler.xreplace(symbols), [*symbols.values(), t])
    matrix = sp.Matrix([[sp.diff(e, a) for a in s] for e in equations]) if equations else sp.zeros(1, len(s))
    found = [
        {q: sp.cancel(a) for q, a in zip(action.fields, vector, strict=True) if a != 0} for vector in matrix.nullspace()
    ]
    # Lumped fields of a continuum live in parts, of which the density knows nothing.
    return [shift for shift in found if not any(q in action.lumped for q in shift)]


def _coefficients(flat: sp.Expr, variables: list[sp.Symbol]) -> list[sp.Expr]:
    """What multiplies the different functions of the variables: all of it must vanish for the whole to vanish."""
    grouped: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(flat, trig=True)):
        constant, function = term.as_independent(*variables, as_Add=False)
        grouped[function] = grouped.get(function, sp.S.Zero) + constant
    return [e for e in grouped.values() if e != 0]
