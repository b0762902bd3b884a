r"""The print, read, and how it is judged.

``equations.tex`` is what is shown and what is checked; here stands what its letters mean. The same letter means
different things in different sections, as in the paper: L is the oscillator's Lagrangian in (1), any function L(u, u̇)
in (6), the particle's in (27).

Equations and claims are judged by exact comparison, and by rules that return a finding.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import sympy as sp
from sympy.core.function import AppliedUndef

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
from hamex.paper.audit.notation import Letters, NumberedEquation, Statement, Tensor, fault, node
from hamex.paper.audit.reading import Meaning
from hamex.principle.jets import t
from hamex.principle.latex import Node, WrittenLetter
from hamex.principle.latex_grammar import lines

_WORDS = frozenset(("A", "L", "T", "U", "u", "J", "F", r"\varphi", "f", "p"))
HOLDS, MISPRINT = "holds", "misprint"
CONDITION, NOT_TRUE = "holds with a condition", "not true in general"
VERDICTS = (HOLDS, MISPRINT, CONDITION, NOT_TRUE)
# Of papers of others.
DEFINITION, NOT_UNDERSTOOD, SKIPPED = "definition", "not understood", "skipped"
CONSERVED = "conserved quantity"
OPEN_VERDICTS = (HOLDS, MISPRINT, CONDITION, DEFINITION, NOT_UNDERSTOOD, SKIPPED)

Derivation = Callable[[], tuple[Statement, ...]]


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


def zero(expression: sp.Expr) -> bool:
    """Exact test for zero; derivatives are carried out, rational functions brought to one fraction."""
    expanded = sp.expand(expression.doit())
    if expanded == 0:
        return True
    if _is_polynomial(expanded):
        return False
    if sp.fraction(sp.together(expanded))[1].free_symbols:
        return bool(sp.cancel(sp.together(expanded)) == 0)
    return (
        bool(sp.simplify(expanded) == 0)
        if expanded.has(sp.Pow, sp.Max, sp.Abs) and expanded.count_ops() < 200
        else False
    )


def _is_polynomial(expanded: sp.Expr) -> bool:
    """Fields, rates and letters are independent, and a polynomial of them that is multiplied out has no second form."""
    return not expanded.has(sp.Max, sp.Abs, sp.sign, sp.Piecewise, sp.Heaviside) and all(
        power.exp.is_Integer and power.exp > 0 for power in expanded.atoms(sp.Pow)
    )


def same(printed: Statement, derived: Statement) -> bool:
    """The same statement: left − right agree up to a constant factor, which ``= 0`` does not see."""
    if (printed.relation, printed.where) != (derived.relation, derived.where):
        return False
    p, d = printed.flat, derived.flat
    if p == d:
        return True
    if _is_polynomial(p) and _is_polynomial(d):
        return _proportional(p, d)
    if _refuted(p, d):
        return False
    if any(zero(gap) for gap in (p - d, p + d)):
        return True
    return bool(p != 0 and d != 0 and sp.cancel(sp.together(p / d)).is_number)


def _refuted(p: sp.Expr, d: sp.Expr) -> bool:
    """Exact values at two places that are in different ratios: a proof, where to cancel polynomials takes seconds."""
    whole = p + d
    rates = sorted(whole.atoms(sp.Derivative), key=sp.default_sort_key)
    rest = sorted(whole.atoms(AppliedUndef) | whole.free_symbols, key=sp.default_sort_key)
    if any(not symbol.is_commutative for symbol in rest):
        return False
    found = []
    for seed in (1, 2):
        source = random.Random(seed)
        numbers = {node: sp.Rational(source.randint(1, 99), source.randint(1, 99)) for node in (*rates, *rest)}
        moving = {node: numbers[node] for node in rates}
        found.append([e.xreplace(moving).xreplace(numbers) for e in (p, d)])
    (a, b), (c, e) = found
    return all(value.is_Rational for value in (a, b, c, e)) and a * e != b * c


def _proportional(p: sp.Expr, d: sp.Expr) -> bool:
    """Two polynomials that are multiplied out: the same monomials, with coefficients in one ratio."""
    ours, theirs = p.as_coefficients_dict(), d.as_coefficients_dict()
    return ours.keys() == theirs.keys() and len({ours[monomial] / theirs[monomial] for monomial in ours}) == 1


def opposite(printed: Statement, derived: Statement) -> bool:
    """The same left side, the right side with the other sign."""
    return zero(printed.left - derived.left) and zero(printed.right + derived.right)


def differing(printed: tuple[Statement, ...], derived: tuple[Statement, ...]) -> list[int]:
    """Positions at which the statements differ; a missing one differs too."""
    found = [i for i, (p, d) in enumerate(zip(printed, derived, strict=False)) if not same(p, d)]
    return found + list(range(min(len(printed), len(derived)), max(len(printed), len(derived))))


def residual(printed: Statement, derived: Statement) -> sp.Expr:
    """Printed minus derived: of the right sides less the left ones, of the left alone where the right ones agree."""
    left, right = (sp.expand((p - d).doit()) for p, d in ((printed.left, derived.left), (printed.right, derived.right)))
    return left if right == 0 else right - left


@dataclass(frozen=True)
class Finding:
    """What a rule found."""

    verdict: str
    evidence: str


Rule = Callable[[NumberedEquation], Finding]


def against(derive: Derivation, how: str) -> Rule:
    """Compare with a derivation, statement by statement, exactly."""
    derive = cache(derive)

    def judge(equation: NumberedEquation) -> Finding:
        correct = derive()
        wrong = differing(equation.statements, correct)
        unlike = fault(equation)
        if wrong:
            return Finding(
                MISPRINT,
                f"{how}: {_describe(equation.statements, correct, wrong)}"
                + (f". Also seen without a derivation: {unlike}" if unlike else ""),
            )
        if unlike:
            return Finding(MISPRINT, f"{unlike} ({how})")
        count = len(equation.statements)
        number = "residual 0" if count == 1 else f"{count} residuals 0"
        return Finding(HOLDS, f"{how}: {number}, exact; dimensions consistent")

    return judge


def sign_free(derive: Derivation, other: Derivation, how: str, condition: str) -> Rule:
    """Compare, and let pass an overall sign of a form that is set to zero: a convention, said aloud.

    What may be said in addition is compared with ``other``.
    """
    derive, strict, both = cache(derive), against(derive, how), against(lambda: derive() + other(), how)

    def judge(equation: NumberedEquation) -> Finding:
        correct = derive()
        if len(correct) < len(equation.statements):
            return both(equation)
        if (
            not equation.faults
            and len(correct) == len(equation.statements)
            and all(opposite(p, d) for p, d in zip(equation.statements, correct, strict=True))
        ):
            return Finding(CONDITION, f"{how}: printed = −1 × derived, exactly. {condition}")
        return strict(equation)

    return judge


def decide(as_printed: bool, with_condition: bool = False) -> str:
    """The verdict on a claim from what was computed."""
    return HOLDS if as_printed else CONDITION if with_condition else NOT_TRUE


def _describe(printed: tuple[Statement, ...], correct: tuple[Statement, ...], wrong: list[int]) -> str:
    if len(printed) != len(correct):
        return f"{len(printed)} statements printed, {len(correct)} derived"
    first = wrong[0]
    rest = residual(printed[first], correct[first])
    text = readable(rest) if rest.count_ops() < 40 else f"an expression of {len(sp.Add.make_args(rest))} terms"
    where = "" if len(printed) == 1 else f"statement {first + 1} of {len(printed)}"
    more = f" ({len(wrong)} statements differ)" if len(wrong) > 1 else ""
    return f"{where + ': ' if where else ''}printed − derived = {text}{more}"


_READABLE = (
    ("delta_u(0)", "δu(0)"),
    ("delta_u(T_end)", "δu(T)"),
    ("delta_u1(x, t)", "δu"),
    ("b1(x, t)", "f̂"),
    ("Derivative(u1(x, t), (t, 2))", "ü"),
    ("Derivative(S11(x, t), t, x)", "∂J̇/∂x"),
    ("int[0,T]*int[Omega]", "∫∫"),
    ("sum[r=1,N]", "Σ"),
    ("tbar1", "t̄"),
    ("that1", "t̂"),
    ("rho", "ρ"),
    ("Derivative(k(t), t)", "k̇"),
    ("Derivative(delta_u(t), t)", "δu̇"),
    ("Derivative(delta_J(t), t)", "δJ̇"),
    ("Derivative(J(t), (t, 2))", "J̈"),
    ("Derivative(u(t), (t, 2))", "ü"),
    ("Derivative(u(t), t)", "u̇"),
    ("Derivative(J(t), t)", "J̇"),
    ("Derivative(u1(t), t)", "u̇1"),
    ("delta_u(t)", "δu"),
    ("delta_J(t)", "δJ"),
    ("phat(t)", "p̂"),
    ("u(t)", "u"),
    ("J(t)", "J"),
    ("f(t)", "f"),
    ("int[t0,t1]", "∫"),
    ("int[0,T]", "∫"),
    ("int[t_r-1,t_r]", "∫"),
    ("F_y", "Fy"),
    ("eta", "η"),
    ("P_u_", "p̂_"),
    ("vuhat_", "δû_"),
    ("vu_", "δu_"),
    ("**2", "²"),
    ("*", " "),
)


def readable(expression: sp.Expr) -> str:
    """SymPy's text in the letters of the paper."""
    text = sp.sstr(expression)
    for code, letter in _READABLE:
        text = text.replace(code, letter)
    return text.replace("- ", "− ") if not text.startswith("-") else "−" + text[1:].replace("- ", "− ")


@dataclass(frozen=True)
class Judged:
    """What was computed about a claim; ``correct`` says it as it should be said."""

    finding: Finding
    correct: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, with its section."""

    name: str
    printed: str
    judge: Callable[[], Judged]


def judged(verdict: str, evidence: str, correct: str = "") -> Judged:
    """A verdict with its evidence."""
    return Judged(Finding(verdict, evidence), correct)


@dataclass(frozen=True)
class FormulaVerdict:
    """What is said of one formula; ``difference`` is printed minus derived, ``correct`` the right formula in LaTeX.

    ``place`` shows what was not understood: a line of the formula, and below it a mark.
    """

    equation: str
    line: int
    claim: str
    verdict: str
    printed: str
    evidence: str
    difference: str = ""
    correct: str = ""
    place: str = ""
    file: str = ""

    @property
    def gap(self) -> str:
        """The difference with what it is the difference of."""
        if not self.difference:
            return ""
        what = "rate along the motion" if self.claim == CONSERVED else "printed − derived"
        return f"{what} = {self.difference}"

    def as_json(self) -> dict[str, str | int]:
        """The contract of ``hamex audit FILE.tex --action FILE.py --json``."""
        return dict(vars(self))


@dataclass(frozen=True)
class Said:
    """What is found of one statement; ``column`` is where it is not understood."""

    claim: str
    verdict: str
    evidence: str
    difference: sp.Expr | None = None
    correct: str = ""
    column: int | None = None
