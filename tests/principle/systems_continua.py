"""Continua: strings, beams, plates, bodies, fields; with their edges, corners, and the parts that sit on them.

GF: Gelfand & Fomin, Calculus of Variations. TW: Timoshenko & Woinowsky-Krieger, Theory of Plates and Shells, 2nd ed.
Gr: Graff, Wave Motion in Elastic Solids. Me: Meirovitch, Fundamentals of Vibrations. Ga: Goldstein, Poole & Safko.
O: Olver, Applications of Lie Groups to Differential Equations, 2nd ed. On an edge whose outward normal is n the force f
works on the motion w by f δw; a spring that holds the edge has f = −k w.
"""

import sympy as sp
from stated import System, positive
from sympy import Rational, cos, sin, sqrt

import hamex as hx
from hamex.principle import t

x, y, z = sp.symbols("x y z", real=True)
rho, S, E, A, I0, G, k, l, m, c, a, b, eta, nu, U, D, h, P, mu, om, ka, hb, M, g = positive(
    "rho T E A I G k l m c a b eta nu U D h P mu omega kappa hbar M g"
)


def of(names, *places):
    """Fields of place and time."""
    return tuple(sp.Function(name)(*places, t) for name in names.split())


u, v, w, q, psi, J, T, th, ph = of("u v w q psi J T theta phi", x)
d = sp.diff
CONTINUA: list[System] = []


def state(name, source, fields, density, equations, **more):
    CONTINUA.append(
        System(name, source, fields, density, equations, **{"space": (x,), "free": 2 * len(fields), **more})
    )


END = (1,)  # the right end of a line

# ---------------------------------------------------------------- strings, bars, lines

state(
    "string",
    "Ga ch. 13 (elastic rod as the limit of a chain)",
    (u,),
    rho * d(u, t) ** 2 / 2 - S * d(u, x) ** 2 / 2,
    [rho * d(u, t, 2) - S * d(u, x, 2)],
    charges=(rho * d(u, t), rho * d(u, t) * d(u, x)),
    no_charges=(rho * d(u, x) ** 2 * d(u, t),),
    boundary={END: [(u, S * d(u, x))]},
)
state(
    "string in an elastic bed (Klein and Gordon)",
    "Ga ch. 13 (relativistic fields)",
    (u,),
    rho * d(u, t) ** 2 / 2 - S * d(u, x) ** 2 / 2 - ka * u**2 / 2,
    [rho * d(u, t, 2) - S * d(u, x, 2) + ka * u],
    charges=(rho * d(u, t) * d(u, x),),
    no_charges=(rho * d(u, t),),
    boundary={END: [(u, S * d(u, x))]},
)
boosted = (d(u, t) ** 2 + d(u, x) ** 2) / 2 - b * cos(u)
state(
    "sine-Gordon",
    "Rajaraman, Solitons and Instantons (sine-Gordon); boosts: O, symmetries of variational problems",
    (u,),
    d(u, t) ** 2 / 2 - d(u, x) ** 2 / 2 + b * cos(u),
    [d(u, t, 2) - d(u, x, 2) + b * sin(u)],
    charges=(d(u, t) * d(u, x), x * boosted + t * d(u, t) * d(u, x)),
    no_charges=(d(u, t),),
    boundary={END: [(u, d(u, x))]},
)
state(
    "field with two wells (φ⁴)",
    "Rajaraman, Solitons and Instantons (the kink)",
    (u,),
    d(u, t) ** 2 / 2 - d(u, x) ** 2 / 2 - b * (u**2 - a**2) ** 2 / 4,
    [d(u, t, 2) - d(u, x, 2) + b * u * (u**2 - a**2)],
    charges=(d(u, t) * d(u, x),),
    no_charges=(d(u, t),),
    boundary={END: [(u, d(u, x))]},
)
state(
    "bar of hardening material",
    "Antman, Nonlinear Problems of Elasticity, on rods: σ = E(u′ + b u′³)",
    (u,),
    rho * d(u, t) ** 2 / 2 - E * (d(u, x) ** 2 / 2 + b * d(u, x) ** 4 / 4),
    [rho * d(u, t, 2) - d(E * (d(u, x) + b * d(u, x) ** 3), x)],
    charges=(rho * d(u, t), rho * d(u, t) * d(u, x), rho * (u - t * d(u, t))),
    boundary={END: [(u, E * (d(u, x) + b * d(u, x) ** 3))]},
)
state(
    "Kelvin and Voigt's bar",
    "Gr and Flügge, Viscoelasticity, on waves in viscoelastic bars",
    (u,),
    rho * d(u, t) ** 2 / 2 - E * d(u, x) ** 2 / 2,
    [rho * d(u, t, 2) - E * d(u, x, 2) - eta * d(u, x, 2, t)],
    dissipation=eta * d(u, x, t) ** 2 / 2,
    charges=(rho * d(u, t),),
    no_charges=(rho * d(u, t) * d(u, x),),
    boundary={END: [(u, E * d(u, x) + eta * d(u, x, t))]},
)
state(
    "string in a viscous medium",
    "Gr, on strings; ρu̇ + cu is a density that is kept",
    (u,),
    rho * d(u, t) ** 2 / 2 - S * d(u, x) ** 2 / 2,
    [rho * d(u, t, 2) + c * d(u, t) - S * d(u, x, 2)],
    dissipation=c * d(u, t) ** 2 / 2,
    charges=(rho * d(u, t) + c * u,),
    no_charges=(rho * d(u, t),),
    boundary={END: [(u, S * d(u, x))]},
)
state(
    "transmission line",
    "Heaviside's line by charge; q′/C is the voltage",
    (q,),
    l * d(q, t) ** 2 / 2 - d(q, x) ** 2 / (2 * c),
    [l * d(q, t, 2) + k * d(q, t) - d(q, x, 2) / c],
    dissipation=k * d(q, t) ** 2 / 2,
    charges=(l * d(q, t) + k * q,),
    boundary={END: [(q, d(q, x) / c)]},
)
state(
    "fluid line",
    "Lamb, Hydrodynamics, on sound: velocity potential, excess pressure ρφ̇; the flow through an end works on it",
    (ph,),
    rho / c**2 * d(ph, t) ** 2 / 2 - rho * d(ph, x) ** 2 / 2,
    [rho / c**2 * d(ph, t, 2) - rho * d(ph, x, 2)],
    charges=(rho / c**2 * d(ph, t),),
    boundary={END: [(ph, rho * d(ph, x))]},
)
state(
    "Love's rod",
    "Love, Theory of Elasticity, and Gr, on rods: lateral inertia; the end force has a part of the acceleration",
    (u,),
    rho * A * d(u, t) ** 2 / 2 + rho * nu**2 * I0 * d(u, x, t) ** 2 / 2 - E * A * d(u, x) ** 2 / 2,
    [rho * A * d(u, t, 2) - rho * nu**2 * I0 * d(u, x, 2, t, 2) - E * A * d(u, x, 2)],
    boundary={END: [(u, E * A * d(u, x) + rho * nu**2 * I0 * d(u, x, t, 2))]},
    rules={d(u, x, 2, t, 2): (rho * A * d(u, t, 2) - E * A * d(u, x, 2)) / (rho * nu**2 * I0)},
)
state(
    "bar of strain-gradient elasticity",
    "Mindlin, Arch. Rat. Mech. 16 (1964) 51, in one dimension",
    (u,),
    rho * d(u, t) ** 2 / 2 - E * d(u, x) ** 2 / 2 - E * l**2 * d(u, x, 2) ** 2 / 2,
    [rho * d(u, t, 2) - E * d(u, x, 2) + E * l**2 * d(u, x, 4)],
    charges=(rho * d(u, t),),
    boundary={END: [(u, E * d(u, x) - E * l**2 * d(u, x, 3)), (d(u, x), E * l**2 * d(u, x, 2))]},
)
state(
    "bar by displacement and stress impulse",
    "Kim, eqs. (34)-(44) in one dimension",
    (u, J),
    rho * d(u, t) ** 2 / 2 + a * d(J, t) ** 2 / 2 - d(J, t) * d(u, x),
    [rho * d(u, t, 2) - d(J, t, x), a * d(J, t, 2) - d(u, x, t)],
    charges=(rho * d(u, t), a * d(J, t) - d(u, x)),
    boundary={END: [(u, d(J, t))]},
)

# ---------------------------------------------------------------- beams

BEAM = rho * A * d(w, t) ** 2 / 2 - E * I0 * d(w, x, 2) ** 2 / 2
FREE = {END: [(w, -E * I0 * d(w, x, 3)), (d(w, x), E * I0 * d(w, x, 2))]}
state(
    "Euler and Bernoulli's beam",
    "Gr and Me, on beams",
    (w,),
    BEAM,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4)],
    charges=(rho * A * d(w, t), x * rho * A * d(w, t), rho * A * d(w, t) * d(w, x)),
    boundary=FREE,
)
state(
    "beam on Winkler's foundation",
    "Gr, on beams",
    (w,),
    BEAM - k * w**2 / 2,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4) + k * w],
    no_charges=(rho * A * d(w, t),),
    boundary=FREE,
)
state(
    "beam under an axial load",
    "Timoshenko & Gere, Theory of Elastic Stability, on bars; the load P presses, its transverse part is in the shear",
    (w,),
    BEAM + P * d(w, x) ** 2 / 2,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4) + P * d(w, x, 2)],
    charges=(rho * A * d(w, t), x * rho * A * d(w, t)),
    no_charges=(x**2 * rho * A * d(w, t),),
    boundary={END: [(w, -E * I0 * d(w, x, 3) - P * d(w, x)), (d(w, x), E * I0 * d(w, x, 2))]},
)
state(
    "Rayleigh's beam",
    "Rayleigh, Theory of Sound I, and Gr, on bars: rotary inertia stands in the shear force",
    (w,),
    BEAM + rho * I0 * d(w, x, t) ** 2 / 2,
    [rho * A * d(w, t, 2) - rho * I0 * d(w, x, 2, t, 2) + E * I0 * d(w, x, 4)],
    boundary={END: [(w, -E * I0 * d(w, x, 3) + rho * I0 * d(w, x, t, 2)), (d(w, x), E * I0 * d(w, x, 2))]},
    rules={d(w, x, 4): (rho * I0 * d(w, x, 2, t, 2) - rho * A * d(w, t, 2)) / (E * I0)},
)
state(
    "beam with internal damping",
    "Clough & Penzien, Dynamics of Structures, on distributed systems",
    (w,),
    BEAM,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4) + eta * I0 * d(w, x, 4, t)],
    dissipation=eta * I0 * d(w, x, 2, t) ** 2 / 2,
    charges=(rho * A * d(w, t),),
    boundary={
        END: [
            (w, -E * I0 * d(w, x, 3) - eta * I0 * d(w, x, 3, t)),
            (d(w, x), E * I0 * d(w, x, 2) + eta * I0 * d(w, x, 2, t)),
        ]
    },
)
state(
    "Timoshenko's beam",
    "Timoshenko, Phil. Mag. 41 (1921) 744; Gr, on beams",
    (w, ps := sp.Function("psi")(x, t)),
    (rho * A * d(w, t) ** 2 + rho * I0 * d(ps, t) ** 2 - E * I0 * d(ps, x) ** 2 - ka * G * A * (d(w, x) - ps) ** 2) / 2,
    [
        rho * A * d(w, t, 2) - ka * G * A * (d(w, x, 2) - d(ps, x)),
        rho * I0 * d(ps, t, 2) - E * I0 * d(ps, x, 2) - ka * G * A * (d(w, x) - ps),
    ],
    charges=(rho * A * d(w, t), rho * A * x * d(w, t) + rho * I0 * d(ps, t)),
    no_charges=(rho * I0 * d(ps, t),),
    boundary={END: [(w, ka * G * A * (d(w, x) - ps)), (ps, E * I0 * d(ps, x))]},
)
state(
    "beam that bends and twists",
    "Bisplinghoff, Ashley & Halfman, Aeroelasticity, on wings: centre of mass beside the elastic axis",
    (w, th),
    m * (d(w, t) - a * d(th, t)) ** 2 / 2 + I0 * d(th, t) ** 2 / 2 - E * d(w, x, 2) ** 2 / 2 - G * d(th, x) ** 2 / 2,
    [
        m * (d(w, t, 2) - a * d(th, t, 2)) + E * d(w, x, 4),
        (I0 + m * a**2) * d(th, t, 2) - m * a * d(w, t, 2) - G * d(th, x, 2),
    ],
    charges=(m * (d(w, t) - a * d(th, t)), (I0 + m * a**2) * d(th, t) - m * a * d(w, t)),
    boundary={END: [(w, -E * d(w, x, 3)), (d(w, x), E * d(w, x, 2)), (th, G * d(th, x))]},
)
state(
    "pipe that carries a fluid",
    "Païdoussis, Fluid-Structure Interactions 1, on pipes; between supports, where no fluid's momentum leaves askew",
    (w,),
    m * d(w, t) ** 2 / 2 + M * (d(w, t) + U * d(w, x)) ** 2 / 2 - E * I0 * d(w, x, 2) ** 2 / 2,
    [(m + M) * d(w, t, 2) + 2 * M * U * d(w, x, t) + M * U**2 * d(w, x, 2) + E * I0 * d(w, x, 4)],
    boundary={END: [(w, -E * I0 * d(w, x, 3) - M * U * (d(w, t) + U * d(w, x))), (d(w, x), E * I0 * d(w, x, 2))]},
)

# ---------------------------------------------------------------- first order in time, gauges

state(
    "Schrödinger's equation by two real fields",
    "Ga and GF, on fields: the norm is the charge of the turn of (u, v)",
    (u, v),
    hb * (v * d(u, t) - u * d(v, t)) / 2
    - hb**2 * (d(u, x) ** 2 + d(v, x) ** 2) / (4 * m)
    - b * x**2 * (u**2 + v**2) / 2,
    [
        hb * d(v, t) - hb**2 * d(u, x, 2) / (2 * m) + b * x**2 * u,
        -hb * d(u, t) - hb**2 * d(v, x, 2) / (2 * m) + b * x**2 * v,
    ],
    free=2,
    charges=(u**2 + v**2,),
    no_charges=(v * d(u, x) - u * d(v, x),),
    boundary={END: [(u, hb**2 * d(u, x) / (2 * m)), (v, hb**2 * d(v, x) / (2 * m))]},
    rules={
        d(u, t): -hb * d(v, x, 2) / (2 * m) + b * x**2 * v / hb,
        d(v, t): hb * d(u, x, 2) / (2 * m) - b * x**2 * u / hb,
    },
)
state(
    "complex Klein-Gordon field by its real pair",
    "Ga, on Noether's theorem: charge of the internal turn",
    (u, v),
    (d(u, t) ** 2 + d(v, t) ** 2 - d(u, x) ** 2 - d(v, x) ** 2 - m**2 * (u**2 + v**2)) / 2,
    [d(u, t, 2) - d(u, x, 2) + m**2 * u, d(v, t, 2) - d(v, x, 2) + m**2 * v],
    charges=(u * d(v, t) - v * d(u, t), d(u, t) * d(u, x) + d(v, t) * d(v, x)),
    no_charges=(d(u, t),),
    boundary={END: [(u, d(u, x)), (v, d(v, x))]},
)
state(
    "heat in a rod",
    "Carslaw & Jaeger, Conduction of Heat; stated by a dissipation, since diffusion is no variation",
    (T,),
    -k * d(T, x) ** 2 / 2,
    [c * d(T, t) - k * d(T, x, 2)],
    dissipation=c * d(T, t) ** 2 / 2,
    free=1,
    charges=(c * T,),
    boundary={END: [(T, k * d(T, x))]},
    rules={d(T, t): k * d(T, x, 2) / c},
)
state(
    "Korteweg and de Vries' wave by its potential",
    "O; Drazin & Johnson, Solitons: u = ψ′",
    (psi,),
    d(psi, x) * d(psi, t) / 2 + d(psi, x) ** 3 - d(psi, x, 2) ** 2 / 2,
    [d(psi, x, t) + 6 * d(psi, x) * d(psi, x, 2) + d(psi, x, 4)],
    free=1,
    charges=(d(psi, x) / 2,),
    boundary={END: [(psi, -d(psi, t) / 2 - 3 * d(psi, x) ** 2 - d(psi, x, 3)), (d(psi, x), d(psi, x, 2))]},
    rules={d(psi, x, t): -6 * d(psi, x) * d(psi, x, 2) - d(psi, x, 4)},
)

# ---------------------------------------------------------------- the plane

RIGHT = (1, 0)
SLANT = (sqrt(3) / 2, Rational(1, 2))  # axes turned by 30°
wp, bx, by, Ax, Ay, Vp = of("w beta_x beta_y A_x A_y V", x, y)
up, vp = of("u v", x, y)
plane = {"space": (x, y)}


def across(f, n):
    """∂f/∂n."""
    return n[0] * d(f, x) + n[1] * d(f, y)


state(
    "membrane",
    "GF and Gr, on membranes",
    (wp,),
    rho * d(wp, t) ** 2 / 2 - S * (d(wp, x) ** 2 + d(wp, y) ** 2) / 2,
    [rho * d(wp, t, 2) - S * (d(wp, x, 2) + d(wp, y, 2))],
    charges=(
        rho * d(wp, t),
        rho * d(wp, t) * d(wp, x),
        rho * d(wp, t) * d(wp, y),
        rho * d(wp, t) * (x * d(wp, y) - y * d(wp, x)),
    ),
    boundary={n: [(wp, S * across(wp, n))] for n in (RIGHT, SLANT)},
    **plane,
)


def kirchhoff_edge(f, n):
    """TW on the edges of a plate: V_n = −D(∂_n Δw + (1−ν) ∂_s w_ns), M_n = D(νΔw + (1−ν) w_nn)."""
    s = (-n[1], n[0])
    laplacian = d(f, x, 2) + d(f, y, 2)
    shear = -D * (across(laplacian, n) + (1 - nu) * across(across(across(f, n), s), s))
    return [(f, shear), (across(f, n), D * (nu * laplacian + (1 - nu) * across(across(f, n), n)))]


plate = (d(wp, x, 2) + d(wp, y, 2)) ** 2 - 2 * (1 - nu) * (d(wp, x, 2) * d(wp, y, 2) - d(wp, x, y) ** 2)
state(
    "Kirchhoff's plate",
    "TW and GF, on plates: effective shear and corner force",
    (wp,),
    rho * h * d(wp, t) ** 2 / 2 - D * plate / 2,
    [rho * h * d(wp, t, 2) + D * (d(wp, x, 4) + 2 * d(wp, x, 2, y, 2) + d(wp, y, 4))],
    charges=(rho * h * d(wp, t), x * rho * h * d(wp, t), y * rho * h * d(wp, t)),
    boundary={n: kirchhoff_edge(wp, n) for n in (RIGHT, (0, 1), SLANT)},
    corner=2 * D * (1 - nu) * d(wp, x, y),
    **plane,
)
mindlin_s = ka * G * h
state(
    "Reissner and Mindlin's plate",
    "Mindlin, J. Appl. Mech. 18 (1951) 31; rotations β with shear strains ∂w − β",
    (wp, bx, by),
    rho * h * d(wp, t) ** 2 / 2
    + rho * h**3 * (d(bx, t) ** 2 + d(by, t) ** 2) / 24
    - D * (d(bx, x) ** 2 + d(by, y) ** 2 + 2 * nu * d(bx, x) * d(by, y) + (1 - nu) * (d(bx, y) + d(by, x)) ** 2 / 2) / 2
    - mindlin_s * ((d(wp, x) - bx) ** 2 + (d(wp, y) - by) ** 2) / 2,
    [
        rho * h * d(wp, t, 2) - mindlin_s * (d(wp, x, 2) + d(wp, y, 2) - d(bx, x) - d(by, y)),
        rho * h**3 * d(bx, t, 2) / 12
        - D * (d(bx, x, 2) + nu * d(by, x, y) + (1 - nu) * (d(bx, y, 2) + d(by, x, y)) / 2)
        - mindlin_s * (d(wp, x) - bx),
        rho * h**3 * d(by, t, 2) / 12
        - D * (d(by, y, 2) + nu * d(bx, x, y) + (1 - nu) * (d(by, x, 2) + d(bx, x, y)) / 2)
        - mindlin_s * (d(wp, y) - by),
    ],
    charges=(rho * h * d(wp, t),),
    boundary={
        RIGHT: [
            (wp, mindlin_s * (d(wp, x) - bx)),
            (bx, D * (d(bx, x) + nu * d(by, y))),
            (by, D * (1 - nu) * (d(bx, y) + d(by, x)) / 2),
        ]
    },
    **plane,
)
la = sp.Symbol("lambda", positive=True)
state(
    "elastic body in plane strain",
    "Landau & Lifshitz, Theory of Elasticity; Love, Theory of Elasticity",
    (up, vp),
    rho * (d(up, t) ** 2 + d(vp, t) ** 2) / 2
    - la * (d(up, x) + d(vp, y)) ** 2 / 2
    - mu * (d(up, x) ** 2 + d(vp, y) ** 2 + (d(up, y) + d(vp, x)) ** 2 / 2),
    [
        rho * d(up, t, 2) - (la + mu) * d(d(up, x) + d(vp, y), x) - mu * (d(up, x, 2) + d(up, y, 2)),
        rho * d(vp, t, 2) - (la + mu) * d(d(up, x) + d(vp, y), y) - mu * (d(vp, x, 2) + d(vp, y, 2)),
    ],
    charges=(rho * d(up, t), rho * d(vp, t), rho * (x * d(vp, t) - y * d(up, t))),
    no_charges=(rho * x**2 * d(vp, t),),
    boundary={RIGHT: [(up, (la + 2 * mu) * d(up, x) + la * d(vp, y)), (vp, mu * (d(up, y) + d(vp, x)))]},
    **plane,
)
field_e = (d(Vp, x) + d(Ax, t), d(Vp, y) + d(Ay, t))  # −E
field_b = d(Ay, x) - d(Ax, y)
state(
    "Maxwell's potentials in the plane",
    "Landau & Lifshitz, Theory of Fields, in two dimensions (ε₀ = μ₀ = 1): one gauge, one polarisation",
    (Ax, Ay, Vp),
    (field_e[0] ** 2 + field_e[1] ** 2 - field_b**2) / 2,
    [d(field_e[0], t) + d(field_b, y), d(field_e[1], t) - d(field_b, x), d(field_e[0], x) + d(field_e[1], y)],
    free=2,
    gauges=1,
    relations=(d(field_e[0], x) + d(field_e[1], y),),
    charges=(field_e[0], field_e[1]),
    boundary={RIGHT: [(Ax, 0), (Ay, field_b), (Vp, -field_e[0])]},
    rules={
        d(Ax, t, 2): -d(Vp, x, t) - d(field_b, y),
        d(Ay, t, 2): -d(Vp, y, t) + d(field_b, x),
        d(Vp, y, 2): -d(Vp, x, 2) - d(Ax, x, t) - d(Ay, y, t),
    },
    **plane,
)

# ---------------------------------------------------------------- space

us, vs, ws = of("u v w", x, y, z)
divergence = d(us, x) + d(vs, y) + d(ws, z)
shears = (d(us, y) + d(vs, x)) ** 2 + (d(vs, z) + d(ws, y)) ** 2 + (d(ws, x) + d(us, z)) ** 2
normal_strains = d(us, x) ** 2 + d(vs, y) ** 2 + d(ws, z) ** 2
state(
    "elastic body",
    "Landau & Lifshitz, Theory of Elasticity (Navier's equations)",
    (us, vs, ws),
    rho * (d(us, t) ** 2 + d(vs, t) ** 2 + d(ws, t) ** 2) / 2
    - la * divergence**2 / 2
    - mu * (normal_strains + shears / 2),
    [
        rho * d(f, t, 2) - (la + mu) * d(divergence, s) - mu * (d(f, x, 2) + d(f, y, 2) + d(f, z, 2))
        for f, s in ((us, x), (vs, y), (ws, z))
    ],
    space=(x, y, z),
    charges=(
        rho * d(us, t),
        rho * d(vs, t),
        rho * d(ws, t),
        rho * (x * d(vs, t) - y * d(us, t)),
        rho * (y * d(ws, t) - z * d(vs, t)),
        rho * (z * d(us, t) - x * d(ws, t)),
    ),
    boundary={
        (0, 0, 1): [
            (us, mu * (d(us, z) + d(ws, x))),
            (vs, mu * (d(vs, z) + d(ws, y))),
            (ws, la * divergence + 2 * mu * d(ws, z)),
        ]
    },
)

# ---------------------------------------------------------------- parts: what sits on an edge or inside

STRING = rho * d(u, t) ** 2 / 2 - S * d(u, x) ** 2 / 2
state(
    "string that ends in a dashpot",
    "Gr, on strings: c = √(ρT) swallows every wave",
    (u,),
    STRING,
    [rho * d(u, t, 2) - S * d(u, x, 2)],
    parts=(hx.Part({x: l}, "end", dissipation=c * d(u, t) ** 2 / 2),),
    boundary={END: [(u, S * d(u, x))]},
    balances=(S * d(u, x) + c * d(u, t),),
)
state(
    "mass on a string",
    "Gr, on strings: the kink carries the mass; u⁻ = u⁺",
    (u,),
    STRING,
    [rho * d(u, t, 2) - S * d(u, x, 2)],
    parts=(hx.Part({x: a}, "inside", m * d(u, t) ** 2 / 2),),
    balances=(m * d(u, t, 2) + S * d(of("u_minus", x)[0], x) - S * d(of("u_plus", x)[0], x),),
)
state(
    "string pulled at its end",
    "Kim, the surface term of (35)",
    (u,),
    STRING,
    [rho * d(u, t, 2) - S * d(u, x, 2)],
    parts=(hx.Part({x: l}, "end", loads={u: P * cos(om * t)}),),
    balances=(S * d(u, x) - P * cos(om * t),),
)
state(
    "beam with a mass at its tip",
    "Me and Gr, on beams: the mass is in the shear, its moment of inertia in the bending moment",
    (w,),
    BEAM,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4)],
    parts=(hx.Part({x: l}, "end", m * d(w, t) ** 2 / 2 + M * d(w, x, t) ** 2 / 2),),
    boundary=FREE,
    balances=(m * d(w, t, 2) - E * I0 * d(w, x, 3), M * d(w, x, t, 2) + E * I0 * d(w, x, 2)),
)
state(
    "beam that begins on a spring",
    "Me, on beams: at the left end the outward normal is −1",
    (w,),
    BEAM,
    [rho * A * d(w, t, 2) + E * I0 * d(w, x, 4)],
    parts=(hx.Part({x: 0}, "start", -k * w**2 / 2),),
    balances=(k * w + E * I0 * d(w, x, 3), -E * I0 * d(w, x, 2)),
)
s = sp.Function("s")(t)
state(
    "mass on a spring at the end of a string",
    "hand: a field of t alone beside one of (x, t)",
    (u, s),
    STRING,
    [rho * d(u, t, 2) - S * d(u, x, 2), m * d(s, t, 2) + k * (s - u.subs(x, l))],
    parts=(hx.Part({x: l}, "end", m * d(s, t) ** 2 / 2 - k * (s - u) ** 2 / 2),),
    free=2,
    balances=(S * d(u, x) - k * (s - u),),
)
