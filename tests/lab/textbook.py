"""Gauss and Radau IIA tables from their textbook definition, to hold the derived elements against."""

import numpy as np
from numpy.polynomial import Polynomial, legendre


def collocation_table(nodes):
    """The table whose solution meets the equation at ``nodes`` of the step: integrals of Lagrange's polynomials."""
    c = np.asarray(nodes, dtype=float)
    integrals = []
    for i, node in enumerate(c):
        others = np.delete(c, i)
        hat = Polynomial.fromroots(others) / np.prod(node - others) if len(others) else Polynomial([1.0])
        integrals.append(hat.integ())
    return (
        np.array([[integral(node) for integral in integrals] for node in c]),
        np.array([integral(1.0) for integral in integrals]),
        c,
    )


def gauss(stages):
    """Gauss collocation: what the continuous element of degree ``stages`` is on a linear system, order 2s."""
    return collocation_table(_refined(_shifted([0] * stages + [1])))


def radau(stages):
    """Radau IIA: what the element with jumps of degree ``stages`` − 1 is on a linear system, order 2s − 1."""
    nodes = _refined(_shifted([0] * (stages - 1) + [-1, 1]))  # P_s − P_{s−1} has a root at 1
    nodes[-1] = 1.0
    return collocation_table(nodes)


def _shifted(coefficients):
    """Legendre coefficients on [−1, 1] as a polynomial on [0, 1]."""
    polynomial = Polynomial(legendre.leg2poly(coefficients))
    return np.asarray(polynomial(Polynomial([-1.0, 2.0])).coef)


def _refined(coefficients):
    """Real roots in order, polished by Newton's rule."""
    polynomial = Polynomial(coefficients)
    roots = np.sort(polynomial.roots().real)
    for _ in range(3):
        roots = roots - polynomial(roots) / polynomial.deriv()(roots)
    return roots
