"""How equations and claims are judged: exact comparison, and rules that return a finding."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.paper.audit.notation import NumberedEquation, Statement, fault

HOLDS, MISPRINT = "holds", "misprint"
CONDITION, NOT_TRUE = "holds with a condition", "not true in general"
VERDICTS = (HOLDS, MISPRINT, CONDITION, NOT_TRUE)
# Of papers of others.
DEFINITION, NOT_UNDERSTOOD, SKIPPED = "definition", "not understood", "skipped"
CONSERVED = "conserved quantity"
OPEN_VERDICTS = (HOLDS, MISPRINT, CONDITION, DEFINITION, NOT_UNDERSTOOD, SKIPPED)

Derivation = Callable[[], tuple[Statement, ...]]


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


_WORDS = (
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
    for code, letter in _WORDS:
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
