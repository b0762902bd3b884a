"""Lumped systems whose every field has a mass of its own: mechanics, circuits, celestial mechanics.

LL: Landau & Lifshitz, Mechanics, 3rd ed. G: Goldstein, Poole & Safko, Classical Mechanics, 3rd ed. A: Arnold,
Mathematical Methods of Classical Mechanics, 2nd ed. M: Meirovitch, Methods of Analytical Dynamics. W: Wells, Lagrangian
Dynamics. O: Olver, Applications of Lie Groups to Differential Equations, 2nd ed. "hand": derived on paper.
"""

import sympy as sp
from stated import Run, System, of_time, positive
from sympy import cos, exp, sin, sqrt

from hamex.principle import t

m, k, c, g, l, M, I0, R, C, F, w, a, b, mu, h = positive("m k c g l M I_0 R C F omega a b mu h")
m1, m2, l1, l2, k1, k2, eps, alpha, beta, lam = positive("m_1 m_2 l_1 l_2 k_1 k_2 epsilon alpha beta lambda")
x, y, z, q, r, th, ph, ps, th1, th2, x1, x2, x3, y1, y2, q1, q2 = of_time(
    "x y z q r theta phi psi theta_1 theta_2 x_1 x_2 x_3 y_1 y_2 q_1 q_2"
)


def d(expression, n=1):
    """d/dt."""
    return sp.diff(expression, t, n)


LUMPED: list[System] = []


def state(name, source, fields, lagrangian, equations, **more):
    """Add one system; with a momentum for each field there are two data per field."""
    LUMPED.append(System(name, source, fields, lagrangian, equations, **{"free": 2 * len(fields), **more}))


half = sp.Rational(1, 2)
T1 = m * d(x) ** 2 / 2
T2 = m * (d(x) ** 2 + d(y) ** 2) / 2
T3 = m * (d(x) ** 2 + d(y) ** 2 + d(z) ** 2) / 2

# ---------------------------------------------------------------- oscillators

state(
    "harmonic oscillator",
    "LL §21",
    (x,),
    T1 - k * x**2 / 2,
    [m * d(x, 2) + k * x],
    hamiltonian=T1 + k * x**2 / 2,
    no_charges=(m * d(x),),
    run=Run({"m": 1.3, "k": 5.0}, {"x": 0.4, "x_dot": -0.7}),
)
state(
    "damped oscillator",
    "LL §25",
    (x,),
    T1 - k * x**2 / 2,
    [m * d(x, 2) + c * d(x) + k * x],
    dissipation=c * d(x) ** 2 / 2,
    hamiltonian=T1 + k * x**2 / 2,
    power=-c * d(x) ** 2,
    run=Run({"m": 1.3, "k": 5.0, "c": 0.6}, {"x": 0.4, "x_dot": -0.7}),
)
state(
    "forced Duffing oscillator",
    "Guckenheimer & Holmes, Nonlinear Oscillations, on Duffing's equation",
    (x,),
    d(x) ** 2 / 2 + beta * x**2 / 2 - alpha * x**4 / 4,
    [d(x, 2) + c * d(x) - beta * x + alpha * x**3 - F * cos(w * t)],
    dissipation=c * d(x) ** 2 / 2,
    loads={x: F * cos(w * t)},
    hamiltonian=d(x) ** 2 / 2 - beta * x**2 / 2 + alpha * x**4 / 4,
    power=-c * d(x) ** 2 + F * cos(w * t) * d(x),
    run=Run({"alpha": 2.0, "beta": 1.0, "c": 0.3, "F": 0.5, "omega": 1.2}, {"x": 0.9, "x_dot": 0.5}),
)
state(
    "van der Pol oscillator",
    "Guckenheimer & Holmes, Nonlinear Oscillations, on van der Pol's equation",
    (x,),
    d(x) ** 2 / 2 - x**2 / 2,
    [d(x, 2) + mu * (x**2 - 1) * d(x) + x],
    dissipation=mu * (x**2 - 1) * d(x) ** 2 / 2,
    hamiltonian=d(x) ** 2 / 2 + x**2 / 2,
    power=-mu * (x**2 - 1) * d(x) ** 2,
    convex=False,
    run=Run({"mu": 1.0}, {"x": 1.5, "x_dot": 0.2}),
)
state(
    "Rayleigh's oscillator",
    "Rayleigh, Theory of Sound I, on maintained vibrations",
    (x,),
    d(x) ** 2 / 2 - x**2 / 2,
    [d(x, 2) - mu * (d(x) - d(x) ** 3 / 3) + x],
    dissipation=-mu * (d(x) ** 2 / 2 - d(x) ** 4 / 12),
    hamiltonian=d(x) ** 2 / 2 + x**2 / 2,
    power=mu * (d(x) ** 2 - d(x) ** 4 / 3),
    convex=False,
    run=Run({"mu": 0.8}, {"x": 1.0, "x_dot": 0.5}),
)
state(
    "Mathieu's equation",
    "NIST DLMF 28.2.1",
    (x,),
    d(x) ** 2 / 2 - (a - 2 * b * cos(2 * t)) * x**2 / 2,
    [d(x, 2) + (a - 2 * b * cos(2 * t)) * x],
    hamiltonian=d(x) ** 2 / 2 + (a - 2 * b * cos(2 * t)) * x**2 / 2,
    power=2 * b * sin(2 * t) * x**2,
    run=Run({"a": 2.0, "b": 0.7}, {"x": 1.0, "x_dot": -0.3}),
)
state(
    "Caldirola and Kanai's oscillator",
    "Caldirola, Nuovo Cimento 18 (1941) 393; the charge: Cerveró & Villarroel, J. Phys. A 17 (1984) 2963",
    (x,),
    exp(c * t / m) * (T1 - k * x**2 / 2),
    [exp(c * t / m) * (m * d(x, 2) + c * d(x) + k * x)],
    hamiltonian=exp(c * t / m) * (T1 + k * x**2 / 2),
    power=-c / m * exp(c * t / m) * (T1 - k * x**2 / 2),
    charges=(exp(c * t / m) * (T1 + k * x**2 / 2 + c * x * d(x) / 2),),
    run=Run({"m": 1.3, "k": 5.0, "c": 0.6}, {"x": 0.4, "x_dot": -0.7}),
)
state(
    "Mathews and Lakshmanan's oscillator",
    "Mathews & Lakshmanan, Q. Appl. Math. 32 (1974) 215: a mass that depends on place",
    (x,),
    (d(x) ** 2 - a * x**2) / (2 * (1 + lam * x**2)),
    [((1 + lam * x**2) * d(x, 2) - lam * x * d(x) ** 2 + a * x) / (1 + lam * x**2) ** 2],
    hamiltonian=(d(x) ** 2 + a * x**2) / (2 * (1 + lam * x**2)),
    run=Run({"a": 4.0, "lambda": 0.5}, {"x": 0.8, "x_dot": 0.3}),
)
state(
    "Toda's lattice of three",
    "Toda, Theory of Nonlinear Lattices (momentum and centre of mass; the third integral is no point symmetry)",
    (x1, x2, x3),
    (d(x1) ** 2 + d(x2) ** 2 + d(x3) ** 2) / 2 - exp(x1 - x2) - exp(x2 - x3),
    [d(x1, 2) + exp(x1 - x2), d(x2, 2) - exp(x1 - x2) + exp(x2 - x3), d(x3, 2) - exp(x2 - x3)],
    hamiltonian=(d(x1) ** 2 + d(x2) ** 2 + d(x3) ** 2) / 2 + exp(x1 - x2) + exp(x2 - x3),
    charges=(d(x1 + x2 + x3), x1 + x2 + x3 - t * d(x1 + x2 + x3)),
    no_charges=(d(x1),),
    run=Run({}, {"x_1": 0.3, "x_2": -0.2, "x_3": 0.4, "x_1_dot": 0.5, "x_2_dot": 0.1, "x_3_dot": -0.4}),
)
state(
    "Hénon and Heiles' galaxy",
    "Hénon & Heiles, Astron. J. 69 (1964) 73",
    (x, y),
    (d(x) ** 2 + d(y) ** 2 - x**2 - y**2) / 2 - x**2 * y + y**3 / 3,
    [d(x, 2) + x + 2 * x * y, d(y, 2) + y + x**2 - y**2],
    hamiltonian=(d(x) ** 2 + d(y) ** 2 + x**2 + y**2) / 2 + x**2 * y - y**3 / 3,
    no_charges=(x * d(y) - y * d(x), d(x), d(y)),
    run=Run({}, {"x": 0.3, "y": -0.2, "x_dot": 0.2, "y_dot": 0.3}, 3.0),
)
state(
    "anharmonic isotropic oscillator",
    "A, on central fields",
    (x, y),
    T2 - alpha * (x**2 + y**2) / 2 - beta * (x**2 + y**2) ** 2 / 4,
    [m * d(x, 2) + alpha * x + beta * (x**2 + y**2) * x, m * d(y, 2) + alpha * y + beta * (x**2 + y**2) * y],
    hamiltonian=T2 + alpha * (x**2 + y**2) / 2 + beta * (x**2 + y**2) ** 2 / 4,
    charges=(m * (x * d(y) - y * d(x)),),
    no_charges=(m * (x * d(y) + y * d(x)),),
    run=Run({"m": 1.2, "alpha": 2.0, "beta": 1.5}, {"x": 0.7, "y": 0.2, "x_dot": 0.2, "y_dot": 0.8}),
)
pair = sum((1 / (p - s) ** 2 for p, s in ((x1, x2), (x2, x3), (x1, x3))), sp.S.Zero)
kinetic3 = (d(x1) ** 2 + d(x2) ** 2 + d(x3) ** 2) / 2
squares = (x1**2 + x2**2 + x3**2) / 2
state(
    "Calogero and Moser's line of three",
    "Calogero, J. Math. Phys. 12 (1971) 419; conformal charges: de Alfaro, Fubini & Furlan, Nuovo Cim. A 34 (1976) 569",
    (x1, x2, x3),
    kinetic3 - g * pair,
    [
        d(x1, 2) - 2 * g / (x1 - x2) ** 3 - 2 * g / (x1 - x3) ** 3,
        d(x2, 2) + 2 * g / (x1 - x2) ** 3 - 2 * g / (x2 - x3) ** 3,
        d(x3, 2) + 2 * g / (x2 - x3) ** 3 + 2 * g / (x1 - x3) ** 3,
    ],
    hamiltonian=kinetic3 + g * pair,
    charges=(
        d(x1 + x2 + x3),
        x1 + x2 + x3 - t * d(x1 + x2 + x3),
        d(squares) - 2 * t * (kinetic3 + g * pair),
        squares - t * d(squares) + t**2 * (kinetic3 + g * pair),
    ),
    run=Run({"g": 0.5}, {"x_1": 1.2, "x_2": 0.1, "x_3": -1.0, "x_1_dot": -0.3, "x_2_dot": 0.1, "x_3_dot": 0.4}, 1.5),
)
state(
    "two masses, springs and a dashpot between them",
    "M, on linear systems",
    (x, y),
    m1 * d(x) ** 2 / 2 + m2 * d(y) ** 2 / 2 - k * (y - x) ** 2 / 2,
    [m1 * d(x, 2) - k * (y - x) - c * d(y - x), m2 * d(y, 2) + k * (y - x) + c * d(y - x)],
    dissipation=c * d(y - x) ** 2 / 2,
    hamiltonian=m1 * d(x) ** 2 / 2 + m2 * d(y) ** 2 / 2 + k * (y - x) ** 2 / 2,
    power=-c * d(y - x) ** 2,
    charges=(m1 * d(x) + m2 * d(y),),
    no_charges=(m1 * d(x),),
    run=Run({"m_1": 1.0, "m_2": 1.7, "k": 4.0, "c": 0.4}, {"x": 0.4, "y": -0.1, "x_dot": 0.3, "y_dot": 0.5}),
)
state(
    "Bateman's pair",
    "Bateman, Phys. Rev. 38 (1931) 815: a damped oscillator and its mirror",
    (x, y),
    m * d(x) * d(y) + c * (x * d(y) - y * d(x)) / 2 - k * x * y,
    [m * d(y, 2) - c * d(y) + k * y, m * d(x, 2) + c * d(x) + k * x],
    hamiltonian=m * d(x) * d(y) + k * x * y,
    charges=(m * (x * d(y) - y * d(x)) - c * x * y,),
    run=Run({"m": 1.3, "k": 5.0, "c": 0.3}, {"x": 0.4, "y": 0.3, "x_dot": -0.7, "y_dot": 0.2}),
)
state(
    "gyroscopic pair",
    "M, on gyroscopic systems",
    (x, y),
    T2 + h * (x * d(y) - y * d(x)) / 2 - (k1 * x**2 + k2 * y**2) / 2,
    [m * d(x, 2) - h * d(y) + k1 * x, m * d(y, 2) + h * d(x) + k2 * y],
    hamiltonian=T2 + (k1 * x**2 + k2 * y**2) / 2,
    no_charges=(m * (x * d(y) - y * d(x)) + h * (x**2 + y**2) / 2,),
    run=Run({"m": 1.0, "h": 1.5, "k_1": 3.0, "k_2": 5.0}, {"x": 0.4, "y": 0.3, "x_dot": -0.7, "y_dot": 0.2}),
)
state(
    "oscillator with dry friction",
    "Den Hartog, Mechanical Vibrations (a set at rest)",
    (x,),
    T1 - k * x**2 / 2,
    [m * d(x, 2) + k * x + mu * sp.sign(d(x))],
    dissipation=mu * sp.Abs(d(x)),
    hamiltonian=T1 + k * x**2 / 2,
    power=-mu * sp.Abs(d(x)),
    run=Run({"m": 1.0, "k": 9.0, "mu": 0.4}, {"x": 0.5}, smooth=False),
)
state(
    "galloping line",
    "Den Hartog, Mechanical Vibrations: wind that feeds slow motion",
    (x,),
    T1 - k * x**2 / 2,
    [m * d(x, 2) + k * x - a * d(x) + b * d(x) ** 3],
    loads={x: a * d(x) - b * d(x) ** 3},
    hamiltonian=T1 + k * x**2 / 2,
    power=a * d(x) ** 2 - b * d(x) ** 4,
    run=Run({"m": 1.0, "k": 4.0, "a": 0.5, "b": 0.3}, {"x": 0.5, "x_dot": 0.4}),
)
state(
    "shaft with internal damping",
    "Bolotin, Nonconservative Problems: circulatory forces",
    (x, y),
    T2 - k * (x**2 + y**2) / 2,
    [m * d(x, 2) + c * d(x) + k * x + c * w * y, m * d(y, 2) + c * d(y) + k * y - c * w * x],
    dissipation=c * (d(x) ** 2 + d(y) ** 2) / 2,
    loads={x: -c * w * y, y: c * w * x},
    hamiltonian=T2 + k * (x**2 + y**2) / 2,
    power=-c * (d(x) ** 2 + d(y) ** 2) + c * w * (x * d(y) - y * d(x)),
    no_charges=(m * (x * d(y) - y * d(x)),),
    run=Run({"m": 1.0, "k": 4.0, "c": 0.4, "omega": 3.0}, {"x": 0.4, "y": 0.3, "x_dot": -0.7, "y_dot": 0.2}),
)

# ---------------------------------------------------------------- pendula

state(
    "plane pendulum",
    "LL §5",
    (th,),
    m * l**2 * d(th) ** 2 / 2 + m * g * l * cos(th),
    [m * l**2 * d(th, 2) + m * g * l * sin(th)],
    hamiltonian=m * l**2 * d(th) ** 2 / 2 - m * g * l * cos(th),
    no_charges=(m * l**2 * d(th),),
    run=Run({"m": 1.3, "l": 0.9, "g": 9.81}, {"theta": 1.2, "theta_dot": 0.5}, 1.5),
)
state(
    "spherical pendulum",
    "G exercise 1.19; LL §14",
    (th, ph),
    m * l**2 * (d(th) ** 2 + sin(th) ** 2 * d(ph) ** 2) / 2 + m * g * l * cos(th),
    [
        m * l**2 * (d(th, 2) - sin(th) * cos(th) * d(ph) ** 2) + m * g * l * sin(th),
        m * l**2 * (sin(th) ** 2 * d(ph, 2) + 2 * sin(th) * cos(th) * d(th) * d(ph)),
    ],
    hamiltonian=m * l**2 * (d(th) ** 2 + sin(th) ** 2 * d(ph) ** 2) / 2 - m * g * l * cos(th),
    charges=(m * l**2 * sin(th) ** 2 * d(ph),),
    no_charges=(m * l**2 * d(ph),),
    run=Run({"m": 1.3, "l": 0.9, "g": 9.81}, {"theta": 1.0, "theta_dot": 0.5, "phi": 0.2, "phi_dot": 2.5}, 1.0),
)
state(
    "elastic pendulum",
    "LL §5; Vitt & Gorelik 1933",
    (r, th),
    m * (d(r) ** 2 + r**2 * d(th) ** 2) / 2 + m * g * r * cos(th) - k * (r - l) ** 2 / 2,
    [
        m * d(r, 2) - m * r * d(th) ** 2 - m * g * cos(th) + k * (r - l),
        m * r**2 * d(th, 2) + 2 * m * r * d(r) * d(th) + m * g * r * sin(th),
    ],
    hamiltonian=m * (d(r) ** 2 + r**2 * d(th) ** 2) / 2 - m * g * r * cos(th) + k * (r - l) ** 2 / 2,
    no_charges=(m * r**2 * d(th),),
    run=Run({"m": 1.0, "l": 0.9, "g": 9.81, "k": 40.0}, {"r": 1.1, "theta": 0.8, "r_dot": 0.2, "theta_dot": 0.5}, 1.0),
)
state(
    "double pendulum",
    "LL §5",
    (th1, th2),
    (m1 + m2) * l1**2 * d(th1) ** 2 / 2
    + m2 * l2**2 * d(th2) ** 2 / 2
    + m2 * l1 * l2 * d(th1) * d(th2) * cos(th1 - th2)
    + (m1 + m2) * g * l1 * cos(th1)
    + m2 * g * l2 * cos(th2),
    [
        (m1 + m2) * l1**2 * d(th1, 2)
        + m2 * l1 * l2 * (cos(th1 - th2) * d(th2, 2) + sin(th1 - th2) * d(th2) ** 2)
        + (m1 + m2) * g * l1 * sin(th1),
        m2 * l2**2 * d(th2, 2)
        + m2 * l1 * l2 * (cos(th1 - th2) * d(th1, 2) - sin(th1 - th2) * d(th1) ** 2)
        + m2 * g * l2 * sin(th2),
    ],
    hamiltonian=(m1 + m2) * l1**2 * d(th1) ** 2 / 2
    + m2 * l2**2 * d(th2) ** 2 / 2
    + m2 * l1 * l2 * d(th1) * d(th2) * cos(th1 - th2)
    - (m1 + m2) * g * l1 * cos(th1)
    - m2 * g * l2 * cos(th2),
    no_charges=(m2 * l2**2 * d(th2),),
    run=Run(
        {"m_1": 1.0, "m_2": 0.7, "l_1": 1.0, "l_2": 0.8, "g": 9.81},
        {"theta_1": 0.8, "theta_2": 0.3, "theta_1_dot": 0.3, "theta_2_dot": -0.4},
        1.0,
    ),
)
state(
    "bead on a rotating hoop",
    "G ch. 2 (Jacobi's integral, which is not the energy)",
    (th,),
    m * R**2 * (d(th) ** 2 + w**2 * sin(th) ** 2) / 2 + m * g * R * cos(th),
    [m * R**2 * d(th, 2) - m * R**2 * w**2 * sin(th) * cos(th) + m * g * R * sin(th)],
    hamiltonian=m * R**2 * (d(th) ** 2 - w**2 * sin(th) ** 2) / 2 - m * g * R * cos(th),
    no_charges=(m * R**2 * (d(th) ** 2 + w**2 * sin(th) ** 2) / 2 - m * g * R * cos(th),),
    run=Run({"m": 1.0, "R": 0.8, "omega": 4.5, "g": 9.81}, {"theta": 0.5, "theta_dot": 0.7}, 1.2),
)
state(
    "bead on a rotating wire",
    "LL §39; G ch. 1",
    (r,),
    m * (d(r) ** 2 + w**2 * r**2) / 2,
    [m * d(r, 2) - m * w**2 * r],
    hamiltonian=m * (d(r) ** 2 - w**2 * r**2) / 2,
    no_charges=(m * (d(r) ** 2 + w**2 * r**2) / 2, m * d(r)),
    run=Run({"m": 1.0, "omega": 1.5}, {"r": 0.5, "r_dot": -0.2}),
)
state(
    "cart and pole",
    "hand; Barto, Sutton & Anderson, IEEE SMC 13 (1983) 834, without friction at the pivot",
    (x, th),
    (M + m) * d(x) ** 2 / 2 + m * l * cos(th) * d(x) * d(th) + m * l**2 * d(th) ** 2 / 2 - m * g * l * cos(th),
    [
        (M + m) * d(x, 2) + m * l * (cos(th) * d(th, 2) - sin(th) * d(th) ** 2) + c * d(x) - F * sin(w * t),
        m * l**2 * d(th, 2) + m * l * cos(th) * d(x, 2) - m * g * l * sin(th),
    ],
    dissipation=c * d(x) ** 2 / 2,
    loads={x: F * sin(w * t)},
    hamiltonian=(M + m) * d(x) ** 2 / 2
    + m * l * cos(th) * d(x) * d(th)
    + m * l**2 * d(th) ** 2 / 2
    + m * g * l * cos(th),
    power=-c * d(x) ** 2 + F * sin(w * t) * d(x),
    charges=((M + m) * d(x) + m * l * cos(th) * d(th) + c * x + F * cos(w * t) / w,),
    no_charges=((M + m) * d(x) + m * l * cos(th) * d(th),),
    run=Run(
        {"M": 2.0, "m": 0.5, "l": 0.7, "g": 9.81, "c": 0.4, "F": 1.5, "omega": 3.0},
        {"x": 0.1, "theta": 0.4, "x_dot": -0.2, "theta_dot": -0.5},
        0.8,
    ),
)
state(
    "Foucault's pendulum",
    "LL §39: small swings above a turning Earth, to first order in its rate",
    (x, y),
    T2 + m * w * (x * d(y) - y * d(x)) - k * (x**2 + y**2) / 2,
    [m * d(x, 2) - 2 * m * w * d(y) + k * x, m * d(y, 2) + 2 * m * w * d(x) + k * y],
    hamiltonian=T2 + k * (x**2 + y**2) / 2,
    charges=(m * (x * d(y) - y * d(x)) + m * w * (x**2 + y**2),),
    no_charges=(m * (x * d(y) - y * d(x)),),
    run=Run({"m": 1.0, "omega": 0.6, "k": 6.0}, {"x": 0.5, "y": 0.1, "x_dot": 0.3, "y_dot": -0.2}),
)
state(
    "Kapitza's pendulum",
    "LL §30, and §5, problem 3c: the pivot shakes upright by a cos ωt",
    (th,),
    m * l**2 * d(th) ** 2 / 2 + m * l * (g - a * w**2 * cos(w * t)) * cos(th),
    [m * l**2 * d(th, 2) + m * l * (g - a * w**2 * cos(w * t)) * sin(th)],
    hamiltonian=m * l**2 * d(th) ** 2 / 2 - m * l * (g - a * w**2 * cos(w * t)) * cos(th),
    power=-m * l * a * w**3 * sin(w * t) * cos(th),
    run=Run({"m": 1.0, "l": 0.8, "g": 9.81, "a": 0.05, "omega": 9.0}, {"theta": 1.0, "theta_dot": 0.3}, 1.0),
)
state(
    "swinging Atwood's machine",
    "Tufillaro, Abbott & Griffiths, Am. J. Phys. 52 (1984) 895",
    (r, th),
    (M + m) * d(r) ** 2 / 2 + m * r**2 * d(th) ** 2 / 2 - g * r * (M - m * cos(th)),
    [
        (M + m) * d(r, 2) - m * r * d(th) ** 2 + g * (M - m * cos(th)),
        m * r**2 * d(th, 2) + 2 * m * r * d(r) * d(th) + m * g * r * sin(th),
    ],
    hamiltonian=(M + m) * d(r) ** 2 / 2 + m * r**2 * d(th) ** 2 / 2 + g * r * (M - m * cos(th)),
    run=Run({"M": 1.5, "m": 1.0, "g": 9.81}, {"r": 1.0, "theta": 1.2, "r_dot": 0.3, "theta_dot": 0.5}, 0.8),
)
state(
    "Ziegler's column under a follower force",
    "Ziegler, Ing.-Arch. 20 (1952) 49; Bolotin, Nonconservative Problems",
    (th1, th2),
    m * l**2 * (3 * d(th1) ** 2 + 2 * cos(th1 - th2) * d(th1) * d(th2) + d(th2) ** 2) / 2
    - k * th1**2 / 2
    - k * (th2 - th1) ** 2 / 2,
    [
        m * l**2 * (3 * d(th1, 2) + cos(th1 - th2) * d(th2, 2) + sin(th1 - th2) * d(th2) ** 2)
        + k * (2 * th1 - th2)
        - F * l * sin(th1 - th2),
        m * l**2 * (cos(th1 - th2) * d(th1, 2) + d(th2, 2) - sin(th1 - th2) * d(th1) ** 2) + k * (th2 - th1),
    ],
    loads={th1: F * l * sin(th1 - th2)},
    hamiltonian=m * l**2 * (3 * d(th1) ** 2 + 2 * cos(th1 - th2) * d(th1) * d(th2) + d(th2) ** 2) / 2
    + k * th1**2 / 2
    + k * (th2 - th1) ** 2 / 2,
    power=F * l * sin(th1 - th2) * d(th1),
    run=Run(
        {"m": 1.0, "l": 1.0, "k": 6.0, "F": 4.0},
        {"theta_1": 0.4, "theta_2": 0.1, "theta_1_dot": 0.2, "theta_2_dot": -0.3},
        1.5,
    ),
)
stretch = (x * d(x) + y * d(y)) / sqrt(x**2 + y**2)
state(
    "spring and dashpot under large rotation",
    "hand: an element from the origin to a mass; its force is radial, so the moment is kept, the energy lost",
    (x, y),
    T2 - k * (sqrt(x**2 + y**2) - l) ** 2 / 2,
    [
        m * d(x, 2) + (k * (sqrt(x**2 + y**2) - l) + c * stretch) * x / sqrt(x**2 + y**2),
        m * d(y, 2) + (k * (sqrt(x**2 + y**2) - l) + c * stretch) * y / sqrt(x**2 + y**2),
    ],
    dissipation=c * stretch**2 / 2,
    hamiltonian=T2 + k * (sqrt(x**2 + y**2) - l) ** 2 / 2,
    power=-c * stretch**2,
    charges=(m * (x * d(y) - y * d(x)),),
    no_charges=(m * d(x),),
    run=Run({"m": 1.0, "k": 9.0, "c": 0.8, "l": 1.0}, {"x": 1.2, "y": 0.1, "x_dot": 0.3, "y_dot": 1.1}, 1.5),
)

# ---------------------------------------------------------------- particles in fields

state(
    "free particle",
    "O, on variational symmetries (five variational symmetries of the line)",
    (x,),
    T1,
    [m * d(x, 2)],
    hamiltonian=T1,
    charges=(m * d(x), m * (x - t * d(x)), m * x * d(x) - 2 * t * T1, m * x**2 / 2 - t * m * x * d(x) + t**2 * T1),
    no_charges=(m * x,),
    run=Run({"m": 1.0}, {"x": 0.5, "x_dot": -0.2}, smooth=False),  # exact at every degree: no order to measure
)
state(
    "projectile with linear drag",
    "hand",
    (x, y),
    T2 - m * g * y,
    [m * d(x, 2) + c * d(x), m * d(y, 2) + c * d(y) + m * g],
    dissipation=c * (d(x) ** 2 + d(y) ** 2) / 2,
    hamiltonian=T2 + m * g * y,
    power=-c * (d(x) ** 2 + d(y) ** 2),
    charges=(m * d(x) + c * x, m * d(y) + c * y + m * g * t),
    no_charges=(m * d(x),),
    run=Run({"m": 1.0, "g": 9.81, "c": 0.9}, {"x_dot": 3.0, "y_dot": 6.0}, 1.5),
)
state(
    "fall with quadratic drag",
    "Timoshenko & Young, Advanced Dynamics: v = v_∞ tanh(gt/v_∞)",
    (x,),
    T1 + m * g * x,
    [m * d(x, 2) + c * d(x) * sp.Abs(d(x)) - m * g],
    dissipation=c * sp.Abs(d(x)) ** 3 / 3,
    hamiltonian=T1 - m * g * x,
    power=-c * sp.Abs(d(x)) ** 3,
    run=Run({"m": 1.0, "g": 9.81, "c": 0.7}, {"x": 0.0, "x_dot": 0.5}, 1.5),
)
state(
    "Kepler's problem in the plane",
    "LL §15",
    (r, ph),
    m * (d(r) ** 2 + r**2 * d(ph) ** 2) / 2 + alpha / r,
    [m * d(r, 2) - m * r * d(ph) ** 2 + alpha / r**2, m * r**2 * d(ph, 2) + 2 * m * r * d(r) * d(ph)],
    hamiltonian=m * (d(r) ** 2 + r**2 * d(ph) ** 2) / 2 - alpha / r,
    charges=(m * r**2 * d(ph),),
    no_charges=(m * r * d(r),),
    run=Run({"m": 1.0, "alpha": 1.0}, {"r": 1.0, "phi": 0.0, "r_dot": 0.1, "phi_dot": 1.1}, 2.0),
)
distance = sqrt(x**2 + y**2 + z**2)
state(
    "Kepler's problem in space",
    "LL §15 (Laplace's vector is no point symmetry; the scaling of the third law is no symmetry of the action)",
    (x, y, z),
    T3 + alpha / distance,
    [m * d(s, 2) + alpha * s / distance**3 for s in (x, y, z)],
    hamiltonian=T3 - alpha / distance,
    charges=(m * (x * d(y) - y * d(x)), m * (y * d(z) - z * d(y)), m * (z * d(x) - x * d(z))),
    no_charges=(m * (x * d(x) + y * d(y) + z * d(z)) - 3 * t * (T3 - alpha / distance) / 2, m * d(z)),
    run=Run({"m": 1.0, "alpha": 1.0}, {"x": 1.0, "y": 0.1, "z": -0.2, "x_dot": 0.1, "y_dot": 0.9, "z_dot": 0.4}, 2.0),
)
state(
    "two bodies",
    "LL §13",
    (x1, y1, x2, y2),
    m1 * (d(x1) ** 2 + d(y1) ** 2) / 2
    + m2 * (d(x2) ** 2 + d(y2) ** 2) / 2
    + alpha / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2),
    [
        m1 * d(x1, 2) + alpha * (x1 - x2) / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 3,
        m1 * d(y1, 2) + alpha * (y1 - y2) / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 3,
        m2 * d(x2, 2) - alpha * (x1 - x2) / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 3,
        m2 * d(y2, 2) - alpha * (y1 - y2) / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 3,
    ],
    hamiltonian=m1 * (d(x1) ** 2 + d(y1) ** 2) / 2
    + m2 * (d(x2) ** 2 + d(y2) ** 2) / 2
    - alpha / sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2),
    charges=(
        m1 * d(x1) + m2 * d(x2),
        m1 * d(y1) + m2 * d(y2),
        m1 * x1 + m2 * x2 - t * (m1 * d(x1) + m2 * d(x2)),
        m1 * y1 + m2 * y2 - t * (m1 * d(y1) + m2 * d(y2)),
        m1 * (x1 * d(y1) - y1 * d(x1)) + m2 * (x2 * d(y2) - y2 * d(x2)),
    ),
    no_charges=(m1 * d(x1), m1 * (x1 * d(y1) - y1 * d(x1))),
    run=Run(
        {"m_1": 1.0, "m_2": 0.6, "alpha": 0.8},
        {
            "x_1": 0.5,
            "y_1": 0.0,
            "x_2": -0.6,
            "y_2": 0.1,
            "x_1_dot": 0.1,
            "y_1_dot": 0.5,
            "x_2_dot": 0.0,
            "y_2_dot": -0.6,
        },
        1.5,
    ),
)
state(
    "charge in a uniform magnetic field",
    "LL, Theory of Fields; the guiding centre: quasi-symmetries of the shifts across the field",
    (x, y, z),
    T3 + b * (x * d(y) - y * d(x)) / 2,
    [m * d(x, 2) - b * d(y), m * d(y, 2) + b * d(x), m * d(z, 2)],
    hamiltonian=T3,
    charges=(m * d(x) - b * y, m * d(y) + b * x, m * d(z), m * (x * d(y) - y * d(x)) + b * (x**2 + y**2) / 2),
    no_charges=(m * d(x), m * (x * d(y) - y * d(x))),
    run=Run({"m": 1.0, "b": 2.0}, {"x": 0.5, "y": 0.1, "x_dot": 0.3, "y_dot": -0.2, "z_dot": 0.6}),
)
gamma1 = 1 / sqrt(1 - d(x) ** 2 / c**2)
state(
    "relativistic oscillator",
    "LL, Theory of Fields, with a spring",
    (x,),
    -m * c**2 * sqrt(1 - d(x) ** 2 / c**2) - k * x**2 / 2,
    [m * d(x, 2) * gamma1**3 + k * x],
    hamiltonian=m * c**2 * gamma1 + k * x**2 / 2,
    no_charges=(m * gamma1 * d(x),),
    run=Run({"m": 1.0, "c": 2.0, "k": 3.0}, {"x": 0.8, "x_dot": 0.5}),
)
gamma2 = 1 / sqrt(1 - (d(x) ** 2 + d(y) ** 2) / c**2)
state(
    "free relativistic particle in the plane",
    "LL, Theory of Fields: momentum, angular momentum, and the boosts' centre of inertia",
    (x, y),
    -m * c**2 * sqrt(1 - (d(x) ** 2 + d(y) ** 2) / c**2),
    [
        m * gamma2 * d(x, 2) + m * gamma2**3 / c**2 * (d(x) * d(x, 2) + d(y) * d(y, 2)) * d(x),
        m * gamma2 * d(y, 2) + m * gamma2**3 / c**2 * (d(x) * d(x, 2) + d(y) * d(y, 2)) * d(y),
    ],
    hamiltonian=m * c**2 * gamma2,
    charges=(
        m * gamma2 * d(x),
        m * gamma2 * d(y),
        m * gamma2 * (x * d(y) - y * d(x)),
        m * gamma2 * (x - t * d(x)),
        m * gamma2 * (y - t * d(y)),
    ),
    no_charges=(m * gamma2 * x,),
    run=Run({"m": 1.0, "c": 2.0}, {"x": 0.8, "x_dot": 0.5, "y_dot": 0.7}, smooth=False),  # straight lines: exact
)
state(
    "particle on a paraboloid",
    "hand: z = r²/2a turned about the vertical",
    (r, ph),
    m * ((1 + r**2 / a**2) * d(r) ** 2 + r**2 * d(ph) ** 2) / 2 - m * g * r**2 / (2 * a),
    [
        m * (1 + r**2 / a**2) * d(r, 2) + m * r * d(r) ** 2 / a**2 - m * r * d(ph) ** 2 + m * g * r / a,
        m * r**2 * d(ph, 2) + 2 * m * r * d(r) * d(ph),
    ],
    hamiltonian=m * ((1 + r**2 / a**2) * d(r) ** 2 + r**2 * d(ph) ** 2) / 2 + m * g * r**2 / (2 * a),
    charges=(m * r**2 * d(ph),),
    run=Run({"m": 1.0, "a": 1.5, "g": 9.81}, {"r": 0.8, "r_dot": 0.3, "phi_dot": 2.0}, 1.0),
)
state(
    "Gaussian well",
    "hand: a force that is not zero, however fast it falls; a zero test must see it",
    (x,),
    T1 + a * exp(-1000 * x**2),
    [m * d(x, 2) + 2000 * a * x * exp(-1000 * x**2)],
    hamiltonian=T1 - a * exp(-1000 * x**2),
    no_charges=(m * d(x), x - t * d(x)),
    run=Run({"m": 1.0, "a": 0.001}, {"x": 0.02, "x_dot": 0.0}, 4.0),
)
state(
    "Gaussian mass",
    "hand: y = ∫exp(−500x²)dx moves freely, so exp(−500x²)ẋ is kept",
    (x,),
    exp(-1000 * x**2) * d(x) ** 2 / 2,
    [exp(-1000 * x**2) * (d(x, 2) - 1000 * x * d(x) ** 2)],
    hamiltonian=exp(-1000 * x**2) * d(x) ** 2 / 2,
    no_charges=(d(x), exp(-1000 * x**2) * d(x)),
    run=Run({}, {"x": -0.03, "x_dot": 0.05}, 1.0),
)

# ---------------------------------------------------------------- rigid bodies

A1, B1, C1 = positive("A B C")
spin = d(ps) + d(ph) * cos(th)
state(
    "Lagrange's top",
    "LL §35",
    (th, ph, ps),
    A1 * (d(th) ** 2 + d(ph) ** 2 * sin(th) ** 2) / 2 + C1 * spin**2 / 2 - m * g * l * cos(th),
    [
        A1 * (d(th, 2) - d(ph) ** 2 * sin(th) * cos(th)) + C1 * spin * d(ph) * sin(th) - m * g * l * sin(th),
        d(A1 * d(ph) * sin(th) ** 2 + C1 * spin * cos(th)),
        C1 * d(spin),
    ],
    hamiltonian=A1 * (d(th) ** 2 + d(ph) ** 2 * sin(th) ** 2) / 2 + C1 * spin**2 / 2 + m * g * l * cos(th),
    charges=(A1 * d(ph) * sin(th) ** 2 + C1 * spin * cos(th), C1 * spin),
    no_charges=(A1 * d(ph), A1 * d(th)),
    run=Run(
        {"A": 1.0, "C": 0.6, "m": 1.0, "g": 9.81, "l": 0.3},
        {"theta": 0.6, "phi": 0.1, "psi": 0.2, "theta_dot": 0.2, "phi_dot": 0.8, "psi_dot": 6.0},
        1.0,
    ),
)
w1 = d(ph) * sin(th) * sin(ps) + d(th) * cos(ps)
w2 = d(ph) * sin(th) * cos(ps) - d(th) * sin(ps)
w3 = d(ph) * cos(th) + d(ps)
# Euler's equations in the body (LL §36), projected on the three angles: E_q = Σ Gᵢ ∂ωᵢ/∂q̇.
euler = [A1 * d(w1) - (B1 - C1) * w2 * w3, B1 * d(w2) - (C1 - A1) * w3 * w1, C1 * d(w3) - (A1 - B1) * w1 * w2]
W1, W2, W3 = (B1 - C1) * w2 * w3 / A1, (C1 - A1) * w3 * w1 / B1, (A1 - B1) * w1 * w2 / C1  # ω̇
nod = (W1 * sin(ps) + W2 * cos(ps) + d(ps) * (w1 * cos(ps) - w2 * sin(ps)) - d(ph) * d(th) * cos(th)) / sin(th)
state(
    "free asymmetric body in Euler's angles",
    "LL §§35-36: Euler's equations, projected on the angles",
    (th, ph, ps),
    (A1 * w1**2 + B1 * w2**2 + C1 * w3**2) / 2,
    [
        cos(ps) * euler[0] - sin(ps) * euler[1],
        sin(th) * sin(ps) * euler[0] + sin(th) * cos(ps) * euler[1] + cos(th) * euler[2],
        euler[2],
    ],
    hamiltonian=(A1 * w1**2 + B1 * w2**2 + C1 * w3**2) / 2,
    charges=(sin(th) * sin(ps) * A1 * w1 + sin(th) * cos(ps) * B1 * w2 + cos(th) * C1 * w3,),
    no_charges=(C1 * w3,),
    rules={
        d(th, 2): W1 * cos(ps) - W2 * sin(ps) - d(ps) * (w1 * sin(ps) + w2 * cos(ps)),
        d(ph, 2): nod,
        d(ps, 2): W3 - nod * cos(th) + d(ph) * d(th) * sin(th),
    },
    run=Run(
        {"A": 1.0, "B": 1.4, "C": 0.7},
        {"theta": 1.0, "phi": 0.1, "psi": 0.2, "theta_dot": 0.5, "phi_dot": 0.8, "psi_dot": 1.0},
        1.5,
    ),
)

# ---------------------------------------------------------------- circuits and machines

Li, Ca, Re, V0, Lm = positive("L C R V M")
state(
    "series circuit",
    "W, on electrical systems; G ch. 2: charge as coordinate",
    (q,),
    Li * d(q) ** 2 / 2 - q**2 / (2 * Ca),
    [Li * d(q, 2) + Re * d(q) + q / Ca - V0 * sin(w * t)],
    dissipation=Re * d(q) ** 2 / 2,
    loads={q: V0 * sin(w * t)},
    hamiltonian=Li * d(q) ** 2 / 2 + q**2 / (2 * Ca),
    power=-Re * d(q) ** 2 + V0 * sin(w * t) * d(q),
    run=Run({"L": 0.5, "C": 0.2, "R": 0.4, "V": 1.0, "omega": 2.5}, {"q": 0.2, "q_dot": 0.1}),
)
state(
    "two circuits with mutual inductance",
    "W, on electrical systems",
    (q1, q2),
    Li * d(q1) ** 2 / 2 + Li * d(q2) ** 2 / 2 + Lm * d(q1) * d(q2) - (q1**2 + q2**2) / (2 * Ca),
    [Li * d(q1, 2) + Lm * d(q2, 2) + q1 / Ca, Li * d(q2, 2) + Lm * d(q1, 2) + q2 / Ca],
    hamiltonian=Li * d(q1) ** 2 / 2 + Li * d(q2) ** 2 / 2 + Lm * d(q1) * d(q2) + (q1**2 + q2**2) / (2 * Ca),
    no_charges=(Li * (q1 * d(q2) - q2 * d(q1)),),
    run=Run({"L": 0.5, "M": 0.2, "C": 0.3}, {"q_1": 0.2, "q_2": -0.1, "q_1_dot": 0.1, "q_2_dot": 0.3}),
)
state(
    "two equal circuits coupled by a gyrator",
    "hand: L with h(q₁q̇₂ − q₂q̇₁)/2; a turn of (q₁, q₂) is a symmetry",
    (q1, q2),
    Li * (d(q1) ** 2 + d(q2) ** 2) / 2 + h * (q1 * d(q2) - q2 * d(q1)) / 2 - (q1**2 + q2**2) / (2 * Ca),
    [Li * d(q1, 2) - h * d(q2) + q1 / Ca, Li * d(q2, 2) + h * d(q1) + q2 / Ca],
    hamiltonian=Li * (d(q1) ** 2 + d(q2) ** 2) / 2 + (q1**2 + q2**2) / (2 * Ca),
    charges=(Li * (q1 * d(q2) - q2 * d(q1)) + h * (q1**2 + q2**2) / 2,),
    run=Run({"L": 0.5, "h": 0.7, "C": 0.3}, {"q_1": 0.2, "q_2": -0.1, "q_1_dot": 0.1, "q_2_dot": 0.3}),
)
state(
    "capacitor microphone",
    "W; Crandall et al., Dynamics of Mechanical and Electromechanical Systems",
    (x, q),
    T1 + Li * d(q) ** 2 / 2 - k * x**2 / 2 - q**2 * (a - x) / (2 * b),
    [m * d(x, 2) + c * d(x) + k * x - q**2 / (2 * b), Li * d(q, 2) + Re * d(q) + q * (a - x) / b - V0],
    dissipation=c * d(x) ** 2 / 2 + Re * d(q) ** 2 / 2,
    loads={q: V0},
    hamiltonian=T1 + Li * d(q) ** 2 / 2 + k * x**2 / 2 + q**2 * (a - x) / (2 * b),
    power=-c * d(x) ** 2 - Re * d(q) ** 2 + V0 * d(q),
    run=Run(
        {"m": 1.0, "L": 0.5, "k": 8.0, "a": 1.0, "b": 0.4, "c": 0.3, "R": 0.5, "V": 1.2},
        {"x": 0.1, "q": 0.3, "x_dot": 0.0, "q_dot": 0.2},
        1.5,
    ),
)
state(
    "plunger in a solenoid",
    "W, on electromechanical systems: inductance L₀/(1 + x/a); magnetic energy pulls",
    (x, q),
    T1 + Li * d(q) ** 2 / (2 * (1 + x / a)) - k * x**2 / 2,
    [
        m * d(x, 2) + k * x + Li * d(q) ** 2 / (2 * a * (1 + x / a) ** 2),
        Li * d(q, 2) / (1 + x / a) - Li * d(x) * d(q) / (a * (1 + x / a) ** 2) + Re * d(q) - V0,
    ],
    dissipation=Re * d(q) ** 2 / 2,
    loads={q: V0},
    hamiltonian=T1 + Li * d(q) ** 2 / (2 * (1 + x / a)) + k * x**2 / 2,
    power=-Re * d(q) ** 2 + V0 * d(q),
    charges=(Li * d(q) / (1 + x / a) + Re * q - V0 * t,),
    run=Run(
        {"m": 1.0, "L": 0.5, "k": 8.0, "a": 0.5, "R": 0.8, "V": 1.2},
        {"x": 0.3, "q": 0.0, "x_dot": 0.1, "q_dot": 0.4},
        1.5,
    ),
)
state(
    "Josephson junction",
    "Barone & Paternò, Physics and Applications of the Josephson Effect: the driven, damped pendulum",
    (ph,),
    Ca * d(ph) ** 2 / 2 + F * cos(ph),
    [Ca * d(ph, 2) + d(ph) / Re + F * sin(ph) - I0],
    dissipation=d(ph) ** 2 / (2 * Re),
    loads={ph: I0},
    hamiltonian=Ca * d(ph) ** 2 / 2 - F * cos(ph),
    power=-(d(ph) ** 2) / Re + I0 * d(ph),
    run=Run({"C": 1.0, "F": 2.0, "R": 1.5, "I_0": 1.0}, {"phi": 0.4, "phi_dot": 0.3}),
)
