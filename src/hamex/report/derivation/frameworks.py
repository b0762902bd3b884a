"""Hamilton's principle and the extended one side by side; what end-point constraints lose, and where they fail."""

from __future__ import annotations

from hamex.report.derivation import pictures
from hamex.report.derivation.atoms import BLANK, EQUAL, LESS, QQUAD, Letter
from hamex.report.derivation.document import Beside, Block, Bullets, Equation, Heading, Paragraph, Picture, TextTable
from hamex.report.derivation.expressions import field, formula_of, momentum
from hamex.report.derivation.formula import (
    DOTS,
    HALF_PERIOD,
    Formula,
    Text,
    bracket,
    cos,
    enumerated,
    equal,
    exp,
    say,
    sin,
    spaced,
    sym,
    thin,
    tight,
)
from hamex.report.derivation.stepping import rows_of_start
from hamex.report.derivation.system import DerivedSystem, EndPoints, delta, end_points, hat_momentum, name


def frequency(found: EndPoints) -> Formula:
    """ω² of the one oscillator."""
    return equal(sym.omega**2, formula_of(found.square))


def side_by_side(system: DerivedSystem) -> list[Block]:
    """Figure 6 of the paper with this system's own conditions."""
    letter = system.letter
    constraints = tuple(formula_of(c) for c in system.action.classical().constraints)
    listed = enumerated([*constraints[:8], *(["and so on"] if len(constraints) > 8 else [])])
    given = [c for c in system.action.initial_conditions() if c.role != "determined" and c.part is None]
    data = enumerated(formula_of(c.equation.lhs) for c in given[:8])
    bonds = system.action.constrained().constraints
    rolling = any(c.kind == "nonholonomic" for c in bonds)
    rule = ", by Lagrange and d'Alembert's rule on both sides" if rolling else ""
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
            f"After figure 6 of the paper. The equations of motion are the same{rule}. What differs is what the "
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
    motion = "Small motion about rest" if found.linearised else "The motion"
    if found.kind == "single":
        damped = found.decay != 0
        decay = formula_of(-found.decay / 2)
        end = exp(decay * "T") if damped else ""

        def at(instant: Formula) -> Formula:
            swing = swinging(letter, instant)
            return equal(symbol(instant), tight(exp(decay * instant), bracket(swing)) if damped else swing)

        under = say(" (underdamped: {})", sym.omega**2 > 0) if damped else ""
        return [
            Paragraph(say("{} swings with {}{}:", motion, frequency(found), under)),
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
            Paragraph(f"{motion}{lossless} is a sum of modes, each an oscillator of its own with a frequency from"),
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
