"""Claims about Newmark, and section 6 with its tables: symbols where they suffice, runs where not."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from hamex.errors import ShortRunWarning
from hamex.model.oscillator import oscillator
from hamex.motion.ground import el_centro
from hamex.paper.audit.engine import amplification, elastic_system, inverse
from hamex.paper.audit.judging import CONDITION, HOLDS, MISPRINT, Claim, Judged, decide, judged, readable, zero
from hamex.paper.audit.notation import LETTERS, J_o, a, c, f_r, h, m, p_o, u_o
from hamex.paper.results import CASES, DURATION, MASS, RESONANT_END, RESONANT_OMEGA, STIFFNESS, Case, milli
from hamex.principle.conditions import Dimension, dimension
from hamex.problem import State
from hamex.schemes import Galerkin, Newmark
from hamex.solution.solution import Solution
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of

Array = NDArray[Any]
PRINTED_END = 31.16  # s, Table 1
f_o, f_n = sp.symbols("f_0 f_1", real=True)


@cache
def runs() -> dict[str, tuple[Solution, Solution]]:
    """The six cases: the printed method and Newmark."""
    return {
        case.name: (solve(case.problem, Galerkin(case.step, load="end")), solve(case.problem, Newmark(case.step)))
        for case in CASES
    }


@cache
def newmark_step() -> sp.Matrix:
    """(u, p) after one step of Newmark's average acceleration, γ = ½, β = ¼, in symbols."""
    u_n, v_n, a_n = sp.symbols("u_n v_n a_n")
    v_o = p_o / m
    a_o = (f_o - c * v_o - u_o / a) / m
    found = sp.solve(
        [
            m * a_n + c * v_n + u_n / a - f_n,
            u_n - u_o - h * v_o - h**2 / 4 * (a_o + a_n),
            v_n - v_o - h / 2 * (a_o + a_n),
        ],
        [u_n, v_n, a_n],
        dict=True,
    )[0]
    return sp.Matrix([found[u_n], m * found[v_n]])


@cache
def own_step() -> sp.Matrix:
    """(u, p) after one step of (53)."""
    _, D, z = elastic_system()
    return (inverse("damped") * (D * sp.Matrix([u_o, p_o, J_o]) + z))[:2, 0]


def _newmark() -> Judged:
    gap = (own_step() - newmark_step()).applyfunc(sp.cancel)
    needed = sp.solve(list(gap), f_r, dict=True)
    load = sp.simplify(needed[0][f_r]) if needed else None
    same_as_printed = load is not None and zero(load - f_n)
    same_on_average = load is not None and zero(load - (f_o + f_n) / 2)
    average, shifted = _elastic_distance("average"), _elastic_distance("end")
    return judged(
        decide(same_as_printed, same_on_average),
        f"symbols: the steps agree if and only if the load of a step is {load}; (51) takes f_r, its value "
        f"at the end, a shift by h/2 and first order. El Centro, 2000 steps, elastic: {average:.0e} of the "
        f"peak with the average, {shifted:.0e} with the end",
        "equal to Newmark with the load ½(f_(r−1) + f_r)",
    )


def _elastic_distance(rule: Any) -> float:
    model = oscillator(MASS, STIFFNESS, 1.5)
    problem = Problem(model, el_centro().scaled(2).on(model, g=1.0), DURATION)
    ours, theirs = (
        solve(problem, s).values("displacement")
        for s in (Galerkin(0.02, load=rule), Newmark(0.02, tolerance=1e-14, max_iterations=50))
    )
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def _symplectic() -> Judged:
    G = amplification("forced").extract([0, 2], [0, 2])
    omega = sp.Matrix([[0, 1], [-1, 0]])

    def area(matrix: sp.Matrix) -> sp.Expr:
        return sp.cancel((matrix.T * omega * matrix)[0, 1])

    free, damped = area(G.subs(c, 0)), area(G)
    return judged(
        decide(free == 1), f"GᵀΩG = {free}·Ω at c = 0; with damping the factor is {readable(sp.factor(damped))}"
    )


def _dispersion() -> Judged:
    x = sp.Symbol("lambda")
    ours = amplification("forced").extract([0, 2], [0, 2]).subs(c, 0).charpoly(x).as_expr()
    N = newmark_step().subs({c: 0, f_o: 0, f_n: 0})
    theirs = N.jacobian([u_o, p_o]).charpoly(x).as_expr()
    cosine = sp.factor(amplification("forced").extract([0, 2], [0, 2]).subs(c, 0).trace() / 2)
    return judged(
        decide(zero(sp.cancel(ours - theirs))),
        f"equal characteristic polynomials; both turn by an angle with cosine {readable(cosine)} per step",
    )


def _enough() -> Judged:
    """Restart at 20 s: from (u, p, u1), and with the slip left out."""
    case, scheme = CASES[3], Galerkin(CASES[3].step, load="end")
    whole = runs()[case.name][0].values("displacement")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortRunWarning)  # the second half follows
        first = solve(case.problem.replace(duration=DURATION / 2), scheme)
    rest = case.problem.replace(duration=DURATION / 2, load=case.load.after(DURATION / 2))
    kept = solve(rest.replace(start=first.final), scheme).values("displacement")
    bare = State(first.final.displacement, first.final.momentum)
    lost = solve(rest.replace(start=bare), scheme).values("displacement")
    size = np.abs(whole).max()
    again, without = (float(np.abs(run - whole[-len(run) :]).max() / size) for run in (kept, lost))
    return judged(
        decide(again == 0 and without > 0),
        "El Centro restarted at 20 s from (u, p̂, û1): difference "
        f"{again:g}; with û1 left out {without:.1g} of the peak. The impulse J is not needed",
    )


def _table1() -> Judged:
    record = el_centro()
    values = np.asarray(record.acceleration)
    last = float(np.flatnonzero(values)[-1] * record.step)
    final = (len(values) - 1) * record.step
    resonance = float(np.sqrt(STIFFNESS / MASS))
    ratios = [case.damping / (2 * np.sqrt(STIFFNESS * MASS)) for case in CASES[3:]]
    labels = [float(case.parameter.rpartition(" ")[2]) for case in CASES[3:]]
    fine = [
        bool(np.isclose(resonance, RESONANT_OMEGA)),
        bool(np.isclose(last, PRINTED_END)),
        bool(np.allclose(ratios, labels)),
        all(np.isclose(DURATION / case.step, round(DURATION / case.step)) for case in CASES),
    ]
    return judged(
        decide(all(fine), all(fine[:1] + fine[2:])),
        f"√(k/m) = {resonance:g} rad/s; c/2√(km) = "
        f"{', '.join(f'{r:.2f}' for r in ratios)}, the ξ of Table 2; the series has {len(values)} samples of "
        f"{record.step} s, its last non-zero sample stands at {last:.2f} s (a zero follows at {final:.2f} "
        f"s); the sine ends at {RESONANT_END:g} s; all steps divide {DURATION:g} s",
    )


def _table2() -> Judged:
    """The 12 printed numbers; then without the conventions, to see that the table needs them."""

    def numbers(solution: Solution) -> tuple[str, str]:
        return milli(solution.values("slip")[-1, 0]), milli(solution.values("momentum")[-1, 0])

    def met(case: Case, solution: Solution) -> int:
        return sum(x == y for x, y in zip(numbers(solution), (case.slip_printed, case.momentum_printed), strict=True))

    good = sum(met(case, runs()[case.name][0]) for case in CASES)
    other = sum(met(case, solve(case.problem, Galerkin(case.step, load="average"))) for case in CASES)
    total = 2 * len(CASES)
    return judged(
        CONDITION if good == total and other < total else decide(good == total),
        f"{good} of {total} numbers in every digit, with four conventions the paper leaves out (f = "
        "−m·scale·a; the sine on for t ≤ 30; Chopra's 1560-point series in g as a bare number; the load at "
        f"the end of a step). With the average load {other} of {total}",
        "the numbers hold with the four conventions",
    )


def _unit(printed: Dimension, letter: str, written: str, correct: str) -> Judged:
    needed = LETTERS[letter]
    return judged(
        HOLDS if printed == needed else MISPRINT, f"{written} is {printed}; the equations need {needed}", correct
    )


def _sensitivity() -> Judged:
    """Change of the displacement history when the step is halved, over the 30 s of the sine."""

    def history(case: Case, which: int) -> Array:
        parts = round(0.02 / case.step)
        return runs()[case.name][which].values("displacement")[::parts, 0][:1501]

    moves = {}
    for which, name in ((0, "new"), (1, "newmark")):
        coarse, middle, fine = (history(case, which) for case in CASES[:3])
        size = np.abs(fine).max()
        moves[name] = [float(np.abs(x - fine).max() / size) for x in (coarse, middle)]
    worse = [moves["newmark"][i] > moves["new"][i] for i in (0, 1)]
    return judged(
        decide(all(worse), any(worse)),
        "largest change of u against h = 0.005, relative to the peak: "
        f"Newmark {moves['newmark'][0]:.1%} and new method {moves['new'][0]:.1%} at h = 0.02, "
        f"{moves['newmark'][1]:.1%} and {moves['new'][1]:.1%} at h = 0.01",
        "true for h = 0.02; at h = "
        "0.01 the printed method changes more, since its load at the end of the step makes it first order",
    )


def _close() -> Judged:
    found = []
    for case in CASES[3:]:
        ours, theirs = (run.values("displacement")[:, 0] for run in runs()[case.name])
        found.append(
            (
                abs(np.abs(ours).max() / np.abs(theirs).max() - 1),
                float(np.sqrt(np.mean((ours - theirs) ** 2) / np.mean(theirs**2))),
            )
        )
    peaks, spread = (max(x) for x in zip(*found, strict=True))
    return judged(
        decide(peaks < 0.01 and spread < 0.1),
        f"peaks differ by at most {peaks:.1%}, histories by "
        f"{spread:.1%} in the RMS (less than 1 % and 10 % counted as well matched)",
    )


_KIP_PER_IN, _IN_PER_S = dimension(1, -1), dimension(0, 1, -1)
CLAIMS = (
    Claim("equal to Newmark", "5.3, 7: numerical properties are those of Newmark's constant acceleration", _newmark),
    Claim("symplecticity", "5.3: symplectic for the conservative oscillator, as Newmark is", _symplectic),
    Claim("numerical dispersion", "5.3: the dispersion of Newmark's constant acceleration", _dispersion),
    Claim("information for further dynamics", "5.2, 6.2: û1 and p̂ at t_N are necessary and sufficient", _enough),
    Claim("unit of F_y", "6.1: F_y = 0.27 (kip/in)", lambda: _unit(_KIP_PER_IN, "F_y", "kip/in", "F_y = 0.27 kip")),
    Claim(
        "unit of p̂ in Table 2",
        "Table 2: p̂ in milli-in/sec",
        lambda: _unit(_IN_PER_S, "phat", "milli-in/sec", "milli-kip·sec; the numbers agree since m = 1 kip·sec²/in"),
    ),
    Claim("Newmark and the time step", "6.2: Newmark is more sensitive to the time step", _sensitivity),
    Claim("El Centro results match", "6.2: hardly any difference between both methods", _close),
)
TABLES = (
    Claim("Table 1", "Table 1: inputs of the six runs", _table1),
    Claim("Table 2", "Table 2: final slip and momentum of the six runs", _table2),
)
