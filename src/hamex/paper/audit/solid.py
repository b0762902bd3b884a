"""The elastic continuum twice: in the paper's index notation, and as an action in Voigt's notation for the engine.

The two share the compliance only through A_ijkl = C_IJ / (factor 2 for each shear index): a wrong count of the shear
components would show as a residual. Fully anisotropic, in one, two and three dimensions.
"""

# ruff: noqa: N802  (the letters are the paper's)
from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from hamex.paper.audit.notation import half, rho
from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.variation import Variation

DIMENSIONS = (1, 2, 3)
_SPACE = sp.symbols("x y z", real=True)
# ∫_Ω∫₀ᵀ, ∫_Ω[ ]₀ᵀ, ∫_Γ∫₀ᵀ, ∫_Γt∫₀ᵀ, ∫_Ω, ∫_Γt
OMEGA_T, OMEGA_END, GAMMA_T, GAMMA_TT, OMEGA, GAMMA_PART = sp.symbols(
    "volume-time volume-end surface-time part-time volume part")


@dataclass(frozen=True)
class Solid:
    """Fields, variations and data of a body in ``size`` dimensions, with indices from 0."""

    size: int

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates."""
        return _SPACE[:self.size]

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

    def given(self, name: str, i: int) -> sp.Symbol:
        """A datum with an index."""
        return sp.Symbol(f"{name}{i + 1}", real=True)

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
    return Action(fields, sp.expand(lagrangian), loads={body.u(i): body.force(i) for i in body.range},
                  space=body.space, name=f"continuum in {size}D")


@cache
def continuum(size: int) -> Variation:
    """Its variation, certified."""
    return voigt(size).variation()
