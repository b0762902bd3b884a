"""The laboratory of schemes as a page, a picture and a screen. The page has definitions, tables, figures and the data,
in one file that works offline."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

from hamex.files import check_writable, write_atomically
from hamex.lab import STEPS, Laboratory
from hamex.report.equations import equation, inline
from hamex.report.page import captioned, cards, page
from hamex.report.schemes import figures, tables
from hamex.report.schemes.tables import percent
from hamex.report.style import check_installed, save, to_svg

_PROBLEM = r"m\ddot u+c\dot u+F(u-u_1)=f(t),\qquad \ddot u+2\zeta\omega\dot u+\omega^2u=f/m\ \ \mathrm{(elastic)}"
_MAP = r"x_{r+1}=G(\Omega,\zeta)\,x_r+H\,q_r,\qquad \Omega=\omega h,\quad x=(u,\;h\dot u,\;h^2\ddot u),\quad q=h^2f/m"
_NUMBERS = (
    r"\rho=\max_i|\lambda_i(G)|,\qquad \lambda_{1,2}=e^{(-\bar\zeta\pm i)\bar\Omega},\qquad "
    r"\frac{\bar T-T}{T}=\frac{\Omega}{\bar\Omega}-1,\qquad \bar\zeta=-\frac{\ln|\lambda_{1,2}|}{\bar\Omega}"
)

FAMILIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Time elements: Galerkin(degree=s) and DiscontinuousGalerkin(degree=s)",
        "Displacement and impulse are polynomials of degree s over a step, continuous between steps or with jumps, and "
        "both come from one action. On linear systems the step is a collocation table with s Gauss "
        "points (continuous), "
        "or s + 1 Radau points (jumps), and the factor of a vibration is a Padé approximant of the exponential. The "
        "tables are derived from the action, not typed in. The element of degree 1 takes the average "
        "of the load at the "
        "ends of a step, the others the load at their points.",
        (
            r"Y_i=y_r+h\sum_j A_{ij}\,\dot y(t_r+c_jh,Y_j),\qquad y_{r+1}=y_r+h\sum_i b_i\,\dot y(t_r+c_ih,Y_i)",
            r"R_s(z)=\frac{P_{ss}(z)}{P_{ss}(-z)}\ \ \mathrm{(continuous)},\qquad "
            r"R_s(z)=\frac{P_{s,s+1}(z)}{Q_{s,s+1}(z)}"
            r"\ \ \mathrm{(jumps)},\qquad z=i\Omega",
        ),
    ),
    (
        "Newmark, HHT-α, generalised-α",
        "Four numbers. α<sub>m</sub> = α<sub>f</sub> = 0 is Newmark's family, with β = 0, γ = 1/2 "
        "the central difference "
        "method; α<sub>m</sub> = 0, α<sub>f</sub> = −α is HHT-α. Forces are weighted between the ends, as programs do.",
        (
            r"(1-\alpha_m)m\ddot u_{r+1}+\alpha_m m\ddot u_r+(1-\alpha_f)(c\dot u+F)_{r+1}+\alpha_f(c\dot u+F)_r"
            r"=(1-\alpha_f)f_{r+1}+\alpha_ff_r",
            r"u_{r+1}=u_r+h\dot u_r+h^2\left[\left(\frac12-\beta\right)\ddot u_r+\beta\ddot u_{r+1}\right],\qquad "
            r"\dot u_{r+1}=\dot u_r+h\left[(1-\gamma)\ddot u_r+\gamma\ddot u_{r+1}\right]",
            r"\mathrm{HHT}:\ \beta=\frac{(1-\alpha)^2}{4},\ \gamma=\frac12-\alpha\qquad \mathrm{generalised}:\ "
            r"\alpha_m=\frac{2\rho_\infty-1}{\rho_\infty+1},\ \alpha_f=\frac{\rho_\infty}{\rho_\infty+1},\ "
            r"\beta=\frac{(1-\alpha_m+\alpha_f)^2}{4},\ \gamma=\frac12-\alpha_m+\alpha_f",
        ),
    ),
    (
        "Wilson-θ",
        "Linear acceleration over the longer step θh, the balance at its end with the load carried on linearly; the "
        "state at h is read off the same straight line.",
        (
            r"m\ddot u_{r+\theta}+c\dot u_{r+\theta}+F(u_{r+\theta})=f_r+\theta(f_{r+1}-f_r),\qquad "
            r"\ddot u_{r+1}=\ddot u_r+\frac{\ddot u_{r+\theta}-\ddot u_r}{\theta}",
        ),
    ),
    (
        "Bathe, ρ∞-Bathe, TR-BDF2",
        "Two parts a step: the trapezoidal rule up to γh, then a formula with three points. One table serves all: "
        "γ = 1/2 and ρ∞ = 0 is Bathe's method, γ = 2 − √2 and ρ∞ = 0 is TR-BDF2. Where the spring "
        "yields, Bathe's schemes "
        "return it at the end of each part from where the last part left it, as finite element programs do; TR-BDF2 "
        "treats the slip as one more state, as programs for differential equations do.",
        (
            r"\dot u_{r+\gamma}=\dot u_r+\frac{\gamma h}{2}(\ddot u_r+\ddot u_{r+\gamma}),\qquad "
            r"\dot u_{r+1}=\dot u_r+h\,(q_0\ddot u_r+q_1\ddot u_{r+\gamma}+q_2\ddot u_{r+1})\qquad "
            r"(u\ \mathrm{from}\ \dot u"
            r"\ \mathrm{likewise})",
            r"q_1=\frac{1+\rho_\infty}{2\gamma(\rho_\infty-1)+4},\qquad q_0=(\gamma-1)q_1+\frac12,\qquad "
            r"q_2=\frac12-\gamma q_1",
        ),
    ),
    (
        "Springs that slip",
        "Elastic spring in series with a slider of yield force F<sub>y</sub> and a dashpot η. The reference schemes "
        "return the force at the end of the step or of its part (backward Euler); TR-BDF2, and "
        "Runge-Kutta 4 where η > 0, "
        "take the slip as a state.",
        (
            r"F=k(u-u_1),\qquad \dot u_1=\frac{\langle|F-X|-F_y\rangle}{\eta}\,\mathrm{sgn}(F-X),\qquad X=H_ku_1",
            r"\Delta u_1=\frac{\langle|F^{trial}-X_r|-F_y\rangle}{k+H_k+\eta/h}\,\mathrm{sgn}(F^{trial}-X_r)",
        ),
    ),
)
CAPTIONS = {
    "spectrum": "Spectral radius, period elongation and algorithmic damping, undamped. Galerkin elements keep ρ = 1 at "
    "every step; elements with jumps and composite schemes forget fast motion.",
    "overshoot": "The first steps of a vibration with T = h/10. Shaded: where the exact motion stays.",
    "order": "Error against step. Left: slopes are the orders of theory. Middle and right: the instant of yielding "
    "inside a step limits every fixed step to second order; a return map at the end of the step is first "
    "order once there is viscosity.",
    "work": "CPU time (one thread, least of three runs) against error, better to the lower right. Elastic: all schemes "
    "in one compiled loop. Yielding: all by hamex.solve; Newmark, HHT-α and generalised-α by the march for any "
    "structure, the others by kernels for one mass, which cost about a hundredth.",
    "stiff": "Velocity of the mass behind the stiff spring; grey: the slow motion that should come out.",
    "bar": "Force at mid-length for h = Δx/c; grey: the continuous bar. Part of the ringing is the chain's own: space "
    "is not refined here.",
    "overstress": "The paper's oscillator with a millionth of its viscosity under twice the El Centro record, "
    "h = 0.02 s. The continuous elements keep an overstress, which at degree 1 changes its sign "
    "from step to step and at degree 2 stays; with jumps it is gone after one step.",
    "peaks": "Distribution of the error of the peak over the 72 oscillators, better to the upper left.",
}
REFERENCES = (
    "N. M. Newmark, A method of computation for structural dynamics, J. Eng. Mech. Div. ASCE 85 (1959) 67-94.",
    "E. L. Wilson, A computer program for the dynamic stress analysis of underground structures, UC Berkeley SESM 68-1 "
    "(1968); K. J. Bathe, E. L. Wilson, Stability and accuracy analysis of direct integration methods, Earthq. Eng. "
    "Struct. Dyn. 1 (1973) 283-291.",
    "G. L. Goudreau, R. L. Taylor, Evaluation of numerical integration methods in elastodynamics, Comput. Methods "
    "Appl. Mech. Eng. 2 (1972) 69-97.",
    "H. M. Hilber, T. J. R. Hughes, R. L. Taylor, Improved numerical dissipation for time integration algorithms in "
    "structural dynamics, Earthq. Eng. Struct. Dyn. 5 (1977) 283-292.",
    "H. M. Hilber, T. J. R. Hughes, Collocation, dissipation and 'overshoot' for time integration schemes in "
    "structural dynamics, Earthq. Eng. Struct. Dyn. 6 (1978) 99-117.",
    "R. E. Bank et al., Transient simulation of silicon devices and circuits, IEEE Trans. Electron Devices 32 (1985) "
    "1992-2007; M. E. Hosea, L. F. Shampine, Analysis and implementation of TR-BDF2, Appl. Numer. Math. 20 (1996) "
    "21-37.",
    "J. Chung, G. M. Hulbert, A time integration algorithm for structural dynamics with improved numerical "
    "dissipation: the generalized-α method, J. Appl. Mech. 60 (1993) 371-375.",
    "K. J. Bathe, M. M. I. Baig, On a composite implicit time integration procedure for nonlinear dynamics, Comput. "
    "Struct. 83 (2005) 2513-2524; K. J. Bathe, G. Noh, Insight into an implicit time integration scheme for structural "
    "dynamics, Comput. Struct. 98-99 (2012) 1-6; G. Noh, K. J. Bathe, The Bathe time integration method with "
    "controllable spectral radius: the ρ∞-Bathe method, Comput. Struct. 212 (2019) 299-310.",
    "E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer (1996): Gauss and Radau IIA.",
)


def schemes_page(lab: Laboratory, drawings: Mapping[str, str]) -> str:
    """The whole page; ``drawings`` are SVG elements by figure name."""

    def show(name: str) -> str:
        return captioned(drawings[name], CAPTIONS[name]) if name in drawings else ""

    sections = [
        _top(lab),
        tables.overview(lab),
        _data(lab),
        "<h2>Which one to choose</h2>" + _choice(),
        "<h2>Definitions</h2>" + definitions(),
        "<h2>Spectral radius, period, damping</h2>" + show("spectrum"),
        "<h2>Overshoot</h2>"
        + _text(
            "Spectral radii say what becomes of fast motion in the long run; the first steps can be far too large even "
            "so (Hilber and Hughes 1978). Wilson-θ overshoots in displacement, the α schemes in velocity."
        )
        + show("overshoot")
        + tables.overshoot(lab),
        "<h2>Energy over 100,000 periods</h2>"
        + _text(
            "The continuous elements keep the energy up to round-off, which 2,000,000 steps gather. Central difference "
            "and linear acceleration keep a neighbour of the energy, so the energy itself swings and does not drift. "
            "All others lose it."
        )
        + tables.drift(lab),
        "<h2>Order</h2>"
        + _text(
            "The paper's oscillator (m = 1, k = 225, c = 1.5) from rest under a sine off resonance, five periods: "
            "elastic, against the closed form; and with F<sub>y</sub> = 0.27, against much finer runs, with η = 1.5 "
            "and with η = 0."
        )
        + show("order")
        + tables.order(lab),
        *(
            [
                "<h2>Work and precision</h2>"
                + _text("The same oscillator under twice the El Centro record, 32 s, steps of 0.02 s and halves of it.")
                + show("work")
                + tables.work(lab)
            ]
            if "work" in drawings
            else []
        ),
        "<h2>Stiff and soft</h2>"
        + _text(
            "Two unit masses on springs of stiffness 10⁷ and 1 behind a support that moves by sin 1.2t; h = 0.2618 s, "
            "about 130 periods of the stiff motion (Bathe and Noh 2012). Schemes with ρ∞ = 1 carry the stiff motion "
            "along for ever, and the reaction shows it."
        )
        + show("stiff")
        + tables.stiff(lab),
        "<h2>Step load on a bar</h2>"
        + _text(
            "A chain of 100 masses, fixed at one end and pulled at the other by a force that is switched on. The "
            "central difference method at h = Δx/c is exact here, a property of the uniform chain."
        )
        + show("bar")
        + tables.fronts(lab),
        "<h2>Viscosity that all but vanishes</h2>" + show("overstress"),
        *(
            [
                "<h2>Rate-independent plasticity</h2>"
                + _text(
                    "72 oscillators under El Centro at the record's own step, without viscosity: 12 "
                    "periods from 0.2 to 3 s, "
                    "6 strengths from the elastic demand / 1.5 to / 8, damping 5 %, perfectly "
                    "plastic and with 5 % of the "
                    "stiffness left after yielding. Peaks at the nodes against runs with h/512."
                )
                + show("peaks")
                + tables.peaks(lab)
            ]
            if lab.peaks
            else []
        ),
        *(
            [
                "<h2>By kind of law</h2>"
                + _text(
                    "The same oscillators with springs that yield, that degrade and aim at their peaks, and that "
                    "pinch, and 24 shear frames of 2 to 8 storeys, without viscosity, under El Centro at three steps. "
                    "Against runs along the path at a 32nd of the shortest step. Springs that degrade are taken by the "
                    "linear element along its path, and at the nodes by Newmark and the explicit leap-frog."
                )
                + tables.by_law(lab)
            ]
            if lab.laws
            else []
        ),
        "<h2>Sources</h2><ul>" + "".join(f"<li>{escape(text)}</li>" for text in REFERENCES) + "</ul>",
    ]
    foot = (
        "All numbers on this page were computed when it was made; CPU times are those of the computer that made "
        "it. Record: El Centro 1940 NS, US Coast and Geodetic Survey, as digitised in Chopra's appendix."
    )
    return page("Time integration schemes compared", "\n".join(sections), foot, "schemes")


def _text(words: str) -> str:
    return f"<p>{words}</p>"


def _top(lab: Laboratory) -> str:
    numbers = [
        (
            f"{percent(lab.row(f'galerkin-{degree}').elongation, places)} %",
            f"period elongation at h/T = 0.1, degree {degree}",
        )
        for degree, places in ((1, 3), (2, 4), (3, 5))
        if _has(lab, f"galerkin-{degree}")
    ]
    if _has(lab, "discontinuous-1"):
        numbers.append(
            (f"{lab.row('discontinuous-1').orders['smooth'].order:.2f}", "measured order, jumps of degree 1, smooth")
        )
    return (
        "<h1>Time integration schemes compared</h1><p class='lead'>Time elements from the extended Hamilton's "
        f"principle beside the schemes of structural dynamics: {len(lab.rows)} integrators, each defined by its "
        "data, through the same experiments, on smooth, stiff and yielding problems.</p>" + cards(numbers)
    )


def _has(lab: Laboratory, key: str) -> bool:
    return any(row.entry.key == key for row in lab.rows)


def _choice() -> str:
    return (
        "<ul><li><b>Elastic:</b> Galerkin of degree 2 or 3. A step of a tenth of the period is then accurate to "
        "the digits anyone reads; degree 1 needs far more steps.</li>"
        "<li><b>Yielding with viscosity:</b> Galerkin of degree 1. Second order, exact energy balance, no "
        "iteration for one spring. Higher degrees have smaller errors at the same step, but the instant of "
        "yielding inside a step limits them to second order too, and their steps cost more.</li>"
        "<li><b>Rate-independent yielding, stiff dashpots, wave fronts:</b> DiscontinuousGalerkin of degree 2, or "
        "1 where speed counts; Newmark with its return map is the plain alternative, and Galerkin of degree 1 along "
        "the path of the law is about as accurate, with an exact energy balance. The continuous elements are not "
        "L-stable: what is much faster than the step does not decay, and in the mean form forces at the nodes "
        "zig-zag.</li>"
        "<li><b>Springs that degrade, pinch or fall:</b> Galerkin of degree 1, which follows them along the path of a "
        "step: one solution below a step that is known beforehand, and an exact energy balance. Newmark and, up to its "
        "stable step, the explicit leap-frog ask them at the nodes: their errors were within a factor of 2.3 of "
        "one another on 72 oscillators and 24 shear frames. No other element takes them.</li>"
        "<li><b>Very large models with lumped mass and short steps anyway:</b> central differences, below their "
        "limit ωh = 2.</li></ul>"
    )


def _data(lab: Laboratory) -> str:
    whole = json.dumps(lab.as_json(), separators=(",", ":"), ensure_ascii=False)
    return (
        f"<p>Data of this page: {_link('hamex-schemes.json', 'application/json', whole)} (everything), "
        f"{_link('hamex-schemes.csv', 'text/csv', curves_csv(lab))} (curves over h/T).</p>"
    )


def _link(name: str, kind: str, text: str) -> str:
    code = base64.b64encode(text.encode()).decode()
    return f'<a download="{name}" href="data:{kind};charset=utf-8;base64,{code}">{name}</a>'


def curves_csv(lab: Laboratory) -> str:
    """Spectral radius, period elongation and damping ratio of every scheme, one row per scheme and h/T."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["scheme", "h/T", "spectral radius", "period elongation", "damping ratio"])
    for row in lab.rows:
        curves = row.curves
        for values in zip(STEPS, curves.radius, curves.elongation, curves.damping, strict=True):
            writer.writerow([row.entry.key, *("" if value != value else f"{value:.6g}" for value in values)])
    return buffer.getvalue()


def definitions() -> str:
    """The section of definitions."""
    parts = [
        "<p>All experiments use one mass on one spring, or modes that are such oscillators:</p>",
        equation(_PROBLEM, 17),
        "<p>On the elastic oscillator one step of any scheme is a matrix. It depends on "
        + inline(r"\Omega=\omega h")
        + " and ζ only; the acceleration is part of the state where the scheme carries "
        "it.</p>",
        equation(_MAP, 17),
        "<p>Its eigenvalues give the spectral radius ρ, the period elongation and the algorithmic damping ratio. The "
        "pair nearest to the exact " + inline(r"e^{\pm i\Omega}") + " is the physical one; a scheme is stable where "
        "ρ ≤ 1, and ρ∞ is ρ for infinitely large steps. All curves are for ζ = 0.</p>",
        equation(_NUMBERS, 17),
    ]
    for title, text, equations in FAMILIES:
        parts += [f"<h3>{title}</h3><p>{text}</p>", *(equation(latex, 16) for latex in equations)]
    return "\n".join(parts)


def check_outputs(html: Path | None, picture: Path | None, data: Path | None) -> None:
    """Refuse what cannot be drawn or written, before any work starts."""
    for path, endings in ((html, (".html",)), (picture, (".png", ".svg")), (data, (".json",))):
        if path is not None:
            check_writable(path, endings)
    if html is not None or picture is not None:
        check_installed()


def write_page(lab: Laboratory, path: Path) -> Path:
    """One HTML file that needs no network."""
    text = schemes_page(lab, {name: to_svg(drawing) for name, drawing in figures.figures(lab).items()})
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_picture(lab: Laboratory, path: Path) -> Path:
    """One picture: spectral curves and orders."""
    drawing = figures.overview(lab)
    return write_atomically(path, lambda temporary: save(drawing, temporary))


def write_data(lab: Laboratory, path: Path) -> Path:
    """Everything as JSON."""
    text = as_text(lab)
    return write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def as_text(lab: Laboratory) -> str:
    """The data as JSON text."""
    return json.dumps(lab.as_json(), indent=1, ensure_ascii=False) + "\n"
