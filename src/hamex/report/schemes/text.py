"""The laboratory on a screen of 80 columns."""

from __future__ import annotations

import math

from hamex.lab.laboratory import Laboratory, SchemeFindings
from hamex.report.schemes.looks import number, percent, short

_HEAD = (f"{'scheme':20}{'order measured':^20}{'stable':>8}{'ρ∞':>7}{'period':>9}{'damping':>9}{'over-':>7}",
         f"{'':20}{'smooth':>7}{'visc.':>6}{'r.-i.':>6} {'ωh <':>8}{'':>7}{'longer %':>9}{'ζ̄ %':>9} {'shoot':>7}")


def text(lab: Laboratory) -> str:
    """One line a scheme, then what the columns are."""
    lines = [*_HEAD, "─" * 80, *(_line(row) for row in lab.rows), "",
             "order: elastic; yielding with viscosity; yielding rate-independent, measured.",
             "period, damping: at h/T = 0.1, undamped. overshoot: largest of u and u̇ in the",
             "first 20 steps at h/T = 10, relative to the exact amplitude (1 is none)."]
    for title, schemes in lab.peaks.items():
        lines += ["", f"72 oscillators, {title}, h = 0.02 s: error of the peak",
                  f"{'':32}{'median %':>10}{'90 % below %':>14}"]
        lines += [f"{found.name:32}{percent(found.median, 2):>10}{percent(found.ninety, 2):>14}" for found in schemes]
    return "\n".join(lines) + "\n"


def _line(row: SchemeFindings) -> str:
    smooth, viscous, independent = (row.orders[case].order for case in ("smooth", "viscous", "rate-independent"))
    shot = row.overshoot
    worst = "–" if shot is None else number(max(*shot.from_displacement, *shot.from_velocity))
    stable = "always" if math.isinf(row.limit) else f"{row.limit:.3f}"
    left = f"{abs(row.remains):.2f}" if math.isinf(row.limit) else "–"
    return (f"{short(row.entry):20}{smooth:7.2f}{viscous:6.2f}{independent:6.2f} {stable:>8}{left:>7}"
            f"{percent(row.elongation, 4):>9}{percent(row.damping):>9}{worst:>6}").rstrip()
