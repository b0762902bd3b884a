"""Sections 5.3, 5.4 and 6 as printed, eqs. (69)-(89). Matrix equations by name use letters that do not commute."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.notation import (
    Equation,
    J_o,
    J_r,
    a,
    book,
    c,
    definition,
    derived,
    entries,
    eta,
    f_r,
    h,
    half,
    m,
    p_o,
    p_r,
    says,
    u_o,
    u_r,
)
from hamex.paper.audit.printed_5 import B_53, B_e, B_p, D_e, D_p, z_e, z_p1, z_p2

B, D, x, y, z, x1, x2, y1, y2, y3, z1, z2 = sp.symbols("B D x y z x1 x2 y1 y2 y3 z1 z2", commutative=False)
Be, De, Bp, Dp, Vp, ye, yp, ze, zp1, zp2 = sp.symbols("B_e D_e B_p D_p V_p y_e y_p z_e z_p1 z_p2", commutative=False)
X, Y = sp.symbols("X Y")
u_a, F_mean = sp.symbols("u_a F_mean")
_W = eta * X + 2 * h * m + c * h**2

INVERSE_74 = sp.Matrix([
    [4 * a * h / X, 0, -2 * h**2 / X],
    [-(h**2 + 2 * a * c * h - 4 * a * m) / X, 1, -4 * m * h / X],
    [2 * h**2 / X, 0, 2 * (2 * m + c * h) * h / X]])
PRODUCT_76 = sp.Matrix([
    [4 * m * a + 2 * a * c * h - h**2, 4 * a * h, 0],
    [-4 * m * h, Y, 0],
    [2 * (2 * m + c * h) * h, 2 * h**2, X]]) / X
INVERSE_85 = sp.Matrix([
    [4 * a * h / X, 0, -2 * h**2 / X, 0],
    [2 * h**2 / X, 0, 2 * h * (2 * m + c * h) / X, 0],
    [Y / X, 1, -4 * m * h / X, 0],
    [0, 0, -1, -1]])
INVERSE_86 = sp.Matrix([
    [2 * h * (h + 2 * a * eta) / _W, 0, -2 * h**2 * eta / _W, 0],
    [2 * h**2 * eta / _W, 0, 2 * h * eta * (2 * m + c * h) / _W, 0],
    [(eta * Y - c * h**2 + 2 * h * m) / _W, 1, -4 * h * m * eta / _W, 0],
    [2 * h**2 / _W, 0, (-eta * X + 2 * h * m + c * h**2) / _W, -1]])

PRINTED = book(
    definition("69", says(B * y, D * x + z)),
    definition("70", says(B * y1, D * x1 + z1)),
    definition("71", says(B * y2, D * x2 + z2)),
    derived("72", says(B * y3, D * (x1 + x2) + (z1 + z2))),
    derived("73", says(y3, x1 + x2)),
    derived("74", *entries("B", B_53), *entries("B^-1", INVERSE_74)),
    definition("75", says(X, h**2 + 2 * a * c * h + 4 * a * m)),
    derived("76", *entries("B^-1 D", PRODUCT_76)),
    definition("77", says(Y, 4 * m * a - 2 * a * c * h - h**2)),
    derived("78", says((p_r - p_o) / h + c / h * (u_r - u_o) + (J_r - J_o) / h, f_r)),
    derived("79", says(m * (u_r - u_o), h / 2 * (p_r + p_o))),
    derived("80", says(Be * ye, De * x + ze)),
    derived("81", says(Bp * yp, Vp * x + zp1)),
    derived("82", says(Bp * yp, Vp * x + zp2)),
    definition("83", *entries("B_e", B_e), *entries("D_e", D_e), *entries("z_e", z_e)),
    definition("84", *entries("B_p", B_p), *entries("D_p", D_p), *entries("z_p1", z_p1), *entries("z_p2", z_p2)),
    derived("85", *entries("B_e^-1", INVERSE_85)),
    derived("86", *entries("B_p^-1", INVERSE_86)),
    Equation("87", "claim", (says(sp.Symbol("c_max"), m / (a * eta) + 2 * sp.sqrt(m / a)),)),
    definition("88", says(u_a, half * (u_o + u_r))),
    definition("89", says(F_mean, (J_r - J_o) / h)),
)

CORRECTED = book(
    derived("73", says(y3, y1 + y2), latex=r"y_3 = y_1 + y_2", plain="y₃ = y₁ + y₂"),
    derived("81", says(Bp * yp, Dp * x + zp1), latex=r"B_p y_p = D_p x + z_{p_1}", plain="D_p x for V_p x"),
    derived("82", says(Bp * yp, Dp * x + zp2), latex=r"B_p y_p = D_p x + z_{p_2}", plain="D_p x for V_p x"),
)
