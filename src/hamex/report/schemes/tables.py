"""Tables of the laboratory: as cells of a page, and on a screen of 80 columns."""

from __future__ import annotations

import math
from html import escape

from hamex.lab import LAW_STEPS, Laboratory, SchemeFindings
from hamex.lab.free_vibration import COURANT
from hamex.report.page import table
from hamex.report.schemes.figures import COLOURS, short
from hamex.report.style import variable

_WORK = {"elastic": (1e-3, 1e-6), "viscous": (1e-2, 1e-4), "rate-independent": (1e-2, 1e-4)}
_BRIEF = {"rate-independent": "rate-indep.", "elastic-perfectly-plastic": "EPP", "bilinear, 5 %": "bilinear"}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_HEAD = (
    f"{'scheme':20}{'order measured':^20}{'stable':>8}{'ρ∞':>7}{'period':>9}{'damping':>9}{'over-':>7}",
    f"{'':20}{'smooth':>7}{'visc.':>6}{'r.-i.':>6} {'ωh <':>8}{'':>7}{'longer %':>9}{'ζ̄ %':>9} {'shoot':>7}",
)


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table: plain, or with a power of ten; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    if value != 0 and not 1e-3 <= abs(value) < 1e4:
        mantissa, power = f"{value:.{max(digits - 2, 0)}e}".split("e")
        factor = "" if float(mantissa) == 1 else f"{mantissa}·"
        return f"{factor}10{str(int(power)).translate(_RAISED)}".replace("-", "−")
    text = f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
    return text.replace("-", "−")


def percent(value: float, places: int = 3) -> str:
    """A share in per cent with a fixed number of decimals; round-off is nothing."""
    if math.isnan(value):
        return "–"
    rounded = round(100 * value, places)
    return f"{abs(rounded) if rounded == 0 else rounded:.{places}f}".replace("-", "−")


def _name(row: SchemeFindings) -> str:
    colour = variable(COLOURS[row.entry.family])
    return f'<span aria-hidden="true" style="color:{colour}">●</span> {escape(row.entry.name)}'


def overview(lab: Laboratory) -> str:
    """What a scheme is and what it does, in one line each."""
    head = ["Scheme", "data", "solves", "order", "stable<br>up to ωh", "ρ∞", "period<br>longer [%]", "damping<br>ζ̄ [%]"]
    rows = [
        [
            _name(row),
            escape(row.entry.data),
            str(row.entry.solves) if row.entry.solves else "none",
            str(row.entry.order),
            "always" if math.isinf(row.limit) else f"{row.limit:.3f}",
            f"{abs(row.remains):.2f}" if math.isinf(row.limit) else "–",
            percent(row.elongation, 4),
            percent(row.damping),
        ]
        for row in lab.rows
    ]
    return table(
        head,
        rows,
        "Solves: systems of the size of the structure in one step. Period elongation and "
        "algorithmic damping at h/T = 0.1.",
    )


def overshoot(lab: Laboratory) -> str:
    """Overshoot and drift."""
    head = ["Scheme", "u, from u₀", "u̇, from u₀", "u, from v₀", "u̇, from v₀"]
    rows = []
    for row in lab.rows:
        shot = row.overshoot
        cells = (
            ["unstable"] * 4
            if shot is None
            else [number(value) for value in (*shot.from_displacement, *shot.from_velocity)]
        )
        rows.append([_name(row), *cells])
    return table(
        head,
        rows,
        "Largest value in the first 20 steps at h/T = 10, relative to the exact amplitude. 1 is "
        "exact, more is overshoot, less is motion damped away at once.",
    )


def drift(lab: Laboratory) -> str:
    """Energy after 100,000 periods."""
    head = ["Scheme", "energy left", "largest change"]
    rows = [
        [_name(row), "0" if row.drift.end < 1e-9 else f"{row.drift.end:.6f}", number(row.drift.largest, 2)]
        for row in lab.rows
    ]
    return table(
        head,
        rows,
        "Undamped vibration, 20 steps a period, 2,000,000 steps, energy looked at once a period, "
        "relative to the start.",
    )


def order(lab: Laboratory) -> str:
    """Measured orders."""
    head = ["Scheme", "theory, smooth", "smooth", "yielding, viscous", "yielding, rate-independent"]
    rows = [
        [
            _name(row),
            str(row.entry.order),
            *(f"{row.orders[case].order:.2f}" for case in ("smooth", "viscous", "rate-independent")),
        ]
        for row in lab.rows
    ]
    return table(head, rows, "Slope of the error of u (root mean square over time) over the step.")


def work(lab: Laboratory) -> str:
    """CPU time to reach an error."""
    head = [
        "Scheme",
        *(f"{_BRIEF.get(case, case)}<br>{number(error)}" for case, errors in _WORK.items() for error in errors),
    ]
    rows = [
        [
            _name(row),
            *(number(1e3 * row.work[case].cpu_for(error)) for case, errors in _WORK.items() for error in errors),
        ]
        for row in lab.rows
    ]
    return table(
        head,
        rows,
        "CPU time in milliseconds for 32 s of El Centro at the error given, between runs by "
        "interpolation. – : not reached with the steps tried.",
    )


def stiff(lab: Laboratory) -> str:
    """Errors of the stiff-soft test."""
    head = ["Scheme", "soft mass u₃", "stiff mass u̇₂", "reaction"]
    rows = [
        [
            _name(row),
            *(
                ("unstable" if math.isinf(value) else number(value))
                for value in (row.stiff.soft_displacement, row.stiff.stiff_velocity, row.stiff.reaction)
            ),
        ]
        for row in lab.rows
    ]
    return table(head, rows, "Largest error after the first 10 steps, relative to the largest true value.")


def fronts(lab: Laboratory) -> str:
    """Overshoot and ringing of the wave front."""
    head = ["Scheme", *(f"{what}<br>hc/Δx = {courant:g}" for courant in COURANT for what in ("overshoot", "ringing"))]
    rows = []
    for row in lab.rows:
        cells = []
        for courant in COURANT:
            front = row.fronts[courant]
            cells += ["unstable", ""] if front is None else [f"{max(front.overshoot, 0):.3f}", f"{front.ringing:.3f}"]
        rows.append([_name(row), *cells])
    return table(
        head, rows, "Largest force before the reflection, minus 1; root mean square distance from 1 behind the front."
    )


def peaks(lab: Laboratory) -> str:
    """Median and 90th percentile of the error of the peak."""
    head = [
        "h = 0.02 s",
        *(
            f"{_BRIEF.get(title, title)}<br>{what}"
            for title in lab.peaks
            for what in ("median", "90th", "slip", "force")
        ),
    ]
    rows = []
    for schemes in zip(*lab.peaks.values(), strict=True):
        cells = [escape(schemes[0].name)]
        for found, others in zip(schemes, lab.peaks.values(), strict=True):
            best = found.ninety == min(other.ninety for other in others)
            values = [
                percent(share, 2) for share in (found.median, found.ninety, found.slip_median, found.overstress_median)
            ]
            cells += [f'<span class="good">{value}</span>' if best else value for value in values]
        rows.append(cells)
    return table(
        head,
        rows,
        "Errors of the peak displacement of 72 oscillators in per cent, median and 90th "
        "percentile; median error of the residual slip, in per cent of the peak displacement; "
        "median of the largest node force beyond the yield limit, in per cent of it. EPP: "
        "elastic-perfectly-plastic.",
    )


def by_law(lab: Laboratory) -> str:
    """Median and 90th percentile of the error of the peak at three steps, by kind of law."""
    head = ["Kind of law, scheme", *(f"h = {step:g} s" for step in LAW_STEPS), "beyond the law"]
    rows = []
    for title, schemes in lab.laws.items():
        rows.append([f"<b>{escape(title)}</b>", *[""] * (len(head) - 1)])
        for found in schemes:
            pairs = zip(found.median, found.ninety, strict=True)
            rows.append([escape(found.name), *(_pair(*pair) for pair in pairs), percent(found.farthest, 2)])
    return table(
        head,
        rows,
        "Errors of the peak displacement or storey drift in per cent, median / 90th percentile; largest force at a "
        "node beyond its law, of all runs, in per cent of the yield force. –: longer than the stable step of some.",
    )


def _pair(median: float, ninety: float) -> str:
    return "–" if math.isnan(median) else f"{percent(median, 2)} / {percent(ninety, 2)}"


def _by_law_lines(lab: Laboratory) -> list[str]:
    """The same for a screen."""
    if not lab.laws:
        return []
    steps = "".join(f"{f'h = {step:g} s':>15}" for step in LAW_STEPS)
    lines = ["", "Error of the peak by kind of law: median / 90 % below, in %", f"{'':26}{steps}{'beyond':>8}"]
    for title, schemes in lab.laws.items():
        lines.append(title)
        for found in schemes:
            pairs = zip(found.median, found.ninety, strict=True)
            row = f"  {found.name:24}" + "".join(f"{_pair(*pair):>15}" for pair in pairs)
            lines.append(row + f"{percent(found.farthest, 2):>8}")
    return [
        *lines,
        "beyond: largest force at a node beyond its law, in % of the yield force.",
        "–: longer than the stable step of some.",
    ]


def text(lab: Laboratory) -> str:
    """One line a scheme, then what the columns are."""
    lines = [
        *_HEAD,
        "─" * 80,
        *(_line(row) for row in lab.rows),
        "",
        "order: elastic; yielding with viscosity; yielding rate-independent, measured.",
        "period, damping: at h/T = 0.1, undamped. overshoot: largest of u and u̇ in the",
        "first 20 steps at h/T = 10, relative to the exact amplitude (1 is none).",
    ]
    for title, schemes in lab.peaks.items():
        lines += [
            "",
            f"72 oscillators, {title}, h = 0.02 s: error of the peak",
            f"{'':32}{'median %':>10}{'90 % below %':>14}",
        ]
        lines += [f"{found.name:32}{percent(found.median, 2):>10}{percent(found.ninety, 2):>14}" for found in schemes]
    lines += _by_law_lines(lab)
    return "\n".join(lines) + "\n"


def _line(row: SchemeFindings) -> str:
    smooth, viscous, independent = (row.orders[case].order for case in ("smooth", "viscous", "rate-independent"))
    shot = row.overshoot
    worst = "–" if shot is None else number(max(*shot.from_displacement, *shot.from_velocity))
    stable = "always" if math.isinf(row.limit) else f"{row.limit:.3f}"
    left = f"{abs(row.remains):.2f}" if math.isinf(row.limit) else "–"
    return (
        f"{short(row.entry):20}{smooth:7.2f}{viscous:6.2f}{independent:6.2f} {stable:>8}{left:>7}"
        f"{percent(row.elongation, 4):>9}{percent(row.damping):>9}{worst:>6}"
    ).rstrip()
