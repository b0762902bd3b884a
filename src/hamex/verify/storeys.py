"""Shear frames and chains of masses."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import hamex as hx
from hamex.paper import opensees
from hamex.verify.case import Pair, chapter

case = chapter("storeys")


@case("F1", "difference equation of a uniform chain", unit="s", within=1e-12)
def uniform_building() -> Pair:
    """Periods of ten equal storeys, ω = 2√(k/m) sin((2j − 1)π/42)."""
    n, mass, stiffness = 10, 2.0, 800.0
    angle = (2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2)
    found = hx.modes(hx.shear_frame([mass] * n, [stiffness] * n)).periods
    return found, np.pi / np.sqrt(stiffness / mass) / np.sin(angle)


@case("F2", "Chopra, Dynamics of Structures, chapters 10 and 13", within=1e-13)
def two_storeys() -> Pair:
    """Masses 2m, m on stiffnesses 2k, k: frequencies [√(k/m)] and effective masses [m]."""
    found = hx.modes(hx.shear_frame([2.0, 1.0], [2.0, 1.0]))
    return [*found.frequencies, *found.effective_mass[:, 0]], [np.sqrt(0.5), np.sqrt(2.0), 8 / 3, 1 / 3]


@case(
    "F3",
    "OpenSees, verification example SmallEigen, Matlab's eig",
    unit="1/s²",
    within=1e-13,
    printed="0.139300647653736 1.05865310768512 4.9582024008173",
)
def three_springs() -> object:
    """Squared frequencies of three springs 30, 20, 10 and masses 11.1, 22.2, 33.3."""
    return hx.modes(hx.shear_frame([11.1, 22.2, 33.3], [30.0, 20.0, 10.0])).frequencies ** 2


@case("F4", "quadratic in ω²; the system of Code_Aster's SDLD30", unit="Hz", within=1e-13)
def between_supports() -> Pair:
    """Two masses of 10 between springs 1000, 1000, 10000 and two supports."""
    tied = hx.shear_frame([10.0, 10.0], [1000.0, 1000.0], links=[hx.elastic_link(0, 2, 10000.0)])
    squares = 650.0 + np.array([-1.0, 1.0]) * np.sqrt(450.0**2 + 100.0**2)  # of (2000, 11000, −1000)/10
    return hx.modes(tied).frequencies / (2 * np.pi), np.sqrt(squares) / (2 * np.pi)


@case("F5", "modal superposition", unit="m", within=1e-9, of="largest")
def modal_superposition() -> Pair:
    """Step force on the roof of five storeys, 5 % in all modes, elements of degree 4."""
    masses, stiffnesses, zeta = [3.0, 3.0, 3.0, 2.0, 1.0], np.array([900.0, 800.0, 700.0, 500.0, 300.0]), 0.05
    model = hx.shear_frame(masses, stiffnesses.tolist(), hx.modal(zeta))
    roof = np.eye(5)[:, -1:]
    sol = hx.solve(hx.Problem(model, hx.Load(lambda t: 1.0 + 0 * t, patterns=roof), 8.0), hx.Galerkin(0.02, degree=4))
    K = (
        np.diag(stiffnesses + np.append(stiffnesses[1:], 0))
        - np.diag(stiffnesses[1:], 1)
        - np.diag(stiffnesses[1:], -1)
    )
    squares, shapes = eigh(K, np.diag(masses))
    t, root = np.sqrt(squares) * sol.times[:, None], np.sqrt(1 - zeta**2)
    decay = np.exp(-zeta * t) * (np.cos(root * t) + zeta / root * np.sin(root * t))
    return sol.values("displacement"), (1 - decay) * shapes[-1] / squares @ shapes.T


@case("F6", "geometric stiffness −P/h of every storey: ω√(1 − P/kh)", unit="rad/s", within=1e-12)
def under_gravity() -> Pair:
    """Frequencies of three equal storeys with P-Delta, a weight of P = 0.4 kh on the roof."""
    n, k, height, share = 3, 800.0, 3.0, 0.4
    weights = [0.0, 0.0, share * k * height]
    angle = (2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2)
    found = hx.modes(hx.shear_frame([2.0] * n, [k] * n, heights=height, weights=weights)).frequencies
    return found, 2 * np.sqrt(k / 2.0 * (1 - share)) * np.sin(angle)


@case("F7", "OpenSees, Steel01 and Newmark", "live", "m", within=1e-10, of="largest")
def yielding_storeys() -> Pair:
    """Displacements of three storeys that yield and harden under El Centro, average acceleration."""
    masses, k, limits, share, step = [20.0, 20.0, 15.0], [9e3, 8e3, 6e3], [40.0, 30.0, 18.0], 0.05, 0.01
    laws = [hx.Slider(f, kinematic=share / (1 - share) * s) for f, s in zip(limits, k, strict=True)]
    model, motion = hx.shear_frame(masses, k, hx.rayleigh(alpha=0.4), laws=laws), hx.el_centro()
    problem = hx.Problem(model, motion.on(model, g=9.81), 10.0)
    script = "wipe; model basic -ndm 1 -ndf 1; node 0 0.0; fix 0 1"
    for i, (mass, limit, stiffness) in enumerate(zip(masses, limits, k, strict=True), 1):
        script += f"; node {i} 0.0; mass {i} {mass}; uniaxialMaterial Steel01 {i} {limit} {stiffness} {share}"
        script += f"; element zeroLength {i} {i - 1} {i} -mat {i} -dir 1"
    samples = " ".join(str(9.81 * sample) for sample in motion.acceleration)
    script += f"; rayleigh 0.4 0.0 0.0 0.0; timeSeries Path 1 -dt 0.02 -values {samples}"
    script += "; pattern UniformExcitation 1 1 -accel 1; constraints Plain; numberer Plain; system FullGeneral"
    script += "; test NormDispIncr 1e-12 50; algorithm Newton; integrator Newmark 0.5 0.25; analysis Transient"
    script += 1000 * f"; analyze 1 {step}; nodeDisp 1 1; nodeDisp 2 1; nodeDisp 3 1"
    theirs = np.array(opensees.commands(script)[-4000:]).reshape(1000, 4)[:, 1:]
    scheme = hx.Newmark(step, safeguarded=True)
    return hx.solve(problem, scheme).values("displacement")[1:], theirs
