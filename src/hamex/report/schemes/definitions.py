"""What the numbers mean and how each family of schemes steps, in equations."""

from __future__ import annotations

from hamex.report.equations import equation, inline

_PROBLEM = r"m\ddot u+c\dot u+F(u-u_1)=f(t),\qquad \ddot u+2\zeta\omega\dot u+\omega^2u=f/m\ \ \mathrm{(elastic)}"
_MAP = r"x_{r+1}=G(\Omega,\zeta)\,x_r+H\,q_r,\qquad \Omega=\omega h,\quad x=(u,\;h\dot u,\;h^2\ddot u),\quad q=h^2f/m"
_NUMBERS = (r"\rho=\max_i|\lambda_i(G)|,\qquad \lambda_{1,2}=e^{(-\bar\zeta\pm i)\bar\Omega},\qquad "
            r"\frac{\bar T-T}{T}=\frac{\Omega}{\bar\Omega}-1,\qquad \bar\zeta=-\frac{\ln|\lambda_{1,2}|}{\bar\Omega}")

FAMILIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Time elements: Galerkin(degree=s) and DiscontinuousGalerkin(degree=s)",
     "Displacement and impulse are polynomials of degree s over a step, continuous between steps or with jumps, and "
     "both come from one action. On linear systems the step is a collocation table with s Gauss points (continuous), "
     "or s + 1 Radau points (jumps), and the factor of a vibration is a Padé approximant of the exponential. The "
     "tables are derived from the action, not typed in. The element of degree 1 takes the average of the load at the "
     "ends of a step, the others the load at their points.",
     (r"Y_i=y_r+h\sum_j A_{ij}\,\dot y(t_r+c_jh,Y_j),\qquad y_{r+1}=y_r+h\sum_i b_i\,\dot y(t_r+c_ih,Y_i)",
      r"R_s(z)=\frac{P_{ss}(z)}{P_{ss}(-z)}\ \ \mathrm{(continuous)},\qquad R_s(z)=\frac{P_{s,s+1}(z)}{Q_{s,s+1}(z)}"
      r"\ \ \mathrm{(jumps)},\qquad z=i\Omega")),
    ("Newmark, HHT-α, generalised-α",
     "Four numbers. α<sub>m</sub> = α<sub>f</sub> = 0 is Newmark's family, with β = 0, γ = 1/2 the central difference "
     "method; α<sub>m</sub> = 0, α<sub>f</sub> = −α is HHT-α. Forces are weighted between the ends, as programs do.",
     (r"(1-\alpha_m)m\ddot u_{r+1}+\alpha_m m\ddot u_r+(1-\alpha_f)(c\dot u+F)_{r+1}+\alpha_f(c\dot u+F)_r"
      r"=(1-\alpha_f)f_{r+1}+\alpha_ff_r",
      r"u_{r+1}=u_r+h\dot u_r+h^2\left[\left(\frac12-\beta\right)\ddot u_r+\beta\ddot u_{r+1}\right],\qquad "
      r"\dot u_{r+1}=\dot u_r+h\left[(1-\gamma)\ddot u_r+\gamma\ddot u_{r+1}\right]",
      r"\mathrm{HHT}:\ \beta=\frac{(1-\alpha)^2}{4},\ \gamma=\frac12-\alpha\qquad \mathrm{generalised}:\ "
      r"\alpha_m=\frac{2\rho_\infty-1}{\rho_\infty+1},\ \alpha_f=\frac{\rho_\infty}{\rho_\infty+1},\ "
      r"\beta=\frac{(1-\alpha_m+\alpha_f)^2}{4},\ \gamma=\frac12-\alpha_m+\alpha_f")),
    ("Wilson-θ",
     "Linear acceleration over the longer step θh, the balance at its end with the load carried on linearly; the "
     "state at h is read off the same straight line.",
     (r"m\ddot u_{r+\theta}+c\dot u_{r+\theta}+F(u_{r+\theta})=f_r+\theta(f_{r+1}-f_r),\qquad "
      r"\ddot u_{r+1}=\ddot u_r+\frac{\ddot u_{r+\theta}-\ddot u_r}{\theta}",)),
    ("Bathe, ρ∞-Bathe, TR-BDF2",
     "Two parts a step: the trapezoidal rule up to γh, then a formula with three points. One table serves all: "
     "γ = 1/2 and ρ∞ = 0 is Bathe's method, γ = 2 − √2 and ρ∞ = 0 is TR-BDF2. Where the spring yields, Bathe's schemes "
     "return it at the end of each part from where the last part left it, as finite element programs do; TR-BDF2 "
     "treats the slip as one more state, as programs for differential equations do.",
     (r"\dot u_{r+\gamma}=\dot u_r+\frac{\gamma h}{2}(\ddot u_r+\ddot u_{r+\gamma}),\qquad "
      r"\dot u_{r+1}=\dot u_r+h\,(q_0\ddot u_r+q_1\ddot u_{r+\gamma}+q_2\ddot u_{r+1})\qquad (u\ \mathrm{from}\ \dot u"
      r"\ \mathrm{likewise})",
      r"q_1=\frac{1+\rho_\infty}{2\gamma(\rho_\infty-1)+4},\qquad q_0=(\gamma-1)q_1+\frac12,\qquad "
      r"q_2=\frac12-\gamma q_1")),
    ("Springs that slip",
     "Elastic spring in series with a slider of yield force F<sub>y</sub> and a dashpot η. The reference schemes "
     "return the force at the end of the step or of its part (backward Euler); TR-BDF2, and Runge-Kutta 4 where η > 0, "
     "take the slip as a state.",
     (r"F=k(u-u_1),\qquad \dot u_1=\frac{\langle|F-X|-F_y\rangle}{\eta}\,\mathrm{sgn}(F-X),\qquad X=H_ku_1",
      r"\Delta u_1=\frac{\langle|F^{trial}-X_r|-F_y\rangle}{k+H_k+\eta/h}\,\mathrm{sgn}(F^{trial}-X_r)")),
)


def definitions() -> str:
    """The section of definitions."""
    parts = [
        "<p>All experiments use one mass on one spring, or modes that are such oscillators:</p>",
        equation(_PROBLEM, 17),
        "<p>On the elastic oscillator one step of any scheme is a matrix. It depends on "
        + inline(r"\Omega=\omega h") + " and ζ only; the acceleration is part of the state where the scheme carries "
        "it.</p>", equation(_MAP, 17),
        "<p>Its eigenvalues give the spectral radius ρ, the period elongation and the algorithmic damping ratio. The "
        "pair nearest to the exact " + inline(r"e^{\pm i\Omega}") + " is the physical one; a scheme is stable where "
        "ρ ≤ 1, and ρ∞ is ρ for infinitely large steps. All curves are for ζ = 0.</p>", equation(_NUMBERS, 17)]
    for title, text, equations in FAMILIES:
        parts += [f"<h3>{title}</h3><p>{text}</p>", *(equation(latex, 16) for latex in equations)]
    return "\n".join(parts)
