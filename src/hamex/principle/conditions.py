"""What the principle accepts. Data: initial conditions in their order, and the classical rival; and the four steps of
section 4.1, which end in the assignment of the initial values. Terms: dimensions in force, length and time; a sum of
unlike terms is wrong before anything is derived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.free_data import free_data
from hamex.principle.jets import jet, t
from hamex.principle.parts import Part
from hamex.principle.variation import StatedAction, has_rates, is_cyclic

T = sp.Symbol("T", positive=True)


@dataclass(frozen=True)
class InitialCondition:
    """One datum at t = 0.

    ``order`` is the place in the sequence in which the principle assigns it: the momentum first, eq. (32), then the
    value, eq. (33), whose variation is thereby zero. ``role`` says whether the datum is free to be given (``data``),
    fixes something that nothing depends on (``gauge``), follows from the others (``determined``) by ``relation``,
    which vanishes, or whether none of this was decided (``undecided``). ``part`` is where a momentum sits that is not
    the body's: a mass at an edge, or ``"boundary"`` where rates with space derivatives leave one (kind ``momentum
    there``; ``motion`` is the field, or its slope, whose virtual value it meets).
    """

    order: int
    field: AppliedUndef
    kind: str
    equation: sp.Eq
    role: str
    relation: sp.Expr | None = None
    part: Part | str | None = None
    motion: sp.Expr | None = None


@dataclass(frozen=True)
class EndPointConstraints:
    """Hamilton's principle as it was: both ends known, eqs. (9) and (24)."""

    equations: tuple[sp.Expr, ...]
    constraints: tuple[sp.Eq, ...]
    brackets: tuple[sp.Expr, ...]


def at(expression: sp.Expr, instant: sp.Expr) -> sp.Expr:
    """An expression at an instant, derivatives taken first."""
    return expression.subs(t, instant)


def hat(name: str, q: AppliedUndef, instant: sp.Expr) -> sp.Expr:
    """A reserved value of the extended principle: unique, unspecified until it is assigned."""
    return sp.Function(f"{name}_{q.func.__name__}")(*(instant if x == t else x for x in q.args))


def initial_conditions(action: StatedAction) -> list[InitialCondition]:
    """The data at t = 0 in the order of their assignment."""
    zero = sp.S.Zero
    found: list[InitialCondition] = []
    roles = _roles(action)
    for q in action.fields:
        if action.has_momentum[q]:
            equation = sp.Eq(at(action.momentum(q), zero), hat("phat", q, zero), evaluate=False)
            found.append(InitialCondition(len(found) + 1, q, "momentum", equation, *roles[q.diff(t)]))
    for q, motion, momentum, part in _momenta_there(action):
        place = {} if isinstance(part, str) or isinstance(part.where, str) else part.where
        name = "phat_there" if motion == q else "phat_there_slope"
        reserved = hat(name, q, zero).subs(place)
        equation = sp.Eq(at(momentum.subs(place), zero), reserved, evaluate=False)
        found.append(InitialCondition(len(found) + 1, q, "momentum there", equation, "data", None, part, motion))
    for q in action.fields:
        equation = sp.Eq(at(q, zero), hat("bar", q, zero), evaluate=False)
        found.append(InitialCondition(len(found) + 1, q, "value", equation, *roles[q]))
    return found


def _momenta_there(action: StatedAction) -> list[tuple[AppliedUndef, sp.Expr, sp.Expr, Part | str]]:
    """Field, motion, momentum and place of what sits on parts, and on the boundary itself: given like the body's.

    The trace of a velocity that has a finite energy and no more is not defined: such a momentum is a datum of its own.
    """
    from hamex.principle.edges import balances, boundary_momenta

    found: list[tuple[AppliedUndef, sp.Expr, sp.Expr, Part | str]] = []
    if action.space:
        found += [(c.field, c.motion, c.force, "boundary") for c in boundary_momenta(action) if c.force != 0]
        found += [(b.field, b.motion, b.momentum, b.part) for b in balances(action) if b.momentum != 0]
    return [one for one in found if one[0] not in action.lumped]


Role = tuple[str, sp.Expr | None]


def _roles(action: StatedAction) -> dict[sp.Expr, Role]:
    """What the analysis says of each value and rate; the momentum goes with the rate.

    Fields of t alone beside a density live in its parts, and have a momentum of their own or none.
    """
    free = free_data(action)
    roles: dict[sp.Expr, Role] = {node: ("data", None) for q in action.lumped for node in (q, q.diff(t))}
    roles |= {q: ("gauge", None) for q in action.lumped if is_cyclic(action, q)}
    roles |= dict.fromkeys((*free.shifts, *free.reached), ("gauge", None))
    roles |= dict.fromkeys(free.data, ("undecided" if free.undecided else "data", None))
    if free.undecided:
        roles |= {q: ("gauge", None) for q in action.fields if is_cyclic(action, q)}
    for node, relation in free.determined.items():
        roles[node] = "determined", relation.expression
    for q in action.fields:  # a momentum without rates, as in p u̇ − H, is one of the values under another name
        if action.has_momentum[q] and not has_rates(action.momentum(q), action.fields):
            roles[q.diff(t)] = "determined", action.momentum(q) - momentum_symbol(q)
    return roles


def momentum_symbol(q: AppliedUndef) -> AppliedUndef:
    """P_q as a function of its own."""
    return sp.Function(f"P_{q.func.__name__}")(*q.args)


def classical(action: StatedAction, start: sp.Expr = sp.S.Zero, end: sp.Expr = T) -> EndPointConstraints:
    """Hamilton's own principle for the same Lagrangian: end-point constraints instead of initial conditions."""
    variation = action.variation()
    constraints, brackets = [], []
    for q in action.fields:
        delta = variation.test(q)
        constraints += [sp.Eq(at(delta, instant), 0, evaluate=False) for instant in (start, end)]
        brackets.append(-variation.ends[q] * delta)
    return EndPointConstraints(tuple(variation.bulk.values()), tuple(constraints), tuple(brackets))


@dataclass(frozen=True)
class FrameworkStep:
    """One step of the extension framework: its number, what is done, and the result."""

    number: int
    title: str
    result: sp.Expr | tuple[InitialCondition, ...]


def steps(action: StatedAction) -> tuple[FrameworkStep, ...]:
    """Lagrangian, action, stationarity with the reserved end values, assignment of the given initial values."""
    window = (t, 0, T)
    space = tuple(action.space)
    functional = sp.Integral(action.lagrangian, *space, window)
    return (
        FrameworkStep(1, "Define the Lagrangian", action.lagrangian),
        FrameworkStep(2, "Define the action over a fixed time window", functional),
        FrameworkStep(
            3,
            "Make the extended action stationary: one reserved value of each momentum and place at both ends",
            new_variation(action),
        ),
        FrameworkStep(
            4, "Assign the given initial values: momentum first, then place", tuple(initial_conditions(action))
        ),
    )


def new_variation(action: StatedAction) -> sp.Expr:
    """δA_NEW: the weak form and the hatted brackets, eqs. (29), (37), (45), (60)."""
    variation = action.variation()
    weak = sum(
        (coefficient * jet(variation.test(q), index) for (q, index), coefficient in variation.weak.items()), sp.S.Zero
    )
    brackets = sp.S.Zero
    for q in action.fields:
        if action.has_momentum[q]:
            for instant, sign in ((T, 1), (sp.S.Zero, -1)):
                brackets += sign * hat("phat", q, instant) * at(variation.test(q), instant)
    whole = sp.Integral(weak, *action.space, (t, 0, T))
    return whole + (sp.Integral(brackets, *action.space) if action.space and brackets != 0 else brackets)


_RAISED, _DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"
_LIKE = (sp.Add, sp.Abs, sp.Max, sp.Min)  # all arguments have the dimension of the whole


class UnknownDimensionError(ValueError):
    """A unit is missing or not understood."""


class MixedDimensionError(ValueError):
    """Terms of different dimensions are added; ``whole`` is their sum, ``found`` the dimensions."""

    def __init__(self, message: str, whole: sp.Expr | None = None, found: Iterable[Dimension] = ()) -> None:
        super().__init__(message)
        self.whole, self.found = whole, tuple(found)


@dataclass(frozen=True, order=True)
class Dimension:
    """Exponents of force, length and time."""

    force: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    time: Fraction = Fraction(0)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.force + other.force, self.length + other.length, self.time + other.time)

    def __pow__(self, power: Fraction | int) -> Dimension:
        return Dimension(self.force * power, self.length * power, self.time * power)

    def __str__(self) -> str:
        """``force·length·time^-1`` and the like."""
        powers = (("force", self.force), ("length", self.length), ("time", self.time))
        return "·".join(name if power == 1 else f"{name}^{power}" for name, power in powers if power) or "1"

    @property
    def unit(self) -> str:
        """As a unit in words, which :func:`read_unit` reads: force length/s."""
        powers = (("force", self.force), ("length", self.length), ("s", self.time))
        raised = str.maketrans(_DIGITS, _RAISED)
        shown = [(base if abs(n) == 1 else f"{base}{str(abs(n)).translate(raised)}", n) for base, n in powers if n]
        above = " ".join(word for word, n in shown if n > 0) or "1"
        return "/".join([above, *(word for word, n in shown if n < 0)])


def dimension(force: int = 0, length: int = 0, time: int = 0) -> Dimension:
    """A dimension by whole exponents."""
    return Dimension(Fraction(force), Fraction(length), Fraction(time))


NONE, FORCE, LENGTH, TIME = dimension(), dimension(1), dimension(0, 1), dimension(0, 0, 1)
_BASES = {"force": FORCE, "length": LENGTH, "s": TIME, "1": NONE, "rad": NONE}


def read_unit(unit: str) -> Dimension:
    """A unit in words; a slash divides by the next factor alone.

    >>> str(read_unit("force s²/length"))
    'force·length^-1·time^2'
    """
    found, rest = _read_product(re.findall(r"[A-Za-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|\d+|[()/^]", unit))
    if rest:
        raise UnknownDimensionError(unit)
    return found


def _read_product(tokens: list[str]) -> tuple[Dimension, list[str]]:
    total, sign = NONE, 1
    last = NONE  # what a raised number belongs to, once taken already
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            sign = -1
        elif token == "(":
            inside, tokens = _read_product(tokens)
            total, tokens, sign = total * inside**sign, tokens[1:], 1
        elif token in ("1", "rad"):
            last = NONE
        elif token in _BASES:
            last = _BASES[token] ** sign
            total, sign = total * last, 1
        elif token[0] in _RAISED:
            total *= last ** (int(token.translate(str.maketrans(_RAISED, _DIGITS))) - 1)
        else:
            raise UnknownDimensionError(token)
    return total, tokens


Given = Callable[[sp.Expr], Dimension | None]  # the dimension of a symbol or a field; None where it may be anything


def dimension_of(expression: sp.Expr, given: Given) -> Dimension | None:
    """Dimension of an expression; None when something of no known dimension decides it, or for zero, which has any."""
    if expression.is_number:
        return None if expression == 0 else NONE
    if isinstance(expression, sp.Symbol | AppliedUndef):
        return given(expression)
    if isinstance(expression, _LIKE):
        return alike([dimension_of(part, given) for part in expression.args], expression)
    if isinstance(expression, sp.Piecewise):
        return alike([dimension_of(value, given) for value, _ in expression.args], expression)
    if isinstance(expression, sp.Mul):
        return _product(dimension_of(factor, given) for factor in expression.args)
    if isinstance(expression, sp.Pow) and expression.exp.is_Rational:
        base = dimension_of(expression.base, given)
        return None if base is None else base ** Fraction(int(expression.exp.p), int(expression.exp.q))
    if isinstance(expression, sp.Derivative):
        steps = ((dimension_of(v, given), int(count)) for v, count in expression.variable_count)
        return _product([dimension_of(expression.expr, given), *(None if s is None else s**-n for s, n in steps)])
    if isinstance(expression, sp.Subs):  # a rate at an instant
        return dimension_of(expression.expr, given)
    if isinstance(expression, sp.Integral):
        return _product([dimension_of(expression.function, given), dimension_of(expression.limits[0][0], given)])
    inside = [dimension_of(argument, given) for argument in expression.args]
    if any(found not in (None, NONE) for found in inside):
        raise MixedDimensionError(f"{type(expression).__name__} of a quantity with a dimension", expression)
    return None if None in inside else NONE


def alike(found: Iterable[Dimension | None], whole: sp.Expr | None = None) -> Dimension | None:
    """The one dimension of things that are added or compared, as far as it is known."""
    known = sorted({one for one in found if one is not None})
    if len(known) > 1:
        raise MixedDimensionError(str(whole), whole, known)
    return known[0] if known else None


def _product(found: Iterable[Dimension | None]) -> Dimension | None:
    total = NONE
    for one in found:
        if one is None:
            return None
        total *= one
    return total
