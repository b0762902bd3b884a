r"""The print, read: ``equations.tex`` is what is shown and what is checked; here stands what its letters mean.

The same letter means different things in different sections, as in the paper: L is the oscillator's Lagrangian in (1),
any function L(u, u̇) in (6), the particle's in (27).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import sympy as sp

from hamex.paper.audit import notation as n
from hamex.paper.audit.engine import (
    DIMENSIONS,
    GAMMA,
    GAMMA_PART,
    GENERIC,
    GENERIC_MIXED,
    HARMONIC,
    MIXED,
    OMEGA,
    PARTICLE,
    SEPARABLE,
    Solid,
    voigt,
    work,
)
from hamex.paper.audit.notation import Letters, NumberedEquation, Statement, Tensor, node
from hamex.paper.audit.reading import Meaning
from hamex.principle.jets import t
from hamex.principle.latex import Node, WrittenLetter
from hamex.principle.latex_grammar import lines

_WORDS = frozenset(("A", "L", "T", "U", "u", "J", "F", r"\varphi", "f", "p"))


def _keys(table: Mapping[str, sp.Expr]) -> dict[Node, sp.Expr]:
    """Letters written in LaTeX as keys."""
    return {node(latex, " ".join(_WORDS)): value for latex, value in table.items()}


_PARAMETERS = _keys(
    {"m": n.m, "k": n.k, "c": n.c, "a": n.a, "h": n.h, r"\eta": n.eta, "F_y": n.Fy, r"\rho": n.rho}
    | {r"\delta A": n.dA, r"\delta A_{NEW}": n.dA_new, r"\hat{f}": n.f}
)
_ENDS = _keys(
    {r"\hat{\dot{u}}_0": n.v0, r"\hat{\dot{u}}_T": n.v_end, r"\bar{\dot{u}}_0": n.vbar0, r"\bar{u}_0": n.ubar0}
    | {r"\delta\hat{u}_0": n.du0, r"\delta\hat{u}_T": n.du_end, r"\delta\bar{u}_0": n.dubar0}
)
_STEP = _keys(
    {r"{}^{r-1}u": n.u_o, r"{}^r u": n.u_r, r"{}^{r-1}J": n.J_o, r"{}^r J": n.J_r, r"{}^r\hat{f}": n.f_r}
    | {r"\delta^{r-1}u": n.vu_o, r"\delta^r u": n.vu_r, r"\delta^{r-1}J": n.vJ_o, r"\delta^r J": n.vJ_r}
    | {r"\delta^{r-1}\hat{u}": n.vh_o, r"\delta^r\hat{u}": n.vh_r, r"\delta\hat{u}": n.du_hat, r"\delta A_r": n.dA_r}
    | {r"\hat{p}(t_{r-1})": n.p_o, r"\hat{p}(t_r)": n.p_r, r"\hat{p}": n.phat, r"\hat{\dot{u}}": n.v_any}
    | {r"\hat{u}_1(t_{r-1})": n.s_o, r"\hat{u}_1(t_r)": n.s_r, r"\hat{u}_1": n.u1_hat}
    | {"u_1": n.u1, r"\dot{u}_1": n.dot(n.u1), "t": t, "t_{r-1}": n.t_o, "t_r": n.t_o + n.h}
    | {r"\hat{p}(t_0)": n.p_o, "{}^0u": n.u_o, "{}^0J": n.J_o, r"{}^0\hat{I}": n.I0}
    | {r"\alpha": n.alpha, r"\beta": n.beta, r"\gamma": n.gamma, r"{}_D\varphi_r": n.phi_r}
    | {r"(\delta A_\varphi)_r": n.dA_phi, r"{}_D(\delta A_\varphi)_r": n.dA_phi_D}
    | {"X": n.X, "Y": n.Y, "{}^r u_a": n.u_a, "{}^r F": n.F_mean}
)
_MATRICES = _keys({name: n.matrix(name) for name in n.MATRICES})

_FUNCTIONALS = {"A": n.A, "T": n.T_name, "U": n.U_name, "F": n.F_name}
_LAGRANGIANS = (
    (HARMONIC, "1 2 3 4 5 14"),
    (GENERIC, "6 12"),
    (MIXED, "16 19 20"),
    (GENERIC_MIXED, "21"),
    (PARTICLE, "27 28 29 31"),
    (SEPARABLE, "30"),
)
_INTERVALS = {("t_0", "t_1"): n.WINDOW, ("0", "T"): n.DURATION, ("t_{r-1}", "t_r"): n.STEP, (r"-\infty", "0"): n.PAST}
_INSTANTS = _keys({"t_0": n.t0, "t_1": n.t1, "0": sp.S.Zero, "T": n.T_end})
_REGIONS = {(r"\Omega", r"\Omega"): OMEGA, (r"\Gamma", r"\Gamma"): GAMMA, (r"\Gamma_t", r"\Gamma"): GAMMA_PART}


@cache
def letters(number: str, size: int = 0) -> Letters:
    """What the letters of one equation mean; ``size`` is the number of axes of a body."""
    place = int(number)
    if size:
        return _body_letters(size)
    functionals: dict[WrittenLetter, tuple[sp.Symbol, sp.Expr | None]] = {
        WrittenLetter(name): (symbol, None) for name, symbol in _FUNCTIONALS.items()
    }
    for meaning, numbers in _LAGRANGIANS:
        if number in numbers.split():
            functionals[WrittenLetter("L")] = (n.L_name, meaning)
    functionals[WrittenLetter(r"\varphi")] = (n.phi_name, n.RAYLEIGH if place < 45 else n.SLIDER)
    names = _PARAMETERS | (_ENDS if 27 <= place < 34 else {}) | (_STEP if place >= 45 else {})
    if 69 <= place < 74 or 80 <= place < 87:
        names |= _MATRICES
    return Letters(names, {"u": n.u, "J": n.J}, functionals, _INTERVALS, instants=_INSTANTS, words=_WORDS)


def _body_letters(size: int) -> Letters:
    body = Solid(size)
    inside, surface = work(size)
    tensors: dict[str, Tensor] = {
        "u": body.u,
        "J": body.J,
        "A": body.A,
        "t": body.traction,
        "n": body.normal,
        r"\varepsilon": body.strain,
        r"\hat{f}": body.force,
        r"\delta u": body.du,
        r"\delta J": body.dJ,
        r"\delta\varepsilon": body.dstrain,
    }
    tensors |= {
        latex: body.data(name)
        for latex, name in {
            r"\hat{t}": "that",
            r"\bar{t}": "tbar",
            r"\hat{\dot{u}}": "vhat",
            r"\bar{\dot{u}}": "vbar",
            r"\hat{u}": "uhat",
            r"\bar{u}": "ubar",
            r"\delta\hat{u}": "deltahat_u",
        }.items()
    }
    return Letters(
        _PARAMETERS,
        {q.func.__name__: q for q in voigt(size).fields},
        {
            WrittenLetter("A"): (n.A, None),
            WrittenLetter("l"): (n.l_name, voigt(size).lagrangian),
            WrittenLetter("V"): (n.V_name, OMEGA * inside + GAMMA_PART * surface),
        },
        _INTERVALS,
        _REGIONS,
        _INSTANTS,
        {key: tensor for latex, tensor in tensors.items() if isinstance(key := node(latex), WrittenLetter)},
        body.space,
        body.edge,
        _WORDS,
    )


def read(number: str, kind: str, latex: str, plain: str = "") -> NumberedEquation:
    """What one equation says; index equations are expanded in one, two and three dimensions."""
    found: list[Statement] = []
    faults: list[str] = []
    for size in DIMENSIONS if 34 <= int(number) < 45 else (0,):
        table, components = letters(number, size), set()
        for line in lines(latex, table.applies, f"equation ({number})"):
            meaning = Meaning(table)
            found += meaning.statements(line)
            components.add(tuple(meaning.free_indices(line)))
            faults += meaning.faults
        if len(components) > 1:  # «δu_i = 0 or u_i = û_i» is said of each component by itself
            faults.append("what is said in one equation is said of different components")
    return NumberedEquation(number, kind, tuple(found), latex, plain, tuple(dict.fromkeys(faults)))


@cache
def _blocks() -> tuple[tuple[str, str, str], ...]:
    """Number, kind or correction, LaTeX."""
    text = resources.files("hamex.paper.audit").joinpath("equations.tex").read_text(encoding="utf-8")
    parts = re.split(r"^%% \((\d+)\) (.*)\n", text, flags=re.MULTILINE)[1:]
    return tuple((parts[i], parts[i + 1], parts[i + 2].strip()) for i in range(0, len(parts), 3))


@cache
def printed_latex() -> dict[str, str]:
    """LaTeX of the printed equations by number, letter by letter."""
    return {number: latex for number, kind, latex in _blocks() if not kind.startswith("correct")}


@cache
def printed_equation(number: str) -> NumberedEquation:
    """One equation as printed."""
    return next(read(number, kind, latex) for name, kind, latex in _blocks() if name == number)


def printed() -> dict[str, NumberedEquation]:
    """All equations as printed, by number."""
    return {number: printed_equation(number) for number in printed_latex()}


@cache
def corrected_equation(number: str) -> NumberedEquation | None:
    """How a misprinted one should read; none where the print is right."""
    kinds = {name: kind for name, kind, _ in reversed(_blocks())}
    for name, kind, latex in _blocks():
        if name == number and kind.startswith("correct: "):
            return read(number, kinds[number], latex, kind.removeprefix("correct: "))
    return None


def corrected() -> dict[str, NumberedEquation]:
    """The misprinted ones as they should read; confirmed by the same rules."""
    return {number: better for number in printed_latex() if (better := corrected_equation(number)) is not None}
