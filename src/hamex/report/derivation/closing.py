"""The end of a derivation: dimensions, limits, exercises with answers.

Dimensions come from the units in the meanings: every term of L must have the same one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.report.derivation.document import Block, Bullets, Equation, Exercise, Heading, Paragraph, TextTable, quoted
from hamex.report.derivation.expressions import Expr, field, formula_of, is_field
from hamex.report.derivation.formula import PARTIAL, ROOM, Text, spaced, tight
from hamex.report.derivation.frameworks import end_points, frequency
from hamex.report.derivation.notation import (
    HALF,
    equal,
    exp,
    root,
    say,
    sin,
    small_bracket,
    sym,
    thin,
    upright,
    virtual,
)
from hamex.report.derivation.stepping import difference_of_rows
from hamex.report.derivation.system import DerivedSystem, delta

Dimension = dict[str, Fraction]
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BASES = ("force", "length", "s")


class UnknownDimensionError(ValueError):
    """A unit is missing or not understood."""


class MixedDimensionError(ValueError):
    """Terms of different dimensions are added."""


def read_unit(unit: str) -> Dimension:
    """A unit in words: ``force s²/length``; a slash divides by the next factor alone.

    >>> read_unit("force s²/length")
    {'force': Fraction(1, 1), 's': Fraction(2, 1), 'length': Fraction(-1, 1)}
    """
    tokens = re.findall(r"[A-Za-z]+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|\d+|[()/^]", unit)
    found, rest = _product(tokens)
    if rest:
        raise UnknownDimensionError(unit)
    return found


def _product(tokens: list[str]) -> tuple[Dimension, list[str]]:
    total: Dimension = {}
    sign, last = 1, Fraction(1)
    before: Dimension = {}
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        if token == "/":
            sign = -1
        elif token == "(":
            inside, tokens = _product(tokens)
            total, tokens, sign = dimension_product(total, inside, sign), tokens[1:], 1
        elif token in _BASES:
            before, last = {token: Fraction(1)}, Fraction(sign)
            total, sign = dimension_product(total, before, int(last)), 1
        elif token[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻":
            total = dimension_product(total, before, last * (int(token.translate(_RAISED)) - 1))
        elif token in ("1", "rad"):
            before, sign = {}, sign
        else:
            raise UnknownDimensionError(token)
    return total, tokens


def dimension_product(
    first: Mapping[str, Fraction], second: Mapping[str, Fraction], power: Fraction | int = 1
) -> Dimension:
    """The dimension of a product."""
    total = {b: first.get(b, Fraction(0)) + power * second.get(b, Fraction(0)) for b in (*first, *second)}
    return {b: n for b, n in total.items() if n}


def dimension_of(expression: Expr, action: Action) -> Dimension:
    """The dimension of an expression; an error when terms do not agree or a unit is not known."""
    kind = type(expression).__name__
    if expression.is_Number or expression.is_NumberSymbol:
        return {}
    if expression == t:
        return {"s": Fraction(1)}
    if expression in action.space:
        return {"length": Fraction(1)}
    if expression.is_Symbol or is_field(expression):
        return _given(expression.name if expression.is_Symbol else kind, action)
    if expression.is_Mul:
        total: Dimension = {}
        for factor in expression.args:
            total = dimension_product(total, dimension_of(factor, action))
        return total
    if expression.is_Pow and expression.exp.is_Rational:
        power = Fraction(int(expression.exp.p), int(expression.exp.q))
        return dimension_product({}, dimension_of(expression.base, action), power)
    if getattr(expression, "is_Derivative", False):
        total = dimension_of(expression.expr, action)
        for variable, count in expression.variable_count:
            total = dimension_product(total, dimension_of(variable, action), -int(count))
        return total
    return _several(expression, kind, action)


def _several(expression: Any, kind: str, action: Action) -> Dimension:
    if expression.is_Add or kind == "Piecewise":
        parts = expression.args if expression.is_Add else [value for value, _ in expression.args]
        found = [dimension_of(part, action) for part in parts if part != 0]
        if any(other != found[0] for other in found[1:]):
            raise MixedDimensionError(str(expression))
        return found[0] if found else {}
    if kind == "Integral":
        inside, (variable, *_) = expression.args[0], expression.args[1].args
        return dimension_product(dimension_of(inside, action), dimension_of(variable, action))
    if any(dimension_of(argument, action) for argument in expression.args):
        raise MixedDimensionError(f"{kind} of a quantity with a dimension")
    return {}


def _given(letter: str, action: Action) -> Dimension:
    meaning = action.meanings.get(letter, "")
    if "[" not in meaning:
        raise UnknownDimensionError(f"the meaning of {letter} names no unit")
    return read_unit(meaning[meaning.index("[") + 1 :].rstrip("] "))


def dimension_words(dimension: Dimension) -> str:
    """A dimension in words: force length/s."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

    def power(base: str, n: Fraction) -> str:
        return base if n == 1 else f"{base}{str(n).translate(raised)}"

    above = [power(b, dimension[b]) for b in _BASES if dimension.get(b, 0) > 0]
    below = [power(b, -dimension[b]) for b in _BASES if dimension.get(b, 0) < 0]
    return "/".join([" ".join(above) or "1", *below])


def dimension_table(system: DerivedSystem) -> list[Block]:
    """Dimensions of L, φ, momenta and equations, each sum checked term by term."""
    action = system.action
    quantities: list[tuple[Text, Expr]] = [(sym.L, action.lagrangian)]
    if system.dissipative:
        quantities.append((sym.varphi, action.dissipation))
    quantities += [(say("momentum of {}", field(q)), action.momentum(q)) for q in system.carriers[:4]]
    quantities += [(say("equation of {}", field(q)), e) for q, e in list(system.variation.bulk.items())[:4]]
    rows = []
    for title, expression in quantities:
        try:
            rows.append((title, quoted(dimension_words(dimension_of(expression, action))), "all terms agree"))
        except MixedDimensionError as problem:
            rows.append((title, "–", f"**terms differ**: {quoted(str(problem))}"))
        except UnknownDimensionError as problem:
            rows.append((title, "–", f"not checked: {quoted(str(problem))}"))
    note = (
        say(
            "{varphi} is energy per time, not energy like {L}: it cannot be added to the Lagrangian, "
            "and only its derivative by a rate, a force, joins the variation. "
        )
        if system.dissipative
        else ""
    )
    return [
        Heading("Dimensions"),
        Paragraph(
            say(
                "{}Each equation times its field has the dimension of {L}: the principle compares virtual "
                "work with virtual work. Checked from the units above, term by term:",
                note,
            )
        ),
        TextTable(("quantity", "dimension", "check"), tuple(rows)),
    ]


def limits(system: DerivedSystem) -> list[Block]:
    """What the method does not do, for this system."""
    items = []
    if system.lumped and system.form is not None:
        items.append(
            say(
                "Degree 1 is of second order in {h} when the load of a step is the mean of its ends. The "
                "printed end-of-step load makes it first order: the solution shifted by {}.",
                sym.h / 2,
            )
        )
        items.append(
            "The balance of energy closes to round-off in every step. That checks the arithmetic, not the "
            "accuracy; a coarse run closes too."
        )
    if system.piecewise:
        items += [
            "One slider needs no iteration: the elastic trial fixes the branch. With several sliders the trial "
            "can choose the wrong set, and a convex solve is needed.",
            "Not L-stable: as the viscosity tends to zero the slip of a step alternates about its mean. Step "
            "means stay right, node values overshoot the yield limit.",
            "A kink inside a step limits any fixed step to second order.",
        ]
    if not system.linear:
        items += [
            "Nonlinear: each step needs Newton's method, and no energy identity holds to the last digit. The "
            "drift of the energy is the thing to report.",
            say(
                "Integrals take as many Gauss points as the degree; exact integration of a term in the "
                "value alone would be unstable beyond {}.",
                equal(sym.omega * sym.h, root(12)),
            ),
        ]
    if system.explicit_time:
        items.append(
            say(
                "{L} depends on time: the Hamiltonian is not conserved, and the step matrices change from step to step."
            )
        )
    if not system.lumped:
        items += [
            "Small strains and displacements; the reference domain does not move.",
            "Nothing is marched here: space comes first (finite elements), and wave fronts ring with continuous "
            "elements in time.",
            "Off-diagonal components that are counted once carry a factor 2.",
        ]
    if any(q not in system.carriers for q in system.fields):
        items.append(
            "Fields without momentum need tests of one degree less; with full tests two contradictory steps "
            "would result."
        )
    items.append(
        say(
            "Covered: rates once in {L}, space derivatives up to the second, dissipation as a convex "
            "function of rates. Not covered: constraints on velocities, multipliers on positions "
            "(index 3), non-associated friction."
        )
    )
    return [Heading("Limits"), Bullets(tuple(items))]


def exercises(system: DerivedSystem) -> list[Block]:
    """Three exercises with answers."""
    return [Heading("Exercises"), _order(system), _ends(system), _last(system)]


def _order(system: DerivedSystem) -> Exercise:
    if not system.carriers:
        q = system.fields[0]
        return Exercise(
            say("1. Give {} a small mass and let it go to zero. What becomes of the initial momentum?", field(q)),
            (
                Paragraph(
                    "With a mass there is a bracket at the start, and a momentum to assign. As the mass "
                    "goes to zero so does the bracket: the datum loses its place, and only the initial "
                    "value is left. A velocity given anyway would contradict the equation."
                ),
            ),
        )
    q = system.carriers[0]
    first = formula_of(system.variation.ends[q])
    return Exercise(
        say("1. Assign the value {} before the momentum. Which datum is lost, and where?", field(q)(0)),
        (
            Paragraph(
                say(
                    "Giving the value makes {}. It multiplies the bracket that holds {} against its given "
                    "value, so the initial momentum drops out. Momentum first, while the variation is still "
                    "free; then the value.",
                    equal(delta(q)(0), 0),
                    first,
                )
            ),
        ),
    )


def _ends(system: DerivedSystem) -> Exercise:
    found = end_points(system)
    if found.kind == "single":
        return Exercise(
            say(
                "2. For which {T} does the end-point problem of {} fail, and is the initial value problem "
                "in trouble there?",
                field(system.fields[0]),
            ),
            (
                Paragraph(
                    say(
                        "Where {}, that is {}, with {}. The initial value problem is not: value and momentum at 0 "
                        "fix both constants at once, for every {T}.",
                        equal(sin(sym.omega * sym.T), 0),
                        equal(sym.T, tight("n", sym.pi) / sym.omega),
                        frequency(found),
                    )
                ),
            ),
        )
    if found.kind == "free":
        return Exercise(
            "2. Solve the end-point problem, and the initial value problem. How do they differ here?",
            (
                Paragraph(
                    "Position at both ends: a straight line through two points, always possible. Value "
                    "and momentum at the start: a straight line by point and slope. The second needs "
                    "nothing from the future."
                ),
            ),
        )
    return Exercise(
        say(
            "2. Count, for degree {}, rows and unknowns of one field with a momentum: in the extended "
            "principle, with {} alone, and with both end-point constraints.",
            equal(sym.s, 2),
            equal(virtual(sym.q)(0), 0),
        ),
        (
            Paragraph(
                say(
                    "Extended: 3 rows for 2 new values and 1 momentum. With {} alone: 2 rows for these 3 "
                    "unknowns, and the given momentum appears nowhere. With both constraints: 1 row for the "
                    "one inner value, the end being 'known'.",
                    equal(virtual(sym.q)(0), 0),
                )
            ),
        ),
    )


def _last(system: DerivedSystem) -> Exercise:
    if not system.lumped:
        condition = system.action.boundary_conditions()[0]
        return Exercise(
            "3. Nothing is prescribed on some part of the boundary. What holds there?",
            (
                Paragraph(
                    r"Variations are free there, so every conjugate force vanishes: a free boundary. "
                    "For instance"
                ),
                Equation((equal(formula_of(condition.force), 0),)),
            ),
        )
    if system.dissipative and system.linear and not system.piecewise and len(system.fields) == 1 and system.carriers:
        u, E, growth = field(system.fields[0]), spaced(PARTIAL, "E"), exp(sym.gamma * sym.t)
        adjoint = equal(
            E / tight(PARTIAL, u.dot), tight(upright("d") / upright("d"), "t", ROOM, E / tight(PARTIAL, u.ddot))
        )
        return Exercise(
            say("3. Multiply the equation of motion by {}. For which {gamma} does it pass the Helmholtz test?", growth),
            (
                Paragraph(
                    say(
                        "{} becomes {}: {}. Then {}, the library's caldirola-kanai.",
                        adjoint,
                        equal(thin("c", growth), thin(tight("m", sym.gamma), growth)),
                        equal(sym.gamma, sym.c / sym.m),
                        equal(
                            sym.L,
                            tight(
                                exp(tight("c", sym.t) / "m"),
                                small_bracket(tight(HALF, "m", sym.u.dot**2) - tight(HALF, "k", sym.u**2)),
                            ),
                        ),
                    )
                ),
            ),
        )
    rows = difference_of_rows(system, system.carriers[0]) if system.carriers else None
    if rows is not None:
        return Exercise(
            say("3. Subtract the two rows of {}. What do you get?", field(system.carriers[0])),
            (
                Equation((equal(rows, 0),)),
                Paragraph(
                    "The forces at mid-step cancel. What is left says that the mean of the old and the new momentum "
                    "is the momentum of the mean rate, eq. (79): the linear relation behind Newmark's average "
                    "acceleration."
                ),
            ),
        )
    return Exercise(
        "3. The field has no momentum. What does a given initial velocity do?",
        (Paragraph("Nothing: it appears in no row. The equation fixes the rate from the value and the load."),),
    )
