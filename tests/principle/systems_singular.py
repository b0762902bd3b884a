"""Lumped systems without a mass for every rate: fields that obey a relation, gauges, multipliers, constraints.

D: Dirac, Lectures on Quantum Mechanics. HT: Henneaux & Teitelboim, Quantization of Gauge Systems. RR: Rothe & Rothe,
Classical and Quantum Dynamics of Constrained Hamiltonian Systems. LL, G: as in systems_lumped. B: Bloch, Nonholonomic
Mechanics and Control. NF: Neimark & Fufaev, Dynamics of Nonholonomic Systems. A constraint g = 0 acts by −λ ∂g/∂q in
the equations, a velocity constraint A q̇ = 0 by −λ A (Lagrange and d'Alembert).
"""

import sympy as sp
from stated import Motion, Run, System, of_time, positive
from sympy import cos, exp, sin, sqrt

from hamex.principle import t

m, k, c, g, l, a, b, w, e, R, I0, J0, F, m1, m2, l1, l2, Fy, eta, Ca = positive(
    "m k c g l a b omega e R I J F m_1 m_2 l_1 l_2 F_y eta C"
)
x, y, z, u, v, p, r, th, ph, lam, J, V, T, q1, q2, x1, x2, y1, y2 = of_time(
    "x y z u v p r theta phi lambda J V T q_1 q_2 x_1 x_2 y_1 y_2"
)
L1, L2 = of_time("lambda_1 lambda_2")  # the reactions that an action with stated constraints brings along
X, W, TH, OM, PH, Y, Z, U, S, B2, WB = sp.symbols("X W Theta Omega Phi Y Z U S Beta Omega_2", real=True)


def d(expression, n=1):
    """d/dt."""
    return sp.diff(expression, t, n)


SINGULAR: list[System] = []


def state(*arguments, **more):
    SINGULAR.append(System(*arguments, **more))


T1 = m * d(x) ** 2 / 2
T2 = m * (d(x) ** 2 + d(y) ** 2) / 2
T3 = m * (d(x) ** 2 + d(y) ** 2 + d(z) ** 2) / 2

# ---------------------------------------------------------------- the paper's mixed systems

state(
    "mixed oscillator",
    "Kim, eqs. (16)-(26)",
    (u, J),
    m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2 - d(J) * u,
    [m * d(u, 2) + d(J), a * d(J, 2) - d(u)],
    free=4,
    hamiltonian=m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2,
    charges=(m * d(u) + J, a * d(J) - u),
    no_charges=(m * d(u), a * d(J)),
    run=Run({"m": 1.3, "a": 0.2}, {"u": 0.4, "u_dot": -0.7, "J": 0.0, "J_dot": 2.0}),
)
state(
    "mixed oscillator, damped and forced",
    "Kim, eqs. (45)-(54)",
    (u, J),
    m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2 - d(J) * u,
    [m * d(u, 2) + c * d(u) + d(J) - F * cos(w * t), a * d(J, 2) - d(u)],
    dissipation=c * d(u) ** 2 / 2,
    loads={u: F * cos(w * t)},
    free=4,
    hamiltonian=m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2,
    power=-c * d(u) ** 2 + F * cos(w * t) * d(u),
    charges=(m * d(u) + c * u + J - F * sin(w * t) / w, a * d(J) - u),
    no_charges=(m * d(u) + J,),
    run=Run({"m": 1.3, "a": 0.2, "c": 0.4, "F": 1.0, "omega": 2.0}, {"u": 0.4, "u_dot": -0.7, "J_dot": 2.0}),
)
slip = sp.Piecewise(((d(J) - Fy) / eta, d(J) > Fy), ((d(J) + Fy) / eta, d(J) < -Fy), (0, True))
potential = sp.Piecewise(
    ((d(J) - Fy) ** 2 / (2 * eta), d(J) > Fy), ((d(J) + Fy) ** 2 / (2 * eta), d(J) < -Fy), (0, True)
)
state(
    "viscoplastic oscillator",
    "Kim, eqs. (55)-(60)",
    (u, J),
    m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2 - d(J) * u,
    [m * d(u, 2) + c * d(u) + d(J), a * d(J, 2) - d(u) + slip],
    dissipation=c * d(u) ** 2 / 2 + potential,
    free=4,
    hamiltonian=m * d(u) ** 2 / 2 + a * d(J) ** 2 / 2,
    power=-c * d(u) ** 2 - slip * d(J),
    charges=(m * d(u) + c * u + J,),
    no_charges=(a * d(J) - u,),
    run=Run(
        {"m": 1.0, "a": 0.2, "c": 0.1, "F_y": 0.5, "eta": 0.7}, {"u": 0.0, "u_dot": 1.0, "J_dot": 0.0}, smooth=False
    ),
)
state(
    "rigid-viscoplastic block",
    "hand: the slider alone, u̇ = slip rate(J̇)",
    (u, J),
    m * d(u) ** 2 / 2 - d(J) * u,
    [m * d(u, 2) + d(J), -d(u) + slip],
    dissipation=potential,
    free=3,
    relations=(d(u) - slip,),
    undecided="sticking and slipping have other ranks",
    hamiltonian=m * d(u) ** 2 / 2,
    power=-slip * d(J),
    charges=(m * d(u) + J,),
    rules={d(u, 2): -d(J) / m, d(u): slip},
)

# ---------------------------------------------------------------- first order in time

state(
    "first-order pair",
    "hand; HT ch. 1",
    (u, v),
    (v * d(u) - u * d(v)) / 2 - w * (u**2 + v**2) / 2,
    [d(v) + w * u, -d(u) + w * v],
    free=2,
    relations=(d(v) + w * u, d(u) - w * v),
    hamiltonian=w * (u**2 + v**2) / 2,
    rules={d(u): w * v, d(v): -w * u},
    run=Run({"omega": 2.0}, motion=Motion({U: w * W, W: -w * U}, {u: U, v: W}, {"U": 0.5, "W": 0.3}), data=("u", "v")),
)
state(
    "action in phase space",
    "LL §43",
    (x, p),
    p * d(x) - p**2 / (2 * m) - k * x**2 / 2,
    [d(p) + k * x, -d(x) + p / m],
    free=2,
    relations=(d(p) + k * x, m * d(x) - p),
    hamiltonian=p**2 / (2 * m) + k * x**2 / 2,
    no_charges=(p,),
    rules={d(x): p / m, d(p): -k * x},
    run=Run(
        {"m": 1.3, "k": 5.0}, motion=Motion({X: W / m, W: -k * X}, {x: X, p: W}, {"X": 0.4, "W": -0.7}), data=("x", "p")
    ),
)
state(
    "pendulum in phase space",
    "LL §43, a Hamiltonian that is not quadratic",
    (th, p),
    p * d(th) - p**2 / (2 * m * l**2) + m * g * l * cos(th),
    [d(p) + m * g * l * sin(th), -d(th) + p / (m * l**2)],
    free=2,
    relations=(d(p) + m * g * l * sin(th), m * l**2 * d(th) - p),
    hamiltonian=p**2 / (2 * m * l**2) - m * g * l * cos(th),
    rules={d(th): p / (m * l**2), d(p): -m * g * l * sin(th)},
    run=Run(
        {"m": 1.3, "l": 0.9, "g": 9.81},
        duration=1.5,
        motion=Motion({TH: W / (m * l**2), W: -m * g * l * sin(TH)}, {th: TH, p: W}, {"Theta": 1.2, "W": 0.5}),
        data=("theta", "p"),
    ),
)
al, be, ga, de = positive("alpha beta gamma delta")
state(
    "Lotka and Volterra's fish",
    "Kerner, Bull. Math. Biophys. 26 (1964) 333: logarithms of prey and predators are canonical",
    (u, v),
    (v * d(u) - u * d(v)) / 2 - al * v + be * exp(v) - ga * u + de * exp(u),
    [d(v) + ga - de * exp(u), -d(u) + al - be * exp(v)],
    free=2,
    relations=(d(v) + ga - de * exp(u), d(u) - al + be * exp(v)),
    hamiltonian=al * v - be * exp(v) + ga * u - de * exp(u),
    rules={d(u): al - be * exp(v), d(v): -ga + de * exp(u)},
    run=Run(
        {"alpha": 1.1, "beta": 0.8, "gamma": 0.9, "delta": 0.7},
        duration=3.0,
        motion=Motion({U: al - be * exp(W), W: -ga + de * exp(U)}, {u: U, v: W}, {"U": 0.5, "W": -0.3}),
        data=("u", "v"),
    ),
)
state(
    "charge without mass in a strong magnetic field",
    "Dunne, Jackiw & Trugenberger, Phys. Rev. D 41 (1990) 661: the drift along equipotentials",
    (x, y),
    b * (x * d(y) - y * d(x)) / 2 - k * (x**2 + y**2) / 2 - a * x**4 / 4,
    [-b * d(y) + k * x + a * x**3, b * d(x) + k * y],
    free=2,
    relations=(b * d(y) - k * x - a * x**3, b * d(x) + k * y),
    hamiltonian=k * (x**2 + y**2) / 2 + a * x**4 / 4,
    rules={d(x): -k * y / b, d(y): (k * x + a * x**3) / b},
    run=Run(
        {"b": 2.0, "k": 3.0, "a": 1.0},
        motion=Motion({X: -k * Y / b, Y: (k * X + a * X**3) / b}, {x: X, y: Y}, {"X": 0.8, "Y": 0.3}),
        data=("x", "y"),
    ),
)
state(
    "spring and dashpot without mass",
    "Maxwell's other limit: Flügge, Viscoelasticity (Kelvin's element creeping under a load)",
    (x,),
    -k * x**2 / 2,
    [c * d(x) + k * x - F * cos(w * t)],
    dissipation=c * d(x) ** 2 / 2,
    loads={x: F * cos(w * t)},
    free=1,
    relations=(c * d(x) + k * x - F * cos(w * t),),
    hamiltonian=k * x**2 / 2,
    power=-c * d(x) ** 2 + F * cos(w * t) * d(x),
    rules={d(x): (F * cos(w * t) - k * x) / c},
    run=Run(
        {"c": 1.5, "k": 3.0, "F": 1.0, "omega": 2.0},
        motion=Motion({X: (F * cos(w * t) - k * X) / c}, {x: X}, {"X": 0.6}),
        data=("x",),
    ),
)

# ---------------------------------------------------------------- algebraic fields and massless joints

state(
    "mass on two springs with a massless joint",
    "hand: y = x/2 is no datum",
    (x, y),
    T1 - k * (x - y) ** 2 / 2 - k * y**2 / 2,
    [m * d(x, 2) + k * (x - y), k * (2 * y - x)],
    free=2,
    relations=(2 * y - x, 2 * d(y) - d(x)),
    hamiltonian=T1 + k * (x - y) ** 2 / 2 + k * y**2 / 2,
    rules={y: x / 2, d(x, 2): -k * x / (2 * m)},
    run=Run(
        {"m": 1.0, "k": 8.0},
        motion=Motion({X: W, W: -k * X / (2 * m)}, {x: X, y: X / 2}, {"X": 1.0, "W": 0.4}),
        data=("x", "x_dot"),
    ),
)
state(
    "mass on a hardening spring with a massless joint",
    "hand: k(x − y) = k y + b y³ is solved for x, not for y",
    (x, y),
    T1 - k * (x - y) ** 2 / 2 - k * y**2 / 2 - b * y**4 / 4,
    [m * d(x, 2) + k * (x - y), k * (2 * y - x) + b * y**3],
    free=2,
    relations=(k * (2 * y - x) + b * y**3, (2 * k + 3 * b * y**2) * d(y) - k * d(x)),
    hamiltonian=T1 + k * (x - y) ** 2 / 2 + k * y**2 / 2 + b * y**4 / 4,
    rules={x: 2 * y + b * y**3 / k},
    run=Run(
        {"m": 1.0, "k": 8.0, "b": 20.0},
        motion=Motion(
            {Y: W, W: (-(k * Y + b * Y**3) / m - 6 * b * Y * W**2 / k) / (2 + 3 * b * Y**2 / k)},
            {y: Y, x: 2 * Y + b * Y**3 / k},
            {"Y": 0.5, "W": 0.4},
        ),
        data=("x", "x_dot"),
        algebraic=(y,),
    ),
)
state(
    "piezoelectric oscillator, open circuit",
    "Preumont, Mechatronics: the voltage is algebraic, the spring stiffer by e²/C",
    (x, V),
    T1 - k * x**2 / 2 - e * x * V + Ca * V**2 / 2,
    [m * d(x, 2) + k * x + e * V, e * x - Ca * V],
    free=2,
    relations=(e * x - Ca * V, e * d(x) - Ca * d(V)),
    hamiltonian=T1 + k * x**2 / 2 + e * x * V - Ca * V**2 / 2,
    rules={V: e * x / Ca, d(x, 2): -(k + e**2 / Ca) * x / m},
    run=Run(
        {"m": 1.0, "k": 4.0, "e": 0.8, "C": 0.5},
        motion=Motion({X: W, W: -(k + e**2 / Ca) * X / m}, {x: X, V: e * X / Ca}, {"X": 0.6, "W": -0.3}),
        data=("x", "x_dot"),
    ),
)
state(
    "piezoelectric oscillator with a resistor",
    "Preumont, Mechatronics: flux linkage λ as coordinate, V = λ̇",
    (x, lam),
    T1 - k * x**2 / 2 - e * x * d(lam) + Ca * d(lam) ** 2 / 2,
    [m * d(x, 2) + k * x + e * d(lam), Ca * d(lam, 2) - e * d(x) + d(lam) / R],
    dissipation=d(lam) ** 2 / (2 * R),
    free=4,
    hamiltonian=T1 + k * x**2 / 2 + Ca * d(lam) ** 2 / 2,
    power=-(d(lam) ** 2) / R,
    charges=(Ca * d(lam) - e * x + lam / R,),
    no_charges=(Ca * d(lam) - e * x,),
    run=Run({"m": 1.0, "k": 4.0, "e": 0.8, "C": 0.5, "R": 1.5}, {"x": 0.6, "x_dot": -0.3, "lambda_dot": 0.4}),
)
state(
    "mass on a Maxwell element",
    "Flügge, Viscoelasticity",
    (x, y),
    T1 - k * (x - y) ** 2 / 2,
    [m * d(x, 2) + k * (x - y), c * d(y) - k * (x - y)],
    dissipation=c * d(y) ** 2 / 2,
    free=3,
    relations=(c * d(y) - k * (x - y),),
    hamiltonian=T1 + k * (x - y) ** 2 / 2,
    power=-c * d(y) ** 2,
    charges=(m * d(x) + c * y,),
    no_charges=(m * d(x),),
    rules={d(x, 2): -k * (x - y) / m, d(y): k * (x - y) / c},
    run=Run(
        {"m": 1.0, "k": 8.0, "c": 3.0},
        motion=Motion({X: W, W: -k * (X - Y) / m, Y: k * (X - Y) / c}, {x: X, y: Y}, {"X": 0.5, "W": 0.4, "Y": 0.1}),
        data=("x", "x_dot", "y"),
    ),
)
state(
    "mass on a Zener element",
    "Flügge, Viscoelasticity (standard solid)",
    (x, y),
    T1 - b * x**2 / 2 - k * (x - y) ** 2 / 2,
    [m * d(x, 2) + b * x + k * (x - y), c * d(y) - k * (x - y)],
    dissipation=c * d(y) ** 2 / 2,
    free=3,
    relations=(c * d(y) - k * (x - y),),
    hamiltonian=T1 + b * x**2 / 2 + k * (x - y) ** 2 / 2,
    power=-c * d(y) ** 2,
    no_charges=(m * d(x) + c * y,),
    rules={d(x, 2): -(b * x + k * (x - y)) / m, d(y): k * (x - y) / c},
    run=Run(
        {"m": 1.0, "k": 8.0, "c": 3.0, "b": 5.0},
        motion=Motion(
            {X: W, W: -(b * X + k * (X - Y)) / m, Y: k * (X - Y) / c}, {x: X, y: Y}, {"X": 0.5, "W": 0.4, "Y": 0.1}
        ),
        data=("x", "x_dot", "y"),
    ),
)

# ---------------------------------------------------------------- gauges

state(
    "Christ and Lee's model",
    "Christ & Lee, Phys. Rev. D 22 (1980) 939",
    (r, th, z),
    d(r) ** 2 / 2 + r**2 * (d(th) - z) ** 2 / 2 - k * r**2 / 2,
    [d(r, 2) - r * (d(th) - z) ** 2 + k * r, d(r**2 * (d(th) - z)), r**2 * (d(th) - z)],
    free=2,
    gauges=1,
    relations=(r * (d(th) - z),),
    undecided="at r = 0 the rank is another",
    hamiltonian=d(r) ** 2 / 2 + r**2 * d(th) ** 2 / 2 - r**2 * z**2 / 2 + k * r**2 / 2,
    charges=(r**2 * (d(th) - z),),
    rules={d(th): z, d(r, 2): -k * r},
)
state(
    "Christ and Lee's model in Cartesian coordinates",
    "Christ & Lee, Phys. Rev. D 22 (1980) 939",
    (x, y, z),
    ((d(x) + z * y) ** 2 + (d(y) - z * x) ** 2) / 2 - k * (x**2 + y**2) / 2,
    [
        d(x, 2) + 2 * z * d(y) + y * d(z) - x * z**2 + k * x,
        d(y, 2) - 2 * z * d(x) - x * d(z) - y * z**2 + k * y,
        x * d(y) - y * d(x) - z * (x**2 + y**2),
    ],
    free=2,
    gauges=1,
    relations=(x * d(y) - y * d(x) - z * (x**2 + y**2),),
    hamiltonian=(d(x) ** 2 + d(y) ** 2 - z**2 * (x**2 + y**2)) / 2 + k * (x**2 + y**2) / 2,
    charges=(x * d(y) - y * d(x) - z * (x**2 + y**2),),
    rules={
        d(y): (y * d(x) + z * (x**2 + y**2)) / x,
        d(x, 2): -2 * z * (y * d(x) + z * (x**2 + y**2)) / x - y * d(z) + x * z**2 - k * x,
    },
)
state(
    "Cawley's counterexample",
    "Cawley, Phys. Rev. Lett. 42 (1979) 413: z² = 0 is no regular constraint",
    (x, y, z),
    d(x) * d(z) + y * z**2 / 2,
    [d(z, 2), -(z**2) / 2, d(x, 2) - y * z],
    free=2,
    gauges=1,
    relations=(z, d(z)),
    hamiltonian=d(x) * d(z) - y * z**2 / 2,
    rules={z: sp.S.Zero, d(x, 2): sp.S.Zero},
)
state(
    "a rate that is a gauge",
    "HT ch. 1; D lecture 1",
    (q1, q2),
    (d(q1) - q2) ** 2 / 2,
    [d(q1, 2) - d(q2), d(q1) - q2],
    free=0,
    gauges=1,
    relations=(d(q1) - q2,),
    hamiltonian=d(q1) ** 2 / 2 - q2**2 / 2,
    charges=(d(q1) - q2,),
    rules={d(q1): q2},
)
state(
    "Rothe's singular pair",
    "RR: ½ẋ² + ẋy + ½(x − y)²",
    (x, y),
    d(x) ** 2 / 2 + y * d(x) + (x - y) ** 2 / 2,
    [d(x, 2) + d(y) - (x - y), -d(x) + x - y],
    free=0,
    gauges=1,
    relations=(d(x) - x + y,),
    hamiltonian=d(x) ** 2 / 2 - (x - y) ** 2 / 2,
    rules={d(x): x - y},
)
state(
    "only the distance moves",
    "hand: the sum is a gauge",
    (x, y),
    m * d(x - y) ** 2 / 2 - k * (x - y) ** 2 / 2,
    [m * d(x - y, 2) + k * (x - y), -m * d(x - y, 2) - k * (x - y)],
    free=2,
    gauges=1,
    hamiltonian=m * d(x - y) ** 2 / 2 + k * (x - y) ** 2 / 2,
    rules={d(x, 2): d(y, 2) - k * (x - y) / m},
)
state(
    "oscillator with time as a coordinate",
    "D lecture 1; RR; Lanczos, Variational Principles, on the parametric form",
    (x, T),
    m * d(x) ** 2 / (2 * d(T)) - k * x**2 * d(T) / 2,
    [d(m * d(x) / d(T)) + k * x * d(T), -d(m * d(x) ** 2 / (2 * d(T) ** 2) + k * x**2 / 2)],
    free=2,
    gauges=1,
    hamiltonian=sp.S.Zero,
    charges=(m * d(x) ** 2 / (2 * d(T) ** 2) + k * x**2 / 2,),
    no_charges=(m * d(x) / d(T),),
    rules={d(x, 2): d(x) * d(T, 2) / d(T) - k * x * d(T) ** 2 / m},
)
state(
    "free relativistic particle with its own clock",
    "D lecture 1; LL, Theory of Fields",
    (x, T),
    -m * sqrt(d(T) ** 2 - d(x) ** 2),
    [d(m * d(x) / sqrt(d(T) ** 2 - d(x) ** 2)), -d(m * d(T) / sqrt(d(T) ** 2 - d(x) ** 2))],
    free=2,
    gauges=1,
    hamiltonian=sp.S.Zero,
    charges=(m * d(x) / sqrt(d(T) ** 2 - d(x) ** 2), m * d(T) / sqrt(d(T) ** 2 - d(x) ** 2)),
    rules={d(x, 2): d(x) * d(T, 2) / d(T)},
)

# ---------------------------------------------------------------- holonomic constraints

GRAVITY = T2 - m * g * y
swing = Motion({TH: OM, OM: -g / l * sin(TH)}, {x: l * sin(TH), y: -l * cos(TH)}, {"Theta": 1.0, "Omega": 0.6})
state(
    "pendulum by an impulse multiplier",
    "Kim's idiom; the plane pendulum in Cartesian coordinates, G ch. 2",
    (x, y, lam),
    GRAVITY + d(lam) * (x**2 + y**2 - l**2) / 2,
    [m * d(x, 2) - d(lam) * x, m * d(y, 2) + m * g - d(lam) * y, x * d(x) + y * d(y)],
    free=3,  # λ(0) is one of them: it only sets a constant
    relations=(x**2 + y**2 - l**2, x * d(x) + y * d(y)),
    hamiltonian=T2 + m * g * y,
    reactions={d(lam): m * (x * d(x, 2) + y * d(y, 2) + g * y) / l**2},
    run=Run({"m": 1.3, "l": 0.9, "g": 9.81}, duration=1.2, motion=swing, data=("x", "y", "x_dot", "y_dot")),
)
state(
    "pendulum by a multiplier",
    "G ch. 2",
    (x, y, lam),
    GRAVITY + lam * (x**2 + y**2 - l**2),
    [m * d(x, 2) - 2 * lam * x, m * d(y, 2) + m * g - 2 * lam * y, -(x**2 + y**2 - l**2)],
    free=2,
    relations=(x**2 + y**2 - l**2, x * d(x) + y * d(y)),
    hamiltonian=T2 + m * g * y - lam * (x**2 + y**2 - l**2),
    reactions={lam: m * (x * d(x, 2) + y * d(y, 2) + g * y) / (2 * l**2)},
    run=Run({"m": 1.3, "l": 0.9, "g": 9.81}, duration=1.2, motion=swing, data=("x", "y", "x_dot", "y_dot")),
)
state(
    "pendulum by a stated constraint",
    "G ch. 2",
    (x, y),
    GRAVITY,
    [m * d(x, 2) - 2 * L1 * x, m * d(y, 2) + m * g - 2 * L1 * y],
    constraints=(x**2 + y**2 - l**2,),
    free=2,
    relations=(x**2 + y**2 - l**2, x * d(x) + y * d(y)),
    hamiltonian=T2 + m * g * y,
    reactions={L1: m * (x * d(x, 2) + y * d(y, 2) + g * y) / (2 * l**2)},
    run=Run({"m": 1.3, "l": 0.9, "g": 9.81}, duration=1.2, motion=swing, data=("x", "y", "x_dot", "y_dot")),
)
state(
    "bead on a parabola",
    "hand; y = x²/2a",
    (x, y, lam),
    GRAVITY + d(lam) * (y - x**2 / (2 * a)),
    [m * d(x, 2) + d(lam) * x / a, m * d(y, 2) + m * g - d(lam), d(y) - x * d(x) / a],
    free=3,  # λ(0) is one of them: it only sets a constant
    relations=(y - x**2 / (2 * a), d(y) - x * d(x) / a),
    hamiltonian=T2 + m * g * y,
    reactions={d(lam): m * (d(y, 2) + g)},
    run=Run(
        {"m": 1.0, "g": 9.81, "a": 0.8},
        duration=1.2,
        motion=Motion(
            {X: W, W: -(X * W**2 / a**2 + g * X / a) / (1 + X**2 / a**2)},
            {x: X, y: X**2 / (2 * a)},
            {"X": 0.7, "W": 0.5},
        ),
        data=("x", "y", "x_dot", "y_dot"),
    ),
)
state(
    "spherical pendulum by a stated constraint",
    "G exercise 1.19; the moment about the vertical is kept",
    (x, y, z),
    T3 - m * g * z,
    [m * d(x, 2) - 2 * L1 * x, m * d(y, 2) - 2 * L1 * y, m * d(z, 2) + m * g - 2 * L1 * z],
    constraints=(x**2 + y**2 + z**2 - l**2,),
    free=4,
    relations=(x**2 + y**2 + z**2 - l**2, x * d(x) + y * d(y) + z * d(z)),
    hamiltonian=T3 + m * g * z,
    charges=(m * (x * d(y) - y * d(x)),),
    no_charges=(m * d(x), m * (y * d(z) - z * d(y))),
    reactions={L1: m * (x * d(x, 2) + y * d(y, 2) + z * d(z, 2) + g * z) / (2 * l**2)},
    run=Run(
        {"m": 1.3, "l": 0.9, "g": 9.81},
        duration=1.0,
        motion=Motion(
            {TH: OM, OM: sin(TH) * cos(TH) * W**2 - g / l * sin(TH), PH: W, W: -2 * cos(TH) / sin(TH) * OM * W},
            {x: l * sin(TH) * cos(PH), y: l * sin(TH) * sin(PH), z: -l * cos(TH)},
            {"Theta": 1.0, "Omega": 0.5, "Phi": 0.2, "W": 2.5},
        ),
        data=("x", "y", "z", "x_dot", "y_dot", "z_dot"),
    ),
)
delta = TH - B2
determinant = m1 + m2 * sin(delta) ** 2
alpha1 = (
    -m2 * sin(delta) * (l1 * OM**2 * cos(delta) + l2 * WB**2) - (m1 + m2) * g * sin(TH) + m2 * g * sin(B2) * cos(delta)
) / (l1 * determinant)
alpha2 = (
    (m1 + m2) * (l1 * OM**2 * sin(delta) - g * sin(B2) + g * sin(TH) * cos(delta))
    + m2 * l2 * WB**2 * sin(delta) * cos(delta)
) / (l2 * determinant)
lower = m2 * ((x2 - x1) * d(x2, 2) + (y2 - y1) * (d(y2, 2) + g)) / (2 * l2**2)
state(
    "double pendulum by stated constraints",
    "LL §5 in Cartesian coordinates",
    (x1, y1, x2, y2),
    m1 * (d(x1) ** 2 + d(y1) ** 2) / 2 + m2 * (d(x2) ** 2 + d(y2) ** 2) / 2 - m1 * g * y1 - m2 * g * y2,
    [
        m1 * d(x1, 2) - 2 * L1 * x1 + 2 * L2 * (x2 - x1),
        m1 * d(y1, 2) + m1 * g - 2 * L1 * y1 + 2 * L2 * (y2 - y1),
        m2 * d(x2, 2) - 2 * L2 * (x2 - x1),
        m2 * d(y2, 2) + m2 * g - 2 * L2 * (y2 - y1),
    ],
    constraints=(x1**2 + y1**2 - l1**2, (x2 - x1) ** 2 + (y2 - y1) ** 2 - l2**2),
    free=4,
    relations=(
        x1**2 + y1**2 - l1**2,
        (x2 - x1) ** 2 + (y2 - y1) ** 2 - l2**2,
        x1 * d(x1) + y1 * d(y1),
        (x2 - x1) * d(x2 - x1) + (y2 - y1) * d(y2 - y1),
    ),
    hamiltonian=m1 * (d(x1) ** 2 + d(y1) ** 2) / 2 + m2 * (d(x2) ** 2 + d(y2) ** 2) / 2 + m1 * g * y1 + m2 * g * y2,
    reactions={
        L1: (m1 * (x1 * d(x1, 2) + y1 * (d(y1, 2) + g)) + 2 * lower * ((x2 - x1) * x1 + (y2 - y1) * y1)) / (2 * l1**2),
        L2: lower,
    },
    run=Run(
        {"m_1": 1.0, "m_2": 0.7, "l_1": 1.0, "l_2": 0.8, "g": 9.81},
        duration=1.0,
        motion=Motion(
            {TH: OM, B2: WB, OM: alpha1, WB: alpha2},
            {x1: l1 * sin(TH), y1: -l1 * cos(TH), x2: l1 * sin(TH) + l2 * sin(B2), y2: -l1 * cos(TH) - l2 * cos(B2)},
            {"Theta": 0.8, "Beta": 0.3, "Omega": 0.3, "Omega_2": -0.4},
        ),
        data=("x_1", "y_1", "x_2", "y_2", "x_1_dot", "y_1_dot", "x_2_dot", "y_2_dot"),
    ),
)
state(
    "Atwood's machine",
    "G ch. 1",
    (x1, x2),
    m1 * d(x1) ** 2 / 2 + m2 * d(x2) ** 2 / 2 + m1 * g * x1 + m2 * g * x2,
    [m1 * d(x1, 2) - m1 * g - L1, m2 * d(x2, 2) - m2 * g - L1],
    constraints=(x1 + x2 - l,),
    free=2,
    relations=(x1 + x2 - l, d(x1 + x2)),
    hamiltonian=m1 * d(x1) ** 2 / 2 + m2 * d(x2) ** 2 / 2 - m1 * g * x1 - m2 * g * x2,
    reactions={L1: m1 * (d(x1, 2) - g)},
    run=Run(
        {"m_1": 1.0, "m_2": 0.7, "g": 9.81, "l": 1.5},
        motion=Motion({X: W, W: (m1 - m2) * g / (m1 + m2)}, {x1: X, x2: l - X}, {"X": 0.4, "W": -0.3}),
        data=("x_1", "x_2", "x_1_dot", "x_2_dot"),
        smooth=False,  # parabolas in time: exact at every degree
    ),
)
state(
    "hoop that rolls on a line, held by a spring",
    "G ch. 2: ẋ = Rθ̇ is integrable",
    (x, th),
    T1 + I0 * d(th) ** 2 / 2 - k * x**2 / 2 - b * x**4 / 4,
    [m * d(x, 2) + k * x + b * x**3 - L1, I0 * d(th, 2) + R * L1],
    constraints=(d(x) - R * d(th),),
    free=3,
    relations=(d(x) - R * d(th),),
    hamiltonian=T1 + I0 * d(th) ** 2 / 2 + k * x**2 / 2 + b * x**4 / 4,
    reactions={L1: m * d(x, 2) + k * x + b * x**3},
    run=Run(
        {"m": 1.0, "I": 0.4, "R": 0.7, "k": 5.0, "b": 4.0},
        motion=Motion(
            {X: W, W: -(k * X + b * X**3) / (m + I0 / R**2), TH: W / R},
            {x: X, th: TH},
            {"X": 0.6, "W": 0.3, "Theta": 0.1},
        ),
        data=("x", "theta", "x_dot", "theta_dot"),
    ),
)

# ---------------------------------------------------------------- nonholonomic, by Lagrange and d'Alembert

edge = d(x) * sin(ph) - d(y) * cos(ph)
state(
    "knife edge on a slope",
    "NF; B: it does not slide down, but sideways in cycloids",
    (x, y, ph),
    T2 + I0 * d(ph) ** 2 / 2 + m * g * x,
    [m * d(x, 2) - m * g - L1 * sin(ph), m * d(y, 2) + L1 * cos(ph), I0 * d(ph, 2)],
    constraints=(edge,),
    free=5,
    relations=(edge,),
    hamiltonian=T2 + I0 * d(ph) ** 2 / 2 - m * g * x,
    charges=(I0 * d(ph),),
    no_charges=(m * d(y),),
    reactions={L1: m * (d(x, 2) - g) * sin(ph) - m * d(y, 2) * cos(ph)},
    run=Run(
        {"m": 1.0, "I": 0.5, "g": 4.0},
        motion=Motion(
            {X: S * cos(PH), Y: S * sin(PH), PH: W, S: g * cos(PH), W: sp.S.Zero},
            {x: X, y: Y, ph: PH},
            {"X": 0.1, "Y": 0.2, "Phi": 0.3, "S": 0.5, "W": 2.0},
        ),
        data=("x", "y", "phi", "x_dot", "y_dot", "phi_dot"),
    ),
)
state(
    "upright rolling disk",
    "B",
    (x, y, th, ph),
    T2 + I0 * d(th) ** 2 / 2 + J0 * d(ph) ** 2 / 2,
    [m * d(x, 2) - L1, m * d(y, 2) - L2, I0 * d(th, 2) + R * (L1 * cos(ph) + L2 * sin(ph)), J0 * d(ph, 2)],
    constraints=(d(x) - R * cos(ph) * d(th), d(y) - R * sin(ph) * d(th)),
    free=6,
    relations=(d(x) - R * cos(ph) * d(th), d(y) - R * sin(ph) * d(th)),
    undecided="reactions of two constraints, not linear in the rates",
    hamiltonian=T2 + I0 * d(th) ** 2 / 2 + J0 * d(ph) ** 2 / 2,
    charges=(J0 * d(ph),),
    no_charges=(m * d(x), m * d(y)),
    reactions={L1: m * d(x, 2), L2: m * d(y, 2)},
    run=Run(
        {"m": 1.0, "I": 0.4, "J": 0.3, "R": 0.7},
        motion=Motion(
            {X: R * cos(PH) * S, Y: R * sin(PH) * S, TH: S, PH: W, S: sp.S.Zero, W: sp.S.Zero},
            {x: X, y: Y, th: TH, ph: PH},
            {"X": 0.1, "Y": 0.2, "Theta": 0.0, "Phi": 0.3, "S": 1.5, "W": 1.0},
        ),
        data=("x", "y", "theta", "phi", "x_dot", "y_dot", "theta_dot", "phi_dot"),
    ),
)
state(
    "Chaplygin's sleigh",
    "B: v̇ = aω², ω̇ = −mavω/(I + ma²)",
    (x, y, ph),
    m * ((d(x) - a * sin(ph) * d(ph)) ** 2 + (d(y) + a * cos(ph) * d(ph)) ** 2) / 2 + I0 * d(ph) ** 2 / 2,
    [
        m * (d(x, 2) - a * sin(ph) * d(ph, 2) - a * cos(ph) * d(ph) ** 2) + L1 * sin(ph),
        m * (d(y, 2) + a * cos(ph) * d(ph, 2) - a * sin(ph) * d(ph) ** 2) - L1 * cos(ph),
        (I0 + m * a**2) * d(ph, 2) + m * a * (cos(ph) * d(y, 2) - sin(ph) * d(x, 2)),
    ],
    constraints=(d(y) * cos(ph) - d(x) * sin(ph),),
    free=5,
    relations=(d(y) * cos(ph) - d(x) * sin(ph),),
    hamiltonian=m * ((d(x) - a * sin(ph) * d(ph)) ** 2 + (d(y) + a * cos(ph) * d(ph)) ** 2) / 2 + I0 * d(ph) ** 2 / 2,
    no_charges=(m * (d(x) - a * sin(ph) * d(ph)), (I0 + m * a**2) * d(ph)),
    reactions={L1: m * (d(y, 2) * cos(ph) - d(x, 2) * sin(ph) + a * d(ph, 2))},
    run=Run(
        {"m": 1.0, "I": 0.4, "a": 0.5},
        motion=Motion(
            {X: S * cos(PH), Y: S * sin(PH), PH: W, S: a * W**2, W: -m * a * S * W / (I0 + m * a**2)},
            {x: X, y: Y, ph: PH},
            {"X": 0.1, "Y": 0.2, "Phi": 0.3, "S": -0.5, "W": 1.5},
        ),
        data=("x", "y", "phi", "x_dot", "y_dot", "phi_dot"),
    ),
)
state(
    "Rosenberg's particle",
    "Rosenberg, Analytical Dynamics of Discrete Systems (1977); B: ż = yẋ",
    (x, y, z),
    T3,
    [m * d(x, 2) + L1 * y, m * d(y, 2), m * d(z, 2) - L1],
    constraints=(d(z) - y * d(x),),
    free=5,
    relations=(d(z) - y * d(x),),
    hamiltonian=T3,
    charges=(m * d(y),),
    no_charges=(m * d(x), m * d(z)),
    reactions={L1: m * d(z, 2)},
    run=Run(
        {"m": 1.0},
        motion=Motion(
            {X: S, Y: W, Z: Y * S, S: -Y * W * S / (1 + Y**2), W: sp.S.Zero},
            {x: X, y: Y, z: Z},
            {"X": 0.1, "Y": 0.4, "Z": 0.2, "S": 0.8, "W": 0.7},
        ),
        data=("x", "y", "z", "x_dot", "y_dot", "z_dot"),
    ),
)
state(
    "Rosenberg's particle in a well",
    "B, with a spring across; hand",
    (x, y, z),
    T3 - k * y**2 / 2,
    [m * d(x, 2) + L1 * y, m * d(y, 2) + k * y, m * d(z, 2) - L1],
    constraints=(d(z) - y * d(x),),
    free=5,
    relations=(d(z) - y * d(x),),
    hamiltonian=T3 + k * y**2 / 2,
    no_charges=(m * d(x), m * d(y)),
    reactions={L1: m * d(z, 2)},
    run=Run(
        {"m": 1.0, "k": 4.0},
        motion=Motion(
            {X: S, Y: W, Z: Y * S, S: -Y * W * S / (1 + Y**2), W: -k * Y / m},
            {x: X, y: Y, z: Z},
            {"X": 0.1, "Y": 0.4, "Z": 0.2, "S": 0.8, "W": 0.7},
        ),
        data=("x", "y", "z", "x_dot", "y_dot", "z_dot"),
    ),
)

# ---------------------------------------------------------------- refused, and why

mu = sp.Symbol("mu", positive=True)
N = sp.Function("N")(t)
state(
    "knife edge by a multiplier in L",
    "Arnold, Kozlov & Neishtadt, Mathematical Aspects: stationary action is another motion",
    (x, y, ph, lam),
    T2 + I0 * d(ph) ** 2 / 2 + lam * edge,
    refused="vakonomic",
)
state(
    "knife edge by an impulse multiplier in L",
    "as above, in the idiom of impulses",
    (x, y, ph, lam),
    T2 + I0 * d(ph) ** 2 / 2 + d(lam) * edge,
    refused="vakonomic",
)
state(
    "unit speed by a multiplier in L",
    "as above",
    (x, y, lam),
    T2 + lam * (d(x) ** 2 + d(y) ** 2 - 1),
    refused="vakonomic",
)
state(
    "unit speed by a stated constraint",
    "NF: not linear in the rates, so d'Alembert's principle does not say which force acts",
    (x, y),
    T2 - m * g * y,
    constraints=(d(x) ** 2 + d(y) ** 2 - 1,),
    refused="linear",
)
state(
    "Coulomb friction under a normal force that moves",
    "Moreau: the limit μN is no constant, so there is no potential",
    (x, N),
    m * (d(x) ** 2 + d(N) ** 2) / 2 - d(N) * x,
    dissipation=mu * d(N) * sp.Abs(d(x)),
    refused="non-associated",
)
state("Dirac's contradiction", "D lecture 1: L = q gives 1 = 0", (x,), x, refused="no equation determines")
state(
    "two constraints that cannot both hold",
    "hand",
    (x, y),
    T2,
    constraints=(x - y, x - y - 1),
    refused="no place was found at which it holds together",
)
state(
    "a rate that enters twice", "Ostrogradsky: L(q, q̇, q̈)", (x,), T1 - k * d(x, 2) ** 2 / 2, refused="rates enter once"
)
