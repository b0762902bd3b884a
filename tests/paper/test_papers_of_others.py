# ruff: noqa: E501, N816  (formulas stand on one line, parameters are called as in the formulas)
r"""Short papers as others write them, with right and wrong equations: a wrong one is found, a right one never called so.

The equations are textbook knowledge, written by hand: double pendulum, string with a mass at its end, cantilever,
van der Pol's oscillator, knife edge and pendulum with their reactions, a chain in index notation. In front of each
stands what must be said of it: h(olds), m(isprint), c(ondition), d(efinition), n(ot understood).
"""

import warnings

import pytest
import sympy as sp
from misprints import misprints
from repetitions import chiefly

from hamex.cli import main
from hamex.errors import ConvexityWarning
from hamex.paper.audit.manuscript import read_manuscript
from hamex.paper.audit.open_audit import OpenAudit
from hamex.principle import Action, Part, t

VERDICT = {"h": "holds", "m": "misprint", "c": "holds with a condition", "d": "definition", "n": "not understood"}
m, l, g, k, mu, N, EI, rhoA, a, M_0 = sp.symbols("m l g k mu N EI rhoA a M_0", positive=True)
x, y, theta = (sp.Function(name)(t) for name in ("x", "y", "theta"))
X, Y = sp.symbols("x y", real=True)
w = sp.Function("w")(X, t)


def oscillator():
    u = sp.Function("u")(t)
    c = sp.Symbol("c", positive=True)
    return Action((u,), m * u.diff(t) ** 2 / 2 - k * u**2 / 2, c * u.diff(t) ** 2 / 2, {u: sp.Function("f")(t)})


def double_pendulum():
    (m1, m2), (l1, l2) = sp.symbols("m_1:3", positive=True), sp.symbols("l_1:3", positive=True)
    q1, q2 = sp.Function("theta_1")(t), sp.Function("theta_2")(t)
    kinetic = (m1 + m2) * l1**2 * q1.diff(t) ** 2 / 2 + m2 * l2**2 * q2.diff(t) ** 2 / 2
    kinetic += m2 * l1 * l2 * q1.diff(t) * q2.diff(t) * sp.cos(q1 - q2)
    return Action((q1, q2), sp.expand(kinetic) + (m1 + m2) * g * l1 * sp.cos(q1) + m2 * g * l2 * sp.cos(q2))


def string_with_mass():
    mass = Part({X: l}, "end", m * w.diff(t) ** 2 / 2 - k * w**2 / 2)
    return Action((w,), (mu * w.diff(t) ** 2 - N * w.diff(X) ** 2) / 2, space=(X,), parts=(mass,))


def beam():
    load = {w: sp.Function("q")(X, t)}
    return Action((w,), rhoA * w.diff(t) ** 2 / 2 - EI * w.diff(X, 2) ** 2 / 2, loads=load, space=(X,))


def cantilever():
    clamp = Part({X: sp.S.Zero}, "start", motions={w: sp.S.Zero, w.diff(X): sp.S.Zero})
    tip = Part({X: l}, "end", m * w.diff(t) ** 2 / 2, loads={w.diff(X): M_0})
    return Action((w,), rhoA * w.diff(t) ** 2 / 2 - EI * w.diff(X, 2) ** 2 / 2, space=(X,), parts=(clamp, tip))


def bead_on_a_string():
    bead = Part({X: a}, "inside", m * w.diff(t) ** 2 / 2)
    return Action((w,), (mu * w.diff(t) ** 2 - N * w.diff(X) ** 2) / 2, space=(X,), parts=(bead,))


def membrane():
    z = sp.Function("w")(X, Y, t)
    return Action((z,), mu * z.diff(t) ** 2 / 2 - N * (z.diff(X) ** 2 + z.diff(Y) ** 2) / 2, space=(X, Y))


def van_der_pol():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvexityWarning)
        return Action((x,), x.diff(t) ** 2 / 2 - x**2 / 2, mu * (x**2 - 1) * x.diff(t) ** 2 / 2)


def knife_edge():
    kinetic = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + sp.Symbol("I", positive=True) * theta.diff(t) ** 2 / 2
    return Action((x, y, theta), kinetic, constraints=(x.diff(t) * sp.sin(theta) - y.diff(t) * sp.cos(theta),))


def pendulum():
    kinetic = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
    return Action((x, y), kinetic - m * g * y, constraints=(x**2 + y**2 - l**2,))


def chain():
    q = [sp.Function(f"u_{i}")(t) for i in (1, 2, 3)]
    ms, ks = sp.symbols("m_1:4", positive=True), sp.symbols("k_1:4", positive=True)
    kinetic = sum(one * u.diff(t) ** 2 / 2 for one, u in zip(ms, q, strict=True))
    return Action(tuple(q), kinetic - sum(ks[i] * (q[i] - (q[i - 1] if i else 0)) ** 2 / 2 for i in range(3)))


PAPERS = {
    oscillator: r"""
h  m\,\frac{\mathrm{d}^2 u}{\mathrm{d}t^2} + c\,\frac{\mathrm{d}u}{\mathrm{d}t} + k u = f(t)
h  \begin{aligned} m\ddot{u}(t) + c\dot{u}(t) + k u(t) &= f(t), \\ u(0) &= u_0, \quad \dot u(0) = v_0 \end{aligned}
d  \omega_n = \sqrt{\frac{k}{m}}, \qquad \zeta = \frac{c}{2\sqrt{km}}
h  \ddot u + 2\zeta\omega_n\dot u + \omega_n^2 u = \frac{f}{m}
m  \ddot u + \zeta\omega_n\dot u + \omega_n^2 u = \frac{f}{m}
m  \ddot u + 2\zeta\omega_n\dot u + \omega_n u = \frac{f}{m}
h  u = u_0, \quad \dot u = v_0 \quad \text{at } t = 0
h  \dot{E} = f\dot u - c\dot u^2
m  \dot{E} = f\dot u + c\dot u^2
n  u(t) = A e^{-\zeta\omega_n t}\cos(\omega_d t)
n  \zeta < 1
n  m\ddot{u}_1 + k u_1 = 0
""",
    double_pendulum: r"""
h  T = \tfrac12 (m_1+m_2) l_1^2\dot\theta_1^2 + \tfrac12 m_2 l_2^2\dot\theta_2^2 + m_2 l_1 l_2\dot\theta_1\dot\theta_2\cos(\theta_1-\theta_2)
h  V = -(m_1+m_2) g l_1\cos\theta_1 - m_2 g l_2\cos\theta_2
h  L = T - V
h  (m_1+m_2)l_1\ddot\theta_1 + m_2 l_2\ddot\theta_2\cos(\theta_1-\theta_2) + m_2 l_2 \dot\theta_2^2\sin(\theta_1-\theta_2) + (m_1+m_2) g\sin\theta_1 = 0
m  l_2\ddot\theta_2 + l_1\ddot\theta_1\cos(\theta_1-\theta_2) + l_1\dot\theta_1^2\sin(\theta_1-\theta_2) + g\sin\theta_2 = 0
h  \frac{d}{dt}\frac{\partial L}{\partial\dot\theta_i} - \frac{\partial L}{\partial\theta_i} = 0, \qquad i=1,2
m  \frac{\mathrm d}{\mathrm dt}\frac{\partial L}{\partial\dot\theta_i} + \frac{\partial L}{\partial\theta_i} = 0, \qquad i=1,2
n  \frac{d}{dt}\frac{\partial L}{\partial\dot\theta_i} - \frac{\partial L}{\partial\theta_i} = 0, \qquad j=1,2
h  H = \sum_{i=1}^{2} p_i \dot\theta_i - L
m  H = \sum_{i=1}^{2} p_i \dot\theta_i + L
h  T + V = \text{const.}
""",
    string_with_mass: r"""
h  L = \int_0^\ell \tfrac12\left(\mu\dot w^2 - N w'^2\right)dx + \tfrac12 m\dot w(\ell,t)^2 - \tfrac12 k w^2(\ell,t)
m  L = \int_0^\ell \tfrac12\left(\mu\dot w^2 - N w'^2\right)dx + m\dot w(\ell,t)^2 - \tfrac12 k w(\ell,t)^2
h  T = \frac{\mu}{2}\int_0^\ell \left(\frac{\partial w}{\partial t}\right)^2 dx + \frac{m}{2}\left.\left(\frac{\partial w}{\partial t}\right)^2\right|_{x=\ell}
n  T = \frac{\mu}{2}\int_1^\ell \left(\frac{\partial w}{\partial t}\right)^2 dx + \frac{m}{2}\left.\left(\frac{\partial w}{\partial t}\right)^2\right|_{x=\ell}
h  \mu w_{tt} = N w_{xx}
m  \mu w_{tt} + N w_{xx} = 0
h  m\ddot w(l,t) + k w(l,t) + N w'(l,t) = 0
h  m w_{tt} = -k w - N w_x \quad \text{at $x=\ell$}
m  m\ddot w(l,t) + k w(l,t) = N w'(l,t)
m  w(\ell,t) = 0
n  m\ddot w(0,t) + k w(l,t) + N w'(l,t) = 0
h  w = 0, \quad x = 0
m  w''(0,t) = 0
n  w(1,t) = 0
d  c^2 = \frac{N}{\mu}
h  \partial_{tt} w = c^2\,\partial_{xx} w
h  w(x,0) = f(x), \quad \dot w(x,0)=0
n  w(x,1) = f(x)
h  \delta \int_{t_1}^{t_2} L\,dt = 0
h  \delta A = \int_0^T\int_0^\ell(\mu\dot w\delta\dot w - N w'\delta w')dx\,dt + \int_0^T (m\dot w(\ell,t)\,\delta\dot w(\ell,t) - k w(\ell,t)\delta w(\ell,t))dt
m  \delta A = \int_0^T\int_0^\ell(\mu\dot w\delta\dot w - N w'\delta w')dx\,dt + \int_0^T (m\dot w(\ell,t)\,\delta\dot w(\ell,t) + k w(\ell,t)\delta w(\ell,t))dt
c  \int_0^\ell\left(\mu\dot w^2 + N w'^2\right)dx = \text{const}
m  \int_0^\ell\left(\mu\dot w^2 - N w'^2\right)dx = \text{const}
""",
    beam: r"""
h  EI\,\frac{\partial^4 w}{\partial x^4} + \rho A\,\frac{\partial^2 w}{\partial t^2} = q(x,t)
m  EI w'''' - \rho A \ddot w = q
n  EI\,\frac{\partial^5 w}{\partial x^4} + \rho A\,\ddot{w} = q
h  w(0,t) = w'(0,t) = 0, \qquad EI w''(l,t) = EI w'''(l,t) = 0
h  \left. EI\frac{\partial^2 w}{\partial x^2}\right|_{x=l} = 0
m  w''''(l,t) = 0
m  EI w''(l,t) = m \ddot w(l,t)
h  x=0:\quad w = 0, \quad w_{,x} = 0
h  w = w' = 0 \quad\text{at } x = 0
h  T = \tfrac12\int_0^l \rho A\,\dot w^2\,dx, \quad V = \tfrac12\int_0^l EI (w'')^2 dx
m  V = \int_0^l EI (w'')^2 dx
c  \int_0^l \left(\rho A \dot w^2 + EI w''^2\right)dx = \text{const}
""",
    cantilever: r"""
h  w(0,t) = 0, \quad w'(0,t)=0
m  w''(0,t) = 0
h  EI w'''(\ell,t) = m\ddot w(\ell,t)
m  EI w'''(\ell,t) = -m\ddot w(\ell,t)
h  EI w''(\ell,t) = M_0
m  EI w''(\ell,t) = -M_0
""",
    bead_on_a_string: r"""
h  m\ddot w(a,t) = N\left[w'(a^+,t) - w'(a^-,t)\right]
m  m\ddot w(a,t) = N\left[w'(a^-,t) - w'(a^+,t)\right]
""",
    membrane: r"""
h  \mu\,\frac{\partial^2 w}{\partial t^2} = N\,\nabla^2 w
h  \mu\,w_{tt} = N (w_{xx}+w_{yy})
m  \mu\,w_{tt} + N\nabla^2 w = 0
""",
    van_der_pol: r"""
h  \ddot{x} - \mu\left(1 - x^2\right)\dot{x} + x = 0
h  \ddot{x} = \mu\dot{x}(1 - x^2) - x
m  \ddot{x} + \mu\left(1 - x^2\right)\dot{x} + x = 0
d  y = \dot x
h  \dot y = \mu(1-x^2)y - x
m  \dot y = \mu(1-x^2)y + x
c  \tfrac12\dot x^2+\tfrac12 x^2=\mathrm{const}
h  \dv{}{t}\left(\tfrac12\dot x^2+\tfrac12 x^2\right)=\mu (1-x^2)\dot x^2
h  \dv{t}\pdv{L}{\dot x} - \pdv{L}{x} + \pdv{\varphi}{\dot x} = 0
h  \dv[2]{x}{t} = \mu(1-x^2)\dv{x}{t} - x
""",
    knife_edge: r"""
h  \dot x\sin\theta - \dot y\cos\theta = 0
m  \dot x\cos\theta - \dot y\sin\theta = 0
h  m\ddot x + \lambda\sin\theta = 0
h  m\ddot y - \lambda\cos\theta = 0
m  m\ddot y + \lambda\cos\theta = 0
h  I\ddot\theta = 0
h  \dot\theta = \text{const}
h  \lambda = m\dot\theta(\dot x\cos\theta+\dot y\sin\theta)
m  m\ddot x = 0
h  T = \tfrac12 m(\dot x^2+\dot y^2) + \tfrac12 I\dot\theta^2 = \text{const}
m  m\dot x = \text{const}
""",
    pendulum: r"""
h  x^2 + y^2 = \ell^2
h  m\ddot x = 2\lambda x, \quad m\ddot y = 2\lambda y - mg
m  m\ddot y = 2\lambda y + mg
h  x\dot x + y\dot y = 0
m  x\dot x - y\dot y = 0
h  x\ddot x + y\ddot y + \dot x^2 + \dot y^2 = 0
h  \lambda = \frac{m}{2\ell^2}\left(g y - \dot x^2 - \dot y^2\right)
h  x\ddot y - y \ddot x + g x = 0
h  \tfrac12 m(\dot x^2+\dot y^2) + mgy = \text{const}
""",
    chain: r"""
h  T = \frac12\sum_{i=1}^{3} m_i\dot u_i^2
h  T = \frac12\sum_{i=1}^{n} m_i\dot u_i^2
h  T = \sum_i \tfrac12 m_i\dot u_i^2
m  T = \sum_{i=1}^{2} \tfrac12 m_i\dot u_i^2
n  T = \sum_{i=0}^{n} \tfrac12 m_i\dot u_i^2
d  u_0 = 0
h  V = \frac12\sum_{i=1}^{3} k_i(u_i-u_{i-1})^2
m  V = \frac12\sum_{i=1}^{3} k_i(u_i+u_{i-1})^2
d  k_4=0, \quad u_4 = 0
h  m_i\ddot u_i = k_{i+1}(u_{i+1}-u_i) - k_i(u_i-u_{i-1}), \qquad i = 1,\dots,3
m  m_i\ddot u_i = k_{i+1}(u_{i+1}-u_i) + k_i(u_i-u_{i-1}), \qquad i = 1,2,3
n  m_i\ddot u_i = k_{i+1}(u_{i+1}-u_i) - k_i(u_i-u_{i-1}), \qquad i = 1,\dots,4
d  \mathbf{u} = \begin{bmatrix}u_1\\u_2\\u_3\end{bmatrix}
d  \mathbf{M} = \begin{bmatrix}m_1&0&0\\0&m_2&0\\0&0&m_3\end{bmatrix}, \quad \mathbf{K} = \begin{bmatrix}k_1+k_2&-k_2&0\\-k_2&k_2+k_3&-k_3\\0&-k_3&k_3\end{bmatrix}
h  \mathbf{M}\ddot{\mathbf{u}} + \mathbf{K}\mathbf{u} = \mathbf{0}
m  \mathbf{M}\ddot{\mathbf{u}} = \mathbf{K}\mathbf{u}
""",
}  # fmt: skip


def rows(paper):
    return [(line[0], line[1:].strip()) for line in PAPERS[paper].strip().splitlines()]


def tex(paper):
    return "\n".join(rf"\begin{{equation*}} {formula} \end{{equation*}}" for _, formula in rows(paper))


@pytest.mark.parametrize(
    "paper",
    chiefly([paper for paper in PAPERS if paper is not double_pendulum], PAPERS),
    ids=lambda paper: paper.__name__,
)
def test_every_wrong_equation_is_found_and_no_right_one_called_wrong(paper):
    judge = OpenAudit(paper())
    for formula, (wanted, written) in zip(read_manuscript(tex(paper)).formulas, rows(paper), strict=True):
        for found in judge.formula(formula):
            assert found.verdict == VERDICT[wanted], (written, found)
            if found.verdict == "misprint":
                assert found.difference or "these are" in found.evidence or "says of its part" in found.evidence, found
            if found.verdict == "misprint" and found.correct and "part" not in found.claim:
                again = list(judge.judged(read_manuscript(rf"\[ {found.correct} \]")))
                assert [one.verdict for one in again] == ["holds"], found


@pytest.mark.heavy
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.__name__)
def test_misprints_planted_into_right_equations_do_not_pass(paper):
    """Of every kind at every place: found, or named as not understood; a new letter on the left is a definition."""
    action, judge = paper(), OpenAudit(paper())
    planted = 0
    for formula, (wanted, _) in zip(read_manuscript(tex(paper)).formulas, rows(paper), strict=True):
        verdicts = {found.claim for found in judge.formula(formula)}
        if wanted != "h" or verdicts & {"initial condition", "boundary condition", "stationarity"}:
            continue
        for misprint in misprints(formula.latex):
            if misprint.latex[misprint.column :].replace(" ", "")[:3] in ("=20", "=-0", "=2\\", "=-\\"):
                continue  # of = 0
            other = OpenAudit(action)
            other.defined, other.scales, other.ends = dict(judge.defined), dict(judge.scales), list(judge.ends)
            found = {one.verdict for one in other.judged(read_manuscript(rf"\[ {misprint.latex} \]"))}
            assert found & {"misprint", "holds with a condition", "not understood", "definition"}, str(misprint)
            planted += 1
    assert planted > 5


FILE = r"""
\newcommand{\D}[2][1]{\frac{d^{#1} #2}{d t^{#1}}}
\begin{subequations}
\begin{align}
 m\ddot u + c\dot u + k u &= 0 \label{eq:one}\\
 m \D[2]{u} + c\D{u} + k u &= 0
\end{align}
\end{subequations}
\begin{equation} % audit: skip
  \sigma = C : \varepsilon
\end{equation}
\input{energy}
\begin{multline}
  m \ddot u \\
   + c\dot u + k u = 0
\end{multline}
"""


@pytest.mark.parametrize(
    ("more", "code"),
    [("", 0), (r"$$ m\ddot{u} + c\dot{u} = k u $$", 1), (r"\[ m\ddot{u} \foo k u = 0 \]", 3), (r"\[ v = w + u \]", 3)],
)
def test_the_exit_code_tells_wrong_from_not_understood(capsys, monkeypatch, tmp_path, more, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.tex").write_text(FILE + more)
    (tmp_path / "energy.tex").write_text("\\begin{equation}\n T = \\frac{m}{2} \\dot u^2 \\end{equation}")
    with pytest.raises(SystemExit) as end:
        main(["audit", "paper.tex", "--action", "damped"])
    assert end.value.code == code
    told = capsys.readouterr().out
    for said in ("(1a) eq:one, line 5: HOLDS", "(1b), line 6: HOLDS", "(2), line 9: SKIPPED", "(4), line 13: HOLDS"):
        assert said in told
    assert "(3), line 1 of energy.tex: HOLDS" in told
    if r"\foo" in more:
        assert "\n        m\\ddot{u} \\foo k u = 0\n                  ^\n" in told
