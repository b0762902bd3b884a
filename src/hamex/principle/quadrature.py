"""Quadrature over one step: points that are roots of a polynomial, sums that need no roots.

With p = q·N + r, where N vanishes at the points, the rule sees only r and integrates it exactly: polynomials are summed
in rational numbers. What is no polynomial (a pendulum, explicit time) is taken at the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import sympy as sp

tau = sp.Symbol("tau", real=True)


@dataclass(frozen=True)
class Rule:
    """Quadrature in τ over [0, 1] at the roots of ``nodal``, exact for every polynomial of lower degree than it."""

    nodal: sp.Poly

    @property
    def size(self) -> int:
        """How many points."""
        return int(self.nodal.degree())

    @cached_property
    def roots(self) -> tuple[sp.Expr, ...]:
        """The points, exactly, in order."""
        return tuple(sorted(self.nodal.real_roots(), key=lambda root: root.evalf()))

    @cached_property
    def weight(self) -> sp.Poly:
        """A rational polynomial whose value at a point is the weight there.

        The weight of c is ∫ N(σ)/((σ − c) N′(c)) dσ, reduced modulo N(c) = 0: no root is ever divided by.
        """
        sigma = sp.Dummy()
        N = self.nodal.as_expr()
        quotient = sp.cancel((N.subs(tau, sigma) - N) / (sigma - tau))
        moment = sp.Poly(sp.integrate(sp.expand(quotient), (sigma, 0, 1)), tau)
        return (moment * self.nodal.diff().invert(self.nodal)).rem(self.nodal)

    def weighted(self, factor: sp.Expr = sp.S.One) -> list[sp.Expr]:
        """Weight times the value of a polynomial, point by point."""
        reduced = (self.weight * sp.Poly(factor, tau)).rem(self.nodal).as_expr()
        return [sp.expand(reduced.subs(tau, root)) for root in self.roots]

    def integral(self, expression: sp.Expr) -> sp.Expr:
        """The sum over the points."""
        expanded = sp.expand(expression)
        if not expanded.is_polynomial(tau):
            pairs = zip(self.roots, self.weighted(), strict=True)
            return sum((weight * expression.subs(tau, root) for root, weight in pairs), sp.S.Zero)
        rest = sp.Poly(expanded, tau).rem(self.nodal)
        return sp.expand(sum(c / (n + 1) for (n,), c in rest.terms()))


@lru_cache
def gauss_rule(points: int) -> Rule:
    """Roots of the Legendre polynomial: exact up to degree 2·points − 1."""
    return Rule(sp.Poly(sp.legendre(points, 2 * tau - 1), tau))


@lru_cache
def radau_rule(points: int) -> Rule:
    """The end of the step and what orthogonality leaves: exact up to degree 2·points − 2 (right Radau)."""
    x = 2 * tau - 1
    return Rule(sp.Poly(sp.expand(sp.legendre(points, x) - sp.legendre(points - 1, x)), tau))
