"""What the symbolic engine says, in the form in which the paper prints it: oscillators and the elastic continuum.

The continuum stands here twice: in the paper's index notation, and as an action in Voigt's notation for the engine. The
two share the compliance only through A_ijkl = C_IJ / (factor 2 for each shear index): a wrong count of the shear
components would show as a residual. Fully anisotropic, in one, two and three dimensions.
"""

# ruff: noqa: N802  (the letters are the paper's)
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import sympy as sp

from hamex.paper.audit.notation import (
    DURATION,
    J,
    J_o,
    J_r,
    P_J_o,
    P_J_r,
    a,
    c,
    dot,
    half,
    k,
    m,
    p_o,
    p_r,
    rho,
    s_o,
    s_r,
    u,
    u_o,
    u_r,
)
from hamex.principle.action import Action
from hamex.principle.jets import jet, t
from hamex.principle.library import action
from hamex.principle.parts import Part
from hamex.principle.stability import Verdict, verdict
from hamex.principle.stepform import StepForm, step_form
from hamex.principle.variation import Variation

HARMONIC = half * m * dot(u) ** 2 - half * k * u**2
MIXED = half * m * dot(u) ** 2 + half * a * dot(J) ** 2 - dot(J) * u


def _polynomial(name: str, *arguments: sp.Expr) -> sp.Expr:
    """All monomials up to the third degree with free coefficients: a Lagrangian without special features."""
    monomials = sorted(sp.itermonomials(arguments, 3), key=sp.default_sort_key)
    return sum((sp.Symbol(f"{name}{i}", real=True) * monomial for i, monomial in enumerate(monomials)), sp.S.Zero)


GENERIC = _polynomial("g", u, dot(u))
GENERIC_MIXED = _polynomial("g", u, dot(u), dot(J))
# Momentum m u̇ and any potential: what eq. (30) assumes.
PARTICLE = half * m * dot(u) ** 2
SEPARABLE = half * m * dot(u) ** 2 - sum((sp.Symbol(f"w{i}", real=True) * u**i for i in range(1, 4)), sp.S.Zero)


@cache
def known(name: str) -> Action:
    """A library action, built once."""
    return action(name)


@cache
def variation(name: str) -> Variation:
    """Its variation, certified, made once."""
    return known(name).variation()


@cache
def step(name: str) -> StepForm:
    """Its step with linear shape functions."""
    return step_form(known(name), 1)


@cache
def amplification(name: str, branch: str = "") -> sp.Matrix:
    """Old (u, J, p, P_J) into new."""
    return step(name).amplification(branch)


@cache
def stability(branch: str, undamped: bool = False) -> Verdict:
    """Jury's conditions of one branch of the viscoplastic oscillator, for all positive parameters."""
    G = amplification("viscoplastic", branch)
    return verdict(G.subs(c, 0) if undamped else G)


def weak(found: Variation, over: sp.Symbol) -> sp.Expr:
    """∫ of the weak integrand."""
    return sp.expand(
        over * sum((coefficient * jet(found.test(q), i) for (q, i), coefficient in found.weak.items()), sp.S.Zero)
    )


def bulk(found: Variation, over: sp.Symbol) -> sp.Expr:
    """∫ of the equations of motion times the variations."""
    return sp.expand(over * sum((e * found.test(q) for q, e in found.bulk.items()), sp.S.Zero))


def brackets(found: Variation, ends: sp.Symbol) -> sp.Expr:
    """−[P_q δq]."""
    return sp.expand(-ends * sum((p * found.test(q) for q, p in found.ends.items()), sp.S.Zero))


# The engine's state is (u, J, p, P_J); the paper writes the slip û1 = −P_J.
SLIP: Mapping[sp.Symbol, sp.Expr] = {P_J_o: -s_o, P_J_r: -s_r}
# An elastic spring has no slip: P_J = 0 at both ends of a step.
NO_SLIP: Mapping[sp.Symbol, sp.Expr] = {P_J_o: sp.S.Zero, P_J_r: sp.S.Zero}


def step_rows(name: str, branch: str = "") -> list[sp.Expr]:
    """Rows δu_(r−1), δu_r, δJ_(r−1), δJ_r of one step, in terms of the slip."""
    form = step(name)
    return [row.xreplace(dict(SLIP)) for row in form.branches[branch or next(iter(form.branches))]]


def elastic_system() -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """B, D, z of the elastic step in the paper's order (u, p, J), slip zero, the doubled row left out."""
    rows = [row.xreplace(dict(NO_SLIP)) for row in step("forced").branches["smooth"]]
    return _system(rows[:3], (u_r, p_r, J_r), (u_o, p_o, J_o))


def slider_system(branch: str) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """B, D, z of the viscoplastic step in the paper's order (u, J, p, û1)."""
    return _system(step_rows("viscoplastic", branch), (u_r, J_r, p_r, s_r), (u_o, J_o, p_o, s_o))


def _system(
    rows: list[sp.Expr], unknowns: tuple[sp.Symbol, ...], knowns: tuple[sp.Symbol, ...]
) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    B = sp.Matrix([[sp.diff(row, y) for y in unknowns] for row in rows])
    D = -sp.Matrix([[sp.diff(row, x) for x in knowns] for row in rows])
    z = (B * sp.Matrix(unknowns) - D * sp.Matrix(knowns) - sp.Matrix(rows)).applyfunc(sp.expand)
    return B, D, z


@cache
def inverse(kind: str) -> sp.Matrix:
    """B⁻¹ of the elastic oscillator ("damped") or of a branch of the viscoplastic one."""
    B = elastic_system()[0] if kind == "damped" else slider_system(kind)[0]
    return (B.adjugate() / B.det()).applyfunc(sp.cancel)


DIMENSIONS = (1, 2, 3)
_SPACE = sp.symbols("x y z", real=True)
OMEGA, GAMMA, GAMMA_PART = sp.symbols("int[Omega] int[Gamma] int[Gamma_t]")  # ∫_Ω, ∫_Γ, ∫_Γt
OMEGA_T, OMEGA_END = OMEGA * DURATION.over, OMEGA * DURATION.ends  # ∫_Ω∫₀ᵀ, ∫_Ω[ ]₀ᵀ
GAMMA_T, GAMMA_TT = GAMMA * DURATION.over, GAMMA_PART * DURATION.over


@dataclass(frozen=True)
class Solid:
    """Fields, variations and data of a body in ``size`` dimensions, with indices from 0."""

    size: int

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates."""
        return _SPACE[: self.size]

    @property
    def range(self) -> range:
        """What an index runs over."""
        return range(self.size)

    def _field(self, name: str) -> sp.Expr:
        return sp.Function(name)(*self.space, t)

    def u(self, i: int) -> sp.Expr:
        """Displacement."""
        return self._field(f"u{i + 1}")

    def du(self, i: int) -> sp.Expr:
        """Its variation."""
        return self._field(f"delta_u{i + 1}")

    def J(self, i: int, j: int) -> sp.Expr:
        """Impulse of the stress, symmetric."""
        return self._field(f"S{min(i, j) + 1}{max(i, j) + 1}")

    def dJ(self, i: int, j: int) -> sp.Expr:
        """Its variation."""
        return self._field(f"delta_S{min(i, j) + 1}{max(i, j) + 1}")

    def strain(self, i: int, j: int) -> sp.Expr:
        """ε_ij."""
        return half * (self.u(i).diff(self.space[j]) + self.u(j).diff(self.space[i]))

    def dstrain(self, i: int, j: int) -> sp.Expr:
        """δε_ij."""
        return half * (self.du(i).diff(self.space[j]) + self.du(j).diff(self.space[i]))

    def A(self, i: int, j: int, k: int, n: int) -> sp.Expr:
        """A_ijkl from the compliance matrix: engineering shear strain is twice the tensor's."""
        first, second = self.pairs.index((min(i, j), max(i, j))), self.pairs.index((min(k, n), max(k, n)))
        return self.compliance(first, second) / ((1 + (i != j)) * (1 + (k != n)))

    def compliance(self, first: int, second: int) -> sp.Symbol:
        """C_IJ, symmetric: 1, 6 or 21 free constants."""
        low, high = sorted((first, second))
        return sp.Symbol(f"flex_{low + 1}{high + 1}", real=True)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Independent stress components."""
        return [(i, j) for i in self.range for j in range(i, self.size)]

    def force(self, i: int) -> sp.Expr:
        """Body force f̂_i."""
        return self._field(f"b{i + 1}")

    def given(self, name: str, i: int, where: str = "") -> sp.Symbol:
        """A datum with an index; where and when it is given stands behind an @."""
        return sp.Symbol(f"{name}{i + 1}{where}", real=True)

    def data(self, name: str) -> Callable[[int], sp.Symbol]:
        """Data with an index, as a function of it."""
        return lambda i: self.given(name, i)

    @property
    def edge(self) -> tuple[sp.Symbol, ...]:
        """The coordinates of a point on the boundary."""
        return tuple(sp.Symbol(f"{x}_edge", real=True) for x in self.space)

    def normal(self, j: int) -> sp.Symbol:
        """Outward normal."""
        return sp.Symbol(f"n_{self.space[j]}", real=True)

    def traction(self, i: int) -> sp.Expr:
        """Cauchy: t_i = J̇_ij n_j."""
        return sum((self.J(i, j).diff(t) * self.normal(j) for j in self.range), sp.S.Zero)


@cache
def voigt(size: int) -> Action:
    """L = ½ρ|u̇|² + ½ s·C s − s·e with s = (σ11 … , σ23 …) and engineering shear strain in e."""
    body = Solid(size)
    rates = sp.Matrix([body.J(i, j).diff(t) for i, j in body.pairs])
    strain = sp.Matrix([body.strain(i, j) * (1 if i == j else 2) for i, j in body.pairs])
    C = sp.Matrix(len(body.pairs), len(body.pairs), body.compliance)
    kinetic = half * rho * sum((body.u(i).diff(t) ** 2 for i in body.range), sp.S.Zero)
    lagrangian = kinetic + (half * rates.T * C * rates - rates.T * strain)[0]
    fields = (*(body.u(i) for i in body.range), *(body.J(i, j) for i, j in body.pairs))
    return Action(
        fields,
        sp.expand(lagrangian),
        loads={body.u(i): body.force(i) for i in body.range},
        space=body.space,
        name=f"continuum in {size}D",
        parts=(Part("Gamma_t", loads={body.u(i): body.given("that", i) for i in body.range}),),
    )


@cache
def continuum(size: int) -> Variation:
    """Its variation, certified."""
    return voigt(size).variation()


def work(size: int) -> tuple[sp.Expr, sp.Expr]:
    """Potentials of the loads, in the body and on its surface: generalised forces times the displacements."""
    inside = sum((force * q for q, force in voigt(size).loads.items()), sp.S.Zero)
    (surface,) = voigt(size).parts
    return inside, sum((load * q for q, load in surface.loads.items()), sp.S.Zero)
