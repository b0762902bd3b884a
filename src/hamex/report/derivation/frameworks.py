"""The two principles side by side, what is known at the ends, and why the end-point constraints must go."""

from __future__ import annotations

from hamex.report.derivation import names, pictures
from hamex.report.derivation.blocks import Beside, Block, Bullets, Equation, Heading, Paragraph, Picture, Table, math
from hamex.report.derivation.endpoints import OMEGA, EndPoints, end_points, frequency
from hamex.report.derivation.latex import field, latex
from hamex.report.derivation.stepping import rows_of_start
from hamex.report.derivation.system import System, delta, hat_momentum, name


def side_by_side(system: System) -> list[Block]:
    """Figure 6 of the paper with this system's own conditions."""
    letter = system.letter
    constraints = tuple(latex(c) for c in system.action.classical().constraints)
    listed = ", ".join(math(c) for c in constraints[:8]) + (", and so on" if len(constraints) > 8 else "")
    data = ", ".join(math(latex(c.equation.lhs)) for c in system.action.initial_conditions()[:8])
    left = (Heading("Hamilton's principle", 3), Picture(pictures.all_trajectories(letter), "Stationarity: all "
            "trajectories, with many values and many rates at both ends."),
            Picture(pictures.end_points(letter), "Then the end-point constraints: the trajectory with the known "
                    "*initial and final* position."),
            Paragraph(f"Constraints: {listed}."))
    right = (Heading("Extended principle", 3), Picture(pictures.unique_ends(letter), "Stationarity: trajectories with "
             "one value and one momentum at each end, not yet specified (dashed, open)."),
             Picture(pictures.initial_values(letter), "Then the given initial values, momentum first: the trajectory "
                     "that *starts* as given. Its end is found."),
             Paragraph(f"Data at the start: {data}. At the end: none."))
    return [Heading("Classical and extended principle side by side"),
            Paragraph("After figure 6 of the paper. The equations of motion are the same. What differs is what the "
                      "principle asks you to know."), Beside(left, right)]


def values_at_the_ends(system: System) -> list[Block]:
    """The table of trial and test values, and the count of equations."""
    rows, counts = [], []
    for q in system.fields:
        symbol, virtual = field(q), delta(q)
        if system.action.has_momentum[q]:
            p = names.momentum(name(q), "")
            rows += [(math(symbol), "start", f"{math(symbol)} given, {math(p)} given",
                      f"{math(virtual)} **free**", "1 row: it takes the given momentum in"),
                     (math(symbol), "end", f"{math(symbol)} unknown, {math(p)} unknown", f"{math(virtual)} free",
                      "1 row: it gives the new momentum out")]
            counts.append((math(symbol), "$s + 1$ (nodes $0 \\dots s$)", "$s$ values and 1 momentum", "$s + 1$"))
        else:
            rows.append((math(symbol), "start", f"{math(symbol)} given, no momentum", "degree $s - 1$, no node",
                         "no row of its own"))
            rows.append((math(symbol), "end", f"{math(symbol)} unknown", "degree $s - 1$", "$s$ rows in all"))
            counts.append((math(symbol), "$s$ (tests of degree $s - 1$)", "$s$ values", "$s$"))
    where = "" if system.lumped else " In a continuum this holds at every place (node of a mesh)."
    blocks: list[Block] = [
        Heading("What is known and what is free at both ends"),
        Paragraph("Over one step (or the whole window) let every field be a polynomial of degree $s$ in time. Trial "
                  "values are what the motion does, test values are the virtual ones; each free test value gives one "
                  f"row.{where}"),
        Table(("field", "where", "trial values", "test value", "what its row does"), tuple(rows)),
        Table(("field", "rows", "unknowns", "count"), tuple(counts), "Count for degree $s$: as many equations as "
              "unknowns, for every $s$."),
        Paragraph("It looks odd that the trial value at the start is *given* while the test value there is *free*. But "
                  "a test value is not a change of the datum: it is the multiplier that puts the balance at that "
                  "instant into the equations. Classical end-point constraints remove both test values and leave "
                  "$s - 1$ rows per field, for $s - 1$ inner values between two known ends. For $s = 1$ nothing is "
                  "left to solve.")]
    return blocks


def lost_velocity(system: System) -> list[Block]:
    """Why δu(0) = 0 would lose the initial velocity."""
    if not system.carriers:
        return []
    q = system.carriers[0]
    end = system.variation.ends[q]
    bracket = rf"\left(\hat{{p}} - {latex(end)}\right)_{{t = 0}}\,{delta(q)}(0)" if not end.is_Add else \
        rf"\left(\hat{{p}} - \left({latex(end)}\right)\right)_{{t = 0}}\,{delta(q)}(0)"
    blocks: list[Block] = [
        Heading(rf"Why ${delta(q)}(0) = 0$ would lose the initial velocity"),
        Paragraph(rf"The start contributes one term for {math(field(q))}:"), Equation((f"- {bracket}",)),
        Paragraph(rf"It says {math(latex(end) + ' = ' + hat_momentum(q))} at $t = 0$, and it is the only place where "
                  rf"the given momentum enters. With {math(delta(q) + '(0) = 0')} from the outset the term is zero "
                  "times something: the momentum has nowhere to go. The position at the end must then be known "
                  "instead, which is the end-point problem again.")]
    start = rows_of_start(system, q)
    if start is not None:
        kept, others = start
        blocks += [Paragraph("The same in one time step (degree 1). The row of the test value at the start is"),
                   Equation((f"{kept} = 0",)),
                   Paragraph("the only one with the old momentum in it. The row of the end,"),
                   Equation((f"{others} = 0",)),
                   Paragraph("does not know it. Strike the first row, and this field has one equation for two "
                             "unknowns.")]
    return blocks


def end_point_problem(system: System) -> list[Block]:
    """What happens to the end-point problem when T is half a period."""
    found = end_points(system)
    return [Heading("What the end-point problem does when $T$ is half a period"),
            Paragraph("Suppose the positions at both ends were known. Does a motion between them exist, and only one?"),
            *_cases(system, found)]


def _cases(system: System, found: EndPoints) -> list[Block]:
    letter, symbol = system.letter, field(system.fields[0])
    small = " for small motion about rest" if found.linearised else ""
    if found.kind == "single":
        damped = found.decay != 0
        decay = latex(-found.decay / 2)
        envelope = rf"\mathrm{{e}}^{{{decay} t}}" if damped else ""
        end = rf"\mathrm{{e}}^{{{decay} T}}" if damped else ""
        close = (r"\left(", r"\right)") if damped else ("", "")
        under = " (underdamped: $\\omega^2 > 0$)" if damped else ""
        return [
            Paragraph(rf"The motion{small} swings with {frequency(found)}{under}:"),
            Equation((rf"{symbol}(t) = {envelope}{close[0]}{letter}_0 \cos \omega t + b \sin \omega t{close[1]},\qquad "
                      rf"{symbol}(T) = {end}{close[0]}{letter}_0 \cos \omega T + b \sin \omega T{close[1]}",)),
            Paragraph(r"The end fixes $b$ only through $b \sin \omega T$. At $T = \pi/\omega$, half a period, "
                      r"$\sin \omega T = 0$: $b$ drops out, and"),
            Bullets((rf"if the wanted end is exactly $-{letter}_0{end}$, *every* $b$ will do: "
                     "infinitely many solutions;", "if it is anything else, there is *none*.")),
            Picture(pictures.half_period(letter), "All motions that start at one place meet again after half a period, "
                    "whatever their initial velocity" + (" (drawn without decay)." if damped else ".")),
            Paragraph(r"The same at every $T = n\pi/\omega$, and close to these $b$ is badly determined. The initial "
                      "value problem has one solution for every $T$.")]
    if found.kind == "free":
        return [Paragraph("Here the end-point problem happens to have one solution for every $T$: nothing swings, so "
                          rf"nothing returns. With a spring, ${symbol} = {letter}_0\cos\omega t + b\sin\omega t$, the "
                          r"end fixes $b \sin\omega T$ only, and at $T = \pi/\omega$ there is no solution, or "
                          "infinitely many. And even here it asks for a position that nobody knows.")]
    if found.kind == "modes":
        shown = latex(found.determinant)
        lossless = ", without its losses," if system.dissipative else ""
        return [Paragraph(f"The motion{small}{lossless} is a sum of modes, each an oscillator of its own with a "
                          "frequency from"),
                Equation((rf"\det\left(K - {latex(OMEGA)}^{{2}} M\right) = {shown} = 0",)),
                Paragraph(r"In each mode the end fixes $b \sin\omega T$ only. At $T = \pi/\omega$ of *any* mode, "
                          r"$\sin \omega T = 0$: no solution, or infinitely many. The more modes, the more such $T$."),
                Picture(pictures.half_period(letter), "One mode after half its period.")]
    if found.kind == "numbers":
        return _numbered(found, letter, small)
    if found.kind == "waves":
        return _waves(found)
    if found.kind == "first-order":
        return [Paragraph("This system has no inertia; its equation is of first order in time. One value at one end "
                          "fixes the motion. Positions at both ends are one condition too many: there is no solution "
                          "at all unless the given end happens to lie on the one motion that the start allows.")]
    return [Paragraph(r"For a swinging motion $u = u_0\cos\omega t + b\sin\omega t$ the end fixes $b \sin\omega T$ "
                      r"only. At $T = \pi/\omega$ that is zero: no solution, or infinitely many. This system has no "
                      "rest position with constant frequency about it, so its failing $T$ cannot be written down; "
                      "nothing speaks against their existence."),
            Picture(pictures.half_period(letter), "A linear oscillator after half a period.")]


def _numbered(found: EndPoints, letter: str, small: str) -> list[Block]:
    import math as numbers

    def shown(T: float) -> str:
        multiple = T / numbers.pi
        exact = abs(multiple - round(multiple)) < 1e-5
        return (rf"{round(multiple) if round(multiple) > 1 else ''}\pi" if exact else f"{T:.4f}")

    rule = (r"Hamilton's principle knows $L$ alone, so take the system without its losses. The positions at $T$ depend "
            rf"on the initial rates through a matrix $\Phi_{{12}}(T)$, a part of the transition matrix{small}. For one "
            r"oscillator it is $\sin\omega T$ over $\omega$, zero at $T = \pi/\omega$. ")
    listed = ", ".join(math(shown(T)) for T in found.failing)
    verdict = (f"Here, with every parameter set to 1, its determinant vanishes at $T =$ {listed}: there is no motion "
               "between given ends, or there are infinitely many." if found.failing else
               "Here, with every parameter set to 1, its determinant does not vanish for $T$ up to 14.")
    return [Paragraph(rule + verdict),
            Picture(pictures.half_period(letter), "The mechanism, in one oscillator after half a period.")]


def _waves(found: EndPoints) -> list[Block]:
    blocks: list[Block] = []
    if found.determinant is not None:
        blocks = [Paragraph(r"A wave $\mathrm{e}^{i(\kappa x - \omega t)}$ solves the equations when"),
                  Equation((f"{latex(found.determinant)} = 0",))]
    return [*blocks, Paragraph(
        r"With given boundaries the motion is a sum of modes with frequencies $\omega_1 < \omega_2 < \dots$ without "
        r"bound, and each mode fails where $\sin\omega_n T = 0$. The failing lengths $T = j\pi/\omega_n$ lie "
        "arbitrarily close to *every* $T$: for a continuum the end-point problem is ill-posed, not just unlucky. The "
        "initial value problem has one solution."),
        Picture(pictures.half_period("u"), "One mode after half its period.")]
