"""Hamilton's principle and the extended one side by side; what end-point constraints lose, and where they fail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hamex.principle.jets import indices, jet, partial, t
from hamex.principle.stepform import h
from hamex.report.derivation import pictures
from hamex.report.derivation.document import Beside, Block, Bullets, Equation, Heading, Paragraph, Picture, TextTable
from hamex.report.derivation.expressions import Expr, field, formula_of, is_field, walk
from hamex.report.derivation.formula import BLANK, EQUAL, LESS, QQUAD, Formula, Letter, Text, enumerated, spaced, tight
from hamex.report.derivation.notation import DOTS, HALF_PERIOD, bracket, cos, equal, exp, momentum, say, sin, sym, thin
from hamex.report.derivation.stepping import rows_of_start
from hamex.report.derivation.system import DerivedSystem, delta, hat_momentum, name

_ZERO, _HALF = h * 0, h / (2 * h)
OMEGA, KAPPA = h.func("omega", positive=True), h.func("kappa", positive=True)


@dataclass(frozen=True)
class EndPoints:
    """What is known about the end-point problem of a system.

    ``kind``: ``single`` (ω² and decay in symbols), ``free`` (always solvable), ``modes`` (a determinant whose roots are
    the frequencies), ``numbers`` (failing lengths T found with all parameters 1), ``waves`` (a dispersion relation),
    ``first-order``, or ``unknown``.
    """

    kind: str
    square: Expr = None
    decay: Expr = None
    determinant: Expr = None
    failing: tuple[float, ...] = ()
    linearised: bool = False


def frequency(found: EndPoints) -> Formula:
    """ω² of the one oscillator."""
    return equal(sym.omega**2, formula_of(found.square))


@cache
def end_points(system: DerivedSystem) -> EndPoints:
    """Classify the end-point problem of an action, for small motion where it is nonlinear."""
    if not system.lumped:
        return _dispersion(system)
    M, C, K = (_coefficients(system, (t,) * n) for n in (2, 1, 0))
    if not _at_rest(system):
        return EndPoints("unknown")
    small = not system.linear
    if len(M) == 1:
        return _single(M[0][0], C[0][0], K[0][0], small)
    if any(entry.has(t) for matrix in (M, C, K) for row in matrix for entry in row):
        return EndPoints("unknown")
    if all(entry == 0 for row in C for entry in row) and _det(M) != 0:
        difference = [[k - OMEGA**2 * m for k, m in zip(*pair, strict=True)] for pair in zip(K, M, strict=True)]
        return EndPoints("modes", determinant=_det(difference).factor(), linearised=small)
    return _numbers(M, C, K, small)


def _coefficients(system: DerivedSystem, index: tuple[Any, ...]) -> list[list[Expr]]:
    """∂E_i/∂(∂^index q_j) about rest; of several fields without losses, as Hamilton's principle has none."""
    several = len(system.fields) > 1
    lost = {q: system.action.dissipative_force(q) if several else _ZERO for q in system.fields}
    return [
        [_rest(system, partial(e - lost[r], q, index)) for q in system.fields] for r, e in system.variation.bulk.items()
    ]


def _rest(system: DerivedSystem, expression: Expr) -> Expr:
    """An expression with all fields, and all loads, at zero."""
    functions = {node for node in walk(expression) if is_field(node)}
    for function in functions:
        for index in indices(expression, function)[::-1]:
            expression = expression.xreplace({jet(function, index): _ZERO})
    return expression.doit()


def _at_rest(system: DerivedSystem) -> bool:
    return all(_rest(system, e) == 0 for e in system.variation.bulk.values())


def _single(m: Expr, c: Expr, k: Expr, small: bool) -> EndPoints:
    if m == 0:
        return EndPoints("first-order")
    decay, square = (c / m).cancel(), (k / m).cancel()
    if decay.has(t) or square.has(t):
        return EndPoints("unknown")
    if square == 0:
        return EndPoints("free", decay=decay)
    return EndPoints("single", square=(square - decay**2 / 4).expand(), decay=decay, linearised=small)


def _det(matrix: list[list[Expr]]) -> Expr:
    if len(matrix) == 1:
        return matrix[0][0]
    total = _ZERO
    for j, entry in enumerate(matrix[0]):
        if entry != 0:
            total += (-1) ** j * entry * _det([[*row[:j], *row[j + 1 :]] for row in matrix[1:]])
    return total.expand()


def _numbers(M: list[list[Expr]], C: list[list[Expr]], K: list[list[Expr]], small: bool) -> EndPoints:
    """All parameters 1: where is the map from the start rates to the end positions singular?"""
    from scipy.linalg import expm
    from scipy.optimize import minimize_scalar

    mass, damping, stiffness = (
        np.array([[float(e.xreplace({s: _ZERO + 1 for s in e.free_symbols})) for e in row] for row in matrix])
        for matrix in (M, C, K)
    )
    n = len(mass)
    if abs(np.linalg.det(mass)) < 1e-12:
        return EndPoints("unknown")
    flow = np.block(
        [[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]]
    )

    def reach(T: float) -> float:
        return float(abs(np.linalg.det(expm(flow * T)[:n, n:])))

    step = 0.02
    advance, now, found = expm(flow * step), np.eye(2 * n), [0.0]
    for _ in range(700):
        now = advance @ now
        found.append(float(abs(np.linalg.det(now[:n, n:]))))
    values = np.array(found)
    lows = [i for i in range(2, 700) if values[i] < min(values[i - 1], values[i + 1])]
    failing = []
    for i in lows:
        best = minimize_scalar(
            reach, bounds=(step * (i - 1), step * (i + 1)), method="bounded", options={"xatol": 1e-10}
        )
        if best.fun < 1e-7 * values[: i + 2].max():
            failing.append(float(best.x))
    return EndPoints("numbers", failing=tuple(failing[:3]), linearised=small)


def _dispersion(system: DerivedSystem) -> EndPoints:
    """A wave e^{i(κx − ωt)} along the one space coordinate: its determinant is the dispersion relation."""
    if len(system.action.space) != 1 or not system.linear or system.explicit_time:
        return EndPoints("waves")
    i = (_ZERO - 1) ** _HALF
    matrix = []
    for e in system.variation.bulk.values():
        row = []
        for q in system.fields:
            entry = _ZERO
            for index in indices(e, q):
                times = sum(1 for v in index if v == t)
                entry += partial(e, q, index) * (-i * OMEGA) ** times * (i * KAPPA) ** (len(index) - times)
            row.append(entry)
        matrix.append(row)
    return EndPoints("waves", determinant=_det(matrix).factor())


def side_by_side(system: DerivedSystem) -> list[Block]:
    """Figure 6 of the paper with this system's own conditions."""
    letter = system.letter
    constraints = tuple(formula_of(c) for c in system.action.classical().constraints)
    listed = enumerated([*constraints[:8], *(["and so on"] if len(constraints) > 8 else [])])
    data = enumerated(formula_of(c.equation.lhs) for c in system.action.initial_conditions()[:8])
    left = (
        Heading("Hamilton's principle", 3),
        Picture(
            pictures.all_trajectories(letter),
            "Stationarity: all trajectories, with many values and many rates at both ends.",
        ),
        Picture(
            pictures.end_points(letter),
            "Then the end-point constraints: the trajectory with the known *initial and final* position.",
        ),
        Paragraph(say("Constraints: {}.", listed)),
    )
    right = (
        Heading("Extended principle", 3),
        Picture(
            pictures.unique_ends(letter),
            "Stationarity: trajectories with one value and one momentum at each end, not yet specified (dashed, open).",
        ),
        Picture(
            pictures.initial_values(letter),
            "Then the given initial values, momentum first: the trajectory that *starts* as given. Its end is found.",
        ),
        Paragraph(say("Data at the start: {}. At the end: none.", data)),
    )
    return [
        Heading("Classical and extended principle side by side"),
        Paragraph(
            "After figure 6 of the paper. The equations of motion are the same. What differs is what the "
            "principle asks you to know."
        ),
        Beside(left, right),
    ]


def values_at_the_ends(system: DerivedSystem) -> list[Block]:
    """The table of trial and test values, and the count of equations."""
    rows: list[tuple[Text, ...]] = []
    counts: list[tuple[Text, ...]] = []
    for q in system.fields:
        symbol, virtual = field(q), delta(q)
        if system.action.has_momentum[q]:
            p = momentum(name(q), "")
            rows += [
                (
                    symbol,
                    "start",
                    say("{} given, {} given", symbol, p),
                    say("{} **free**", virtual),
                    "1 row: it takes the given momentum in",
                ),
                (
                    symbol,
                    "end",
                    say("{} unknown, {} unknown", symbol, p),
                    say("{} free", virtual),
                    "1 row: it gives the new momentum out",
                ),
            ]
            counts.append(
                (
                    symbol,
                    say("{} (nodes {})", sym.s + 1, spaced(0, DOTS, sym.s)),
                    say("{s} values and 1 momentum"),
                    sym.s + 1,
                )
            )
        else:
            rows.append(
                (
                    symbol,
                    "start",
                    say("{} given, no momentum", symbol),
                    say("degree {}, no node", sym.s - 1),
                    "no row of its own",
                )
            )
            rows.append((symbol, "end", say("{} unknown", symbol), say("degree {}", sym.s - 1), say("{s} rows in all")))
            counts.append((symbol, say("{s} (tests of degree {})", sym.s - 1), say("{s} values"), sym.s))
    where = "" if system.lumped else " In a continuum this holds at every place (node of a mesh)."
    blocks: list[Block] = [
        Heading("What is known and what is free at both ends"),
        Paragraph(
            say(
                "Over one step (or the whole window) let every field be a polynomial of degree {s} in "
                "time. Trial values are what the motion does, test values are the virtual ones; each free "
                "test value gives one row.{}",
                where,
            )
        ),
        TextTable(("field", "where", "trial values", "test value", "what its row does"), tuple(rows)),
        TextTable(
            ("field", "rows", "unknowns", "count"),
            tuple(counts),
            say("Count for degree {s}: as many equations as unknowns, for every {s}."),
        ),
        Paragraph(
            say(
                "It looks odd that the trial value at the start is *given* while the test value there is "
                "*free*. But a test value is not a change of the datum: it is the multiplier that puts the "
                "balance at that instant into the equations. Classical end-point constraints remove both "
                "test values and leave {} rows per field, for {} inner values between two known ends. For "
                "{} nothing is left to solve.",
                sym.s - 1,
                sym.s - 1,
                equal(sym.s, 1),
            )
        ),
    ]
    return blocks


def lost_velocity(system: DerivedSystem) -> list[Block]:
    """Why δu(0) = 0 would lose the initial velocity."""
    if not system.carriers:
        return []
    q = system.carriers[0]
    end = system.variation.ends[q]
    written = bracket(formula_of(end)) if end.is_Add else formula_of(end)
    term = thin(bracket(sym.p.hat - written)[equal(sym.t, 0)], delta(q)(0))
    blocks: list[Block] = [
        Heading(say("Why {} would lose the initial velocity", equal(delta(q)(0), 0))),
        Paragraph(say("The start contributes one term for {}:", field(q))),
        Equation((-term,)),
        Paragraph(
            say(
                "It says {} at {}, and it is the only place where the given momentum enters. With {} from "
                "the outset the term is zero times something: the momentum has nowhere to go. The position "
                "at the end must then be known instead, which is the end-point problem again.",
                equal(formula_of(end), hat_momentum(q)),
                equal(sym.t, 0),
                equal(delta(q)(0), 0),
            )
        ),
    ]
    start = rows_of_start(system, q)
    if start is not None:
        kept, others = start
        blocks += [
            Paragraph("The same in one time step (degree 1). The row of the test value at the start is"),
            Equation((equal(kept, 0),)),
            Paragraph("the only one with the old momentum in it. The row of the end,"),
            Equation((equal(others, 0),)),
            Paragraph("does not know it. Strike the first row, and this field has one equation for two unknowns."),
        ]
    return blocks


def end_point_problem(system: DerivedSystem) -> list[Block]:
    """What happens to the end-point problem when T is half a period."""
    found = end_points(system)
    return [
        Heading(say("What the end-point problem does when {T} is half a period")),
        Paragraph("Suppose the positions at both ends were known. Does a motion between them exist, and only one?"),
        *_cases(system, found),
    ]


def swinging(letter: Formula, instant: Formula) -> Formula:
    """A free vibration that starts at ``letter`` 0."""
    angle = sym.omega * instant
    return letter[0] * cos(angle) + sym.b * sin(angle)


def _cases(system: DerivedSystem, found: EndPoints) -> list[Block]:
    letter, symbol = system.letter, field(system.fields[0])
    small = " for small motion about rest" if found.linearised else ""
    if found.kind == "single":
        damped = found.decay != 0
        decay = formula_of(-found.decay / 2)
        end = exp(decay * "T") if damped else ""

        def at(instant: Formula) -> Formula:
            swing = swinging(letter, instant)
            return equal(symbol(instant), tight(exp(decay * instant), bracket(swing)) if damped else swing)

        under = say(" (underdamped: {})", sym.omega**2 > 0) if damped else ""
        return [
            Paragraph(say("The motion{} swings with {}{}:", small, frequency(found), under)),
            Equation((tight(at(sym.t), ",", QQUAD, BLANK, at(sym.T)),)),
            Paragraph(
                say(
                    "The end fixes {b} only through {}. At {}, half a period, {}: {b} drops out, and",
                    sym.b * sin(sym.omega * sym.T),
                    HALF_PERIOD,
                    equal(sin(sym.omega * sym.T), 0),
                )
            ),
            Bullets(
                (
                    say(
                        "if the wanted end is exactly {}, *every* {b} will do: infinitely many solutions;",
                        tight(-letter[0], end),
                    ),
                    "if it is anything else, there is *none*.",
                )
            ),
            Picture(
                pictures.half_period(letter),
                "All motions that start at one place meet again after half a period, "
                "whatever their initial velocity" + (" (drawn without decay)." if damped else "."),
            ),
            Paragraph(
                say(
                    "The same at every {}, and close to these {b} is badly determined. The initial value "
                    "problem has one solution for every {T}.",
                    equal(sym.T, tight("n", sym.pi) / sym.omega),
                )
            ),
        ]
    if found.kind == "free":
        return [
            Paragraph(
                say(
                    "Here the end-point problem happens to have one solution for every {T}: nothing swings, so "
                    "nothing returns. With a spring, {}, the end fixes {} only, and at {} there is no "
                    "solution, or infinitely many. And even here it asks for a position that nobody knows.",
                    equal(symbol, swinging(letter, sym.t)),
                    sym.b * sin(sym.omega * sym.T),
                    HALF_PERIOD,
                )
            )
        ]
    if found.kind == "modes":
        shown = formula_of(found.determinant)
        lossless = ", without its losses," if system.dissipative else ""
        return [
            Paragraph(
                f"The motion{small}{lossless} is a sum of modes, each an oscillator of its own with a frequency from"
            ),
            Equation((equal(tight(Letter(r"\det", "det"), bracket(sym.K - sym.omega**2 * sym.M)), shown, 0),)),
            Paragraph(
                say(
                    "In each mode the end fixes {} only. At {} of *any* mode, {}: no solution, or infinitely "
                    "many. The more modes, the more such {T}.",
                    sym.b * sin(sym.omega * sym.T),
                    HALF_PERIOD,
                    equal(sin(sym.omega * sym.T), 0),
                )
            ),
            Picture(pictures.half_period(letter), "One mode after half its period."),
        ]
    if found.kind == "numbers":
        return _numbered(found, letter, small)
    if found.kind == "waves":
        return _wave_section(found)
    if found.kind == "first-order":
        return [
            Paragraph(
                "This system has no inertia; its equation is of first order in time. One value at one end "
                "fixes the motion. Positions at both ends are one condition too many: there is no solution "
                "at all unless the given end happens to lie on the one motion that the start allows."
            )
        ]
    return [
        Paragraph(
            say(
                "For a swinging motion {} the end fixes {} only. At {} that is zero: no solution, or "
                "infinitely many. This system has no rest position with constant frequency about it, so "
                "its failing {T} cannot be written down; nothing speaks against their existence.",
                equal(sym.u, swinging(sym.u, sym.t)),
                sym.b * sin(sym.omega * sym.T),
                HALF_PERIOD,
            )
        ),
        Picture(pictures.half_period(letter), "A linear oscillator after half a period."),
    ]


def _numbered(found: EndPoints, letter: Formula, small: str) -> list[Block]:
    import math as numbers

    def shown(T: float) -> Formula:
        multiple = T / numbers.pi
        exact = abs(multiple - round(multiple)) < 1e-5
        return tight(round(multiple) if round(multiple) > 1 else "", sym.pi) if exact else tight(f"{T:.4f}")

    rule = say(
        "Hamilton's principle knows {L} alone, so take the system without its losses. The "
        "positions at {T} depend on the initial rates through a matrix {}, a part of the "
        "transition matrix{}. For one oscillator it is {} over {omega}, zero at {}. ",
        sym.Phi[12](sym.T),
        small,
        sin(sym.omega * sym.T),
        HALF_PERIOD,
    )
    listed = enumerated(map(shown, found.failing))
    verdict = (
        say(
            "Here, with every parameter set to 1, its determinant vanishes at {} {}: there is no "
            "motion between given ends, or there are infinitely many.",
            tight(sym.T, BLANK, EQUAL),
            listed,
        )
        if found.failing
        else say("Here, with every parameter set to 1, its determinant does not vanish for {T} up to 14.")
    )
    return [
        Paragraph((rule, verdict)),
        Picture(pictures.half_period(letter), "The mechanism, in one oscillator after half a period."),
    ]


def _wave_section(found: EndPoints) -> list[Block]:
    blocks: list[Block] = []
    if found.determinant is not None:
        blocks = [
            Paragraph(say("A wave {} solves the equations when", exp(sym.i(sym.kappa * sym.x - sym.omega * sym.t)))),
            Equation((equal(formula_of(found.determinant), 0),)),
        ]
    return [
        *blocks,
        Paragraph(
            say(
                "With given boundaries the motion is a sum of modes with frequencies {} without bound, and "
                "each mode fails where {}. The failing lengths {} lie arbitrarily close to *every* {T}: "
                "for a continuum the end-point problem is ill-posed, not just unlucky. The initial value "
                "problem has one solution.",
                spaced(sym.omega[1], LESS, sym.omega[2], LESS, DOTS),
                equal(sin(sym.omega["n"] * sym.T), 0),
                equal(sym.T, tight("j", sym.pi) / sym.omega["n"]),
            )
        ),
        Picture(pictures.half_period(sym.u), "One mode after half its period."),
    ]
