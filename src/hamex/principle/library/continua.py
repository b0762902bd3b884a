"""Fields of space and time: the elastic continuum of the paper, string and membrane, beams with second derivatives."""

from __future__ import annotations

from itertools import combinations_with_replacement

import sympy as sp

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.library.entries import KIM, entry, positive

SPACE = sp.symbols("x y z", real=True)
_CITATION = f"{KIM}, eqs. (34)-(44); Sivaselvan and Reinhorn 2006"


def compliance(i: int, j: int, k: int, l: int) -> sp.Symbol:
    """A_ijkl with its symmetries A_ijkl = A_jikl = A_ijlk = A_klij: one symbol per class, 21 in three dimensions."""
    first, second = sorted([(min(i, j), max(i, j)), (min(k, l), max(k, l))])
    name = "A_" + "".join(str(n + 1) for n in first + second)
    return sp.Symbol(name, positive=True) if first == second else sp.Symbol(name, real=True)


def elastic(dimensions: int) -> Action:
    """Elastic continuum with full anisotropy, l = ½ρu̇ᵢu̇ᵢ + ½A_ijkl J̇_ij J̇_kl − J̇_ij ε_ij, eq. (34).

    All sums run over all i and j with J_ij = J_ji. The fields are the J_ij with i ≤ j, so that everything conjugate
    to a J_ij off the diagonal, counted once, carries a factor 2.
    """
    space, axes = SPACE[:dimensions], range(dimensions)
    rho = sp.Symbol("rho", positive=True)
    u = [sp.Function(f"u_{i + 1}")(*space, t) for i in axes]
    pairs = list(combinations_with_replacement(axes, 2))
    once = {(i, j): sp.Function(f"J_{i + 1}{j + 1}")(*space, t) for i, j in pairs}
    J = {(i, j): once[min(i, j), max(i, j)] for i in axes for j in axes}
    strain = {(i, j): (u[i].diff(space[j]) + u[j].diff(space[i])) / 2 for i in axes for j in axes}
    density = sum((rho * v.diff(t) ** 2 / 2 for v in u), sp.S.Zero)
    for i, j in J:
        density -= J[i, j].diff(t) * strain[i, j]
        density += sum((compliance(i, j, *kl) * J[i, j].diff(t) * J[kl].diff(t) / 2 for kl in J), sp.S.Zero)
    loads = {u[i]: sp.Function(f"f_{i + 1}")(*space, t) for i in axes}
    stress = "force/length²"
    meanings = {"rho": "mass density [force s²/length⁴]"}
    meanings |= {f"u_{i + 1}": f"displacement along {space[i]} [length]" for i in axes}
    meanings |= {f"J_{i + 1}{j + 1}": f"impulse of the stress σ_{i + 1}{j + 1} [{stress} s]" for i, j in pairs}
    meanings |= {f"f_{i + 1}": f"body force along {space[i]} [force/length³]" for i in axes}
    meanings |= {
        compliance(*p, *q).name: f"component of the compliance tensor, inverse of the elastic moduli [1/({stress})]"
        for p in pairs
        for q in pairs
    }
    return Action(
        (*u, *once.values()),
        sp.expand(density),
        loads=loads,
        space=space,
        name=f"elastic-{dimensions}d",
        citation=_CITATION,
        meanings=meanings,
    )


@entry
def elastic_1d() -> Action:
    """Elastic bar, eqs. (34)-(44) in one dimension."""
    return elastic(1)


@entry
def elastic_2d() -> Action:
    """Anisotropic elastic plane, eqs. (34)-(44) in two dimensions; 6 compliances."""
    return elastic(2)


@entry
def elastic_3d() -> Action:
    """Anisotropic elastic solid, eqs. (34)-(44) in three dimensions; 21 compliances."""
    return elastic(3)


@entry
def string() -> Action:
    """Stretched string, small deflections: the tension times the slope is what acts across it at an end."""
    mass, tension = positive("mu N")
    x = SPACE[0]
    w = sp.Function("w")(x, t)
    return Action(
        (w,),
        mass * w.diff(t) ** 2 / 2 - tension * w.diff(x) ** 2 / 2,
        loads={w: sp.Function("q")(x, t)},
        space=(x,),
        name="string",
        citation="Rayleigh, The Theory of Sound, 1877, ch. VI",
        meanings={
            "w": "deflection [length]",
            "mu": "mass per length [force s²/length²]",
            "N": "tension [force]",
            "q": "load per length [force/length]",
        },
    )


@entry
def membrane() -> Action:
    """Stretched membrane in the air, small deflections: a string in two dimensions, with a dashpot at every point."""
    mass, tension = positive("mu N")
    friction = sp.Symbol("c", nonnegative=True)
    x, y = SPACE[:2]
    w = sp.Function("w")(x, y, t)
    return Action(
        (w,),
        mass * w.diff(t) ** 2 / 2 - tension * (w.diff(x) ** 2 + w.diff(y) ** 2) / 2,
        friction * w.diff(t) ** 2 / 2,
        loads={w: sp.Function("q")(x, y, t)},
        space=(x, y),
        name="membrane",
        citation="Rayleigh, The Theory of Sound, 1877, ch. IX",
        meanings={
            "w": "deflection [length]",
            "mu": "mass per area [force s²/length³]",
            "N": "tension per length [force/length]",
            "c": "damping per area [force s/length³]",
            "q": "load per area [force/length²]",
        },
    )


@entry
def euler_bernoulli() -> Action:
    """Slender beam: the second space derivative gives moment and shear as natural boundary conditions."""
    rho, A, E, inertia = positive("rho A E I_y")
    x = SPACE[0]
    w = sp.Function("w")(x, t)
    density = rho * A * w.diff(t) ** 2 / 2 - E * inertia * w.diff(x, 2) ** 2 / 2
    return Action(
        (w,),
        density,
        loads={w: sp.Function("q")(x, t)},
        space=(x,),
        name="euler-bernoulli",
        citation="S. P. Timoshenko, Vibration Problems in Engineering, 2nd ed. 1937, § 54",
        meanings={"w": "deflection [length]", **_BEAM},
    )


@entry
def timoshenko() -> Action:
    """Beam with shear deformation and rotary inertia: deflection w and rotation ψ of the section."""
    rho, A, E, inertia, kappa, G = positive("rho A E I_y kappa G")
    x = SPACE[0]
    w, psi = sp.Function("w")(x, t), sp.Function("psi")(x, t)
    density = (
        rho * A * w.diff(t) ** 2
        + rho * inertia * psi.diff(t) ** 2
        - E * inertia * psi.diff(x) ** 2
        - kappa * G * A * (w.diff(x) - psi) ** 2
    ) / 2
    return Action(
        (w, psi),
        density,
        loads={w: sp.Function("q")(x, t)},
        space=(x,),
        name="timoshenko",
        citation="S. P. Timoshenko, Phil. Mag. 41 (1921) 744",
        meanings={
            "w": "deflection [length]",
            "psi": "rotation of the section [rad]",
            **_BEAM,
            "kappa": "shear coefficient of the section [1]",
            "G": "shear modulus [force/length²]",
        },
    )


_BEAM = {
    "rho": "mass density [force s²/length⁴]",
    "A": "area of the section [length²]",
    "E": "Young's modulus [force/length²]",
    "I_y": "second moment of the section [length⁴]",
    "q": "load per length [force/length]",
}
