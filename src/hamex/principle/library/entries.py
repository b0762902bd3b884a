"""The library: its list, the words its entries share, the lumped systems of the paper, and fields of space and time
(the elastic continuum of the paper, strings, membranes, beams, plates)."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from itertools import combinations_with_replacement
from typing import TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t
from hamex.principle.parts import Part
from hamex.principle.stepform import slider_potential

LIBRARY: dict[str, Callable[[], Action]] = {}
Builder = TypeVar("Builder", bound=Callable[..., Action])

KIM = "J. Kim, Extended Hamilton's principle"
DISPLACEMENT, LOAD = "displacement [length]", "applied force [force]"
IMPULSE = "impulse of the spring force [force s]"
MASS, STIFFNESS, DAMPING = "mass [force s²/length]", "stiffness [force/length]", "damping coefficient [force s/length]"
FLEXIBILITY, VISCOSITY = "flexibility 1/k [length/force]", "viscosity beside the slider [force s/length]"
YIELD = "yield force [force]"


def entry(build: Builder) -> Builder:
    """Put a builder on the list under its own name, with hyphens; it must work without arguments."""
    LIBRARY[build.__name__.replace("_", "-")] = build
    return build


def action(name: str) -> Action:
    """An action of the library by name.

    >>> action("harmonic").name
    'harmonic'
    """
    if name not in LIBRARY:
        near = get_close_matches(name, LIBRARY, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ActionError(f"no action is called {name!r}; {hint}known: {', '.join(sorted(LIBRARY))}")
    return LIBRARY[name]()


def function(name: str) -> AppliedUndef:
    """A field of time."""
    return sp.Function(name)(t)


def positive(names: str) -> list[sp.Symbol]:
    """Positive parameters."""
    return list(sp.symbols(names, positive=True, seq=True))


MIXED = {"u": DISPLACEMENT, "J": IMPULSE, "m": MASS, "a": FLEXIBILITY}


@entry
def harmonic() -> Action:
    """Mass on a spring, displacement alone, eqs. (1)-(12)."""
    (m, k), u = positive("m k"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2 - k * u**2 / 2,
        name="harmonic",
        citation=f"{KIM}, eqs. (1)-(12)",
        meanings={"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS},
    )


@entry
def damped() -> Action:
    """Harmonic oscillator with Rayleigh's dissipation, eqs. (13)-(15)."""
    (m, k, c), u = positive("m k c"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2 - k * u**2 / 2,
        c * u.diff(t) ** 2 / 2,
        name="damped",
        citation=f"{KIM}, eqs. (13)-(15); Rayleigh, The Theory of Sound, 1877",
        meanings={"u": DISPLACEMENT, "m": MASS, "k": STIFFNESS, "c": DAMPING},
    )


@entry
def particle() -> Action:
    """Free particle, eqs. (27)-(33)."""
    (m,), u = positive("m"), function("u")
    return Action(
        (u,),
        m * u.diff(t) ** 2 / 2,
        name="particle",
        citation=f"{KIM}, eqs. (27)-(33)",
        meanings={"u": DISPLACEMENT, "m": MASS},
    )


def mixed_lagrangian(m: sp.Symbol, a: sp.Symbol) -> tuple[AppliedUndef, AppliedUndef, sp.Expr]:
    """u, J and L = ½mu̇² + ½aJ̇² − J̇u, eq. (17)."""
    u, J = function("u"), function("J")
    return u, J, m * u.diff(t) ** 2 / 2 + a * J.diff(t) ** 2 / 2 - J.diff(t) * u


@entry
def mixed() -> Action:
    """Mixed Lagrangian formalism, eqs. (16)-(26)."""
    m, a = positive("m a")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian,
        name="mixed",
        citation=f"{KIM}, eqs. (16)-(26); Sivaselvan and Reinhorn 2006",
        meanings=MIXED,
    )


@entry
def forced() -> Action:
    """Forced damped oscillator in mixed form, eqs. (45)-(55)."""
    m, a, c = positive("m a c")
    u, J, lagrangian = mixed_lagrangian(m, a)
    return Action(
        (u, J),
        lagrangian,
        c * u.diff(t) ** 2 / 2,
        {u: function("f")},
        name="forced",
        citation=f"{KIM}, eqs. (45)-(55)",
        meanings={**MIXED, "c": DAMPING, "f": LOAD},
    )


@entry
def viscoplastic() -> Action:
    """Elastic-viscoplastic oscillator, eqs. (56)-(68)."""
    m, a, c, Fy, eta = positive("m a c F_y eta")
    u, J, lagrangian = mixed_lagrangian(m, a)
    dissipation = c * u.diff(t) ** 2 / 2 + slider_potential(J.diff(t), Fy, eta)
    return Action(
        (u, J),
        lagrangian,
        dissipation,
        {u: function("f")},
        name="viscoplastic",
        citation=f"{KIM}, eqs. (56)-(68)",
        meanings={**MIXED, "c": DAMPING, "f": LOAD, "F_y": YIELD, "eta": VISCOSITY},
    )


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


@entry
def rayleigh_beam() -> Action:
    """Slender beam whose sections turn as it bends: rates with space derivatives, and inertia in the shear at ends."""
    rho, A, E, inertia = positive("rho A E I_y")
    x = SPACE[0]
    w = sp.Function("w")(x, t)
    turning = rho * A * w.diff(t) ** 2 / 2 + rho * inertia * w.diff(x, t) ** 2 / 2
    return Action(
        (w,),
        turning - E * inertia * w.diff(x, 2) ** 2 / 2,
        loads={w: sp.Function("q")(x, t)},
        space=(x,),
        name="rayleigh-beam",
        citation="Rayleigh, The Theory of Sound, 1877, § 162",
        meanings={"w": "deflection [length]", **_BEAM},
    )


@entry
def tip_mass() -> Action:
    """Cantilever with a mass at its tip: a part of the action, which stands in the shear of the free end."""
    rho, A, E, inertia, m, l = positive("rho A E I_y m l")
    x = SPACE[0]
    w = sp.Function("w")(x, t)
    return Action(
        (w,),
        rho * A * w.diff(t) ** 2 / 2 - E * inertia * w.diff(x, 2) ** 2 / 2,
        loads={w: sp.Function("q")(x, t)},
        space=(x,),
        name="tip-mass",
        citation="L. Meirovitch, Analytical Methods in Vibrations, Macmillan 1967, ch. 5",
        meanings={
            "w": "deflection [length]",
            **_BEAM,
            "m": "mass at the tip [force s²/length]",
            "l": "length [length]",
        },
        parts=(
            Part({x: 0}, "start", motions={w: 0, w.diff(x): 0}, name="clamp"),
            Part({x: l}, "end", m * w.diff(t) ** 2 / 2, name="tip"),
        ),
    )


@entry
def plate() -> Action:
    """Thin plate: two conditions on every edge, the twisting moment's slope in the shear, and forces at corners."""
    mass, D = positive("mu D")
    nu = sp.Symbol("nu", real=True)
    x, y = SPACE[:2]
    w = sp.Function("w")(x, y, t)
    bent = (w.diff(x, 2) + w.diff(y, 2)) ** 2 - 2 * (1 - nu) * (w.diff(x, 2) * w.diff(y, 2) - w.diff(x, y) ** 2)
    return Action(
        (w,),
        sp.expand(mass * w.diff(t) ** 2 / 2 - D * bent / 2),
        loads={w: sp.Function("q")(x, y, t)},
        space=(x, y),
        name="plate",
        citation="G. Kirchhoff, J. reine angew. Math. 40 (1850) 51",
        meanings={
            "w": "deflection [length]",
            "mu": "mass per area [force s²/length³]",
            "D": "bending stiffness [force length]",
            "nu": "Poisson's ratio [1]",
            "q": "load per area [force/length²]",
        },
    )


_BEAM = {
    "rho": "mass density [force s²/length⁴]",
    "A": "area of the section [length²]",
    "E": "Young's modulus [force/length²]",
    "I_y": "second moment of the section [length⁴]",
    "q": "load per length [force/length]",
}
