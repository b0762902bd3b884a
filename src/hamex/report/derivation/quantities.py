"""Is there a functional at all? What is conserved? Which conditions hold on the boundary?"""

from __future__ import annotations

from hamex.principle.charges import energy_rate
from hamex.principle.variation import helmholtz
from hamex.report.derivation import pictures
from hamex.report.derivation.blocks import (
    Beside,
    Block,
    Bullets,
    Equation,
    Heading,
    Paragraph,
    Picture,
    TextTable,
    math,
)
from hamex.report.derivation.latex import Expr, field, latex, walk
from hamex.report.derivation.system import DerivedSystem, sum_rows

_SHOWN = 6


def functional(system: DerivedSystem) -> list[Block]:
    """The Helmholtz test of the equations of motion."""
    verdict = helmholtz(system.variation.bulk)
    blocks: list[Block] = [
        Heading("Is there a functional behind it? The Helmholtz test"),
        Paragraph(
            "Equations $E_i = 0$ are those of *some* functional, as they stand, exactly when their linearisation "
            "is its own adjoint. For one equation of second order this reads"
        ),
        Equation(
            (
                r"\frac{\partial E}{\partial \dot{q}} = \frac{\mathrm{d}}{\mathrm{d}t}"
                r"\frac{\partial E}{\partial \ddot{q}}",
            )
        ),
    ]
    if verdict.holds:
        tail = (
            "Add a dashpot $c\\,\\dot{q}$ and the left side becomes $c$ while the right side does not: with "
            "damping no functional exists, and $\\delta A$ is not the variation of anything."
            if not system.dissipative
            else ""
        )
        timed = (
            " The explicit time in $L$ makes it possible: the equations come multiplied by a factor that grows "
            "with time."
            if system.explicit_time
            else ""
        )
        return [*blocks, Paragraph(f"**Passed**, for every pair of equations here: an action exists.{timed} {tail}")]
    rows = []
    for failure in verdict.failures[:_SHOWN]:
        v = r"\delta " + field(failure.column, failure.index)
        rows.append((math(field(failure.row)), math(v), _remainder(failure.residual)))
    more = len(verdict.failures) - _SHOWN
    blocks += [
        Paragraph("**Failed.** What remains between the linearisation and its adjoint:"),
        TextTable(
            ("equation of", "coefficient of", "remainder, should be 0"),
            tuple(rows),
            f"{more} more fail in the same way." if more > 0 else "",
        ),
    ]
    return [
        *blocks,
        Paragraph(
            "So there is no functional whose stationarity gives these very equations: dissipation "
            "makes the sign of time "
            r"matter, and a functional cannot tell. This is why $\varphi$ enters the variation "
            r"$\delta A_{\mathrm{NEW}}$ "
            "and not an action, section 2.3. A factor may repair it by changing the equations: multiplied by "
            r"$\mathrm{e}^{ct/m}$, $m\ddot{u} + c\dot{u} + ku$ passes (Caldirola 1941, Kanai 1948), at the price of a "
            "momentum that is no longer $m\\dot{u}$. Nothing in the extended principle needs a functional."
        ),
    ]


def _remainder(residual: Expr) -> str:
    """What is left over; of a piecewise remainder the piece that is not zero."""
    pieces = [node for node in walk(residual) if type(node).__name__ == "Piecewise"]
    if not pieces:
        return math(latex(residual))
    slipping = {node: next(value for value, _ in node.args if value != 0) for node in pieces}
    return f"{math(latex(residual.xreplace(slipping)))} while it slips"


def boundary(system: DerivedSystem) -> list[Block]:
    """Natural and essential conditions, eqs. (43)-(44)."""
    found = system.action.boundary_conditions()
    if not found:
        return []
    rows = tuple(
        (
            math(latex(c.motion)),
            math(latex(c.force)),
            f"{math(latex(c.force))} = given force",
            f"{math(latex(c.motion))} = given motion",
        )
        for c in found
    )
    return [
        Heading("Boundary conditions"),
        Paragraph(
            "Integration by parts in space leaves, on the boundary with outward normal $n$, products of a "
            "force and the variation of a motion. On each part either the force is given (natural, "
            r"$\Gamma_t$) or the motion (essential, $\Gamma_u$, its variation is zero), eqs. (43)-(44). "
            "Where nothing is said, the natural one holds with force zero: a free boundary."
        ),
        TextTable(("motion", "force conjugate to it", r"natural, on $\Gamma_t$", r"essential, on $\Gamma_u$"), rows),
    ]


def conserved(system: DerivedSystem) -> list[Block]:
    """Hamiltonian and charges, section 3.1 and eq. (54)."""
    action, letter = system.action, system.letter
    density = "" if system.lumped else " (densities)"
    blocks: list[Block] = [
        Heading("Energy and conserved quantities"),
        Beside(
            (
                Picture(
                    pictures.shifted_in_space(letter),
                    "Shifted in its value (figure 3): if $L$ does not notice, a momentum is conserved.",
                ),
            ),
            (
                Picture(
                    pictures.shifted_in_time(letter),
                    "Shifted in time (figure 4): if $L$ does not notice, the Hamiltonian is conserved.",
                ),
            ),
        ),
        Paragraph(f"The Hamiltonian{density}, $H = \\sum_q P_q\\,\\dot{{q}} - L$:"),
        Equation(sum_rows("H =", action.hamiltonian())),
    ]
    rate = energy_rate(action)
    if rate == 0:
        blocks.append(
            Paragraph(
                "$\\mathrm{d}H/\\mathrm{d}t = 0$ along every motion"
                + ("." if system.lumped else ", in total, up to the work done on the boundary.")
            )
        )
    else:
        where = "" if system.lumped else " In total; the boundary adds the work done on it."
        blocks += [
            Paragraph(
                "Along the motion it changes by the work of the loads, minus what is dissipated, minus "
                rf"$\partial L/\partial t$:{where}"
            ),
            Equation(sum_rows(r"\frac{\mathrm{d}H}{\mathrm{d}t} =", system.short(rate))),
        ]
    return [*blocks, *_charges(system)]


def _charges(system: DerivedSystem) -> list[Block]:
    found = system.action.charges()
    if not found:
        return [
            Paragraph(
                "No constant shift of the fields leaves $L$ unchanged, not even up to a total derivative: "
                "there is no further charge of this kind."
            )
        ]
    items, constant = [], r" = \mathrm{const}"
    for charge in found[:_SHOWN]:
        shift = ", ".join(
            rf"{field(q)} \to {field(q)} + " + (r"\varepsilon" if s == 1 else rf"{latex(s)}\,\varepsilon")
            for q, s in charge.shift.items()
        )
        value = latex(charge.value)
        if not system.lumped:
            items.append(
                f"{math(shift)}: {math(value)} as a density; its total over the body changes only by what "
                "acts on the boundary."
            )
        elif charge.source == 0:
            items.append(f"{math(shift)}: {math(value + constant)}.")
        else:
            source = math(latex(system.short(charge.source)))
            items.append(f"{math(shift)}: {math(value)} changes at the rate {source}.")
    intro = (
        "Shifts of a field by a constant that change $L$ by nothing, or by a total derivative "
        "$\\mathrm{d}K/\\mathrm{d}t$ (quasi-symmetries), have the charge $\\sum P_q s_q - K$. Dissipation and "
        "loads that are rates themselves are taken along:"
    )
    blocks: list[Block] = [Paragraph(intro), Bullets(tuple(items))]
    if (
        any(
            type(node).__name__ == "Integral"
            for c in found
            for node in [*c.value.args, *(b for a in c.value.args for b in a.args)]
        )
        and system.lumped
    ):
        blocks.append(
            Paragraph(
                "The first of these is the momentum balance of the paper, eq. (54): at the start it "
                "fixes the impulse, which is a gauge."
            )
        )
    return blocks
