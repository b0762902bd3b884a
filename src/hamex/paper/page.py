"""The page of `hamex paper`: figures 10-13, the convergence plot that the paper does not show, and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hamex.errors import FileError
from hamex.files import check_writable, write_atomically
from hamex.paper.results import CONVENTIONS, Convergence, PaperResults, PaperRow, milli
from hamex.report.equations import equation
from hamex.report.page import captioned, cards, page, table
from hamex.report.style import BLUE, GREEN, INK, ORANGE, RED, check_installed, figure, save, to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTIONS = {
    "figure-10": "Figure 10. Displacement under the resonant sine: new method dotted, Newmark solid.",
    "figure-11": "Figure 11. Hysteresis under the resonant sine. New method: step means (88)-(89); Newmark: "
    "node values.",
    "figure-12": "Figure 12. Displacement under El Centro × 2: new method dotted, Newmark solid.",
    "figure-13": "Figure 13. Hysteresis under El Centro × 2.",
    "convergence": "Not in the paper. Relative RMS error of the displacement against the step; dotted guides have "
    "slopes 1 and 2. Reference: own run at 0.02/1024 s. Newmark iterates to 1e-12 here.",
}
_STEP = (
    r"\left(\frac{m}{h}+\frac{c}{2}\right)\Delta u+\frac{h}{2}F=p_{r-1}+\frac{h}{2}f_r,\qquad "
    r"aF+\frac{h}{2}\,\dot u_1=u_{r-1}+\frac{\Delta u}{2}-u_{1,r-1},\qquad "
    r"\dot u_1=\frac{1}{\eta}\langle |F|-F_y\rangle\,\mathrm{sgn}\,F"
)
NEW = {"color": RED, "ls": (0, (1, 1.1)), "lw": 1.5, "label": "new method, eqs. (66)-(68)", "zorder": 3}
OLD = {"color": BLUE, "ls": "-", "lw": 0.9, "label": "Newmark with Newton-Raphson"}
PAGE = "index.html"


def paper_page(results: PaperResults, drawings: Mapping[str, str]) -> str:
    """The whole page; ``drawings`` are SVG elements by figure name."""

    def show(*names: str) -> str:
        return "".join(captioned(drawings[name], CAPTIONS[name]) for name in names)

    sections = [
        _top(results),
        _table1(),
        "<h2>Table 2, digit by digit</h2>",
        _table2(results),
        "<h2>What Table 2 needs and the paper does not say</h2><ol>"
        + "".join(f"<li>{escape(text)}</li>" for text in CONVENTIONS)
        + "</ol>",
        "<h2>The step</h2><p>Displacement and impulse are linear over a step; <i>F</i> = Δ<i>J</i>/<i>h</i> is the "
        "mean spring force. The elastic trial fixes the direction of slip, so one pass solves eqs. (66)-(68):</p>"
        + equation(_STEP),
        "<h2>Figures 10-13</h2>" + show("figure-10", "figure-11", "figure-12", "figure-13"),
        "<h2>What the paper does not show</h2>" + _beyond(results) + show("convergence"),
        "<h2>OpenSees</h2>" + _opensees(results),
    ]
    foot = (
        "J. Kim, <i>Extended Hamilton's principle</i>. Record: El Centro 1940 NS, US Coast and Geodetic Survey, as "
        "digitised in Chopra's appendix."
    )
    return page("Extended Hamilton's principle: section 6 reproduced", "\n".join(sections), foot, "paper")


def _top(results: PaperResults) -> str:
    matches = sum(2 if row.digits_match else 0 for row in results.rows)
    live = "run live" if results.opensees["live"] else "recorded values"
    numbers = (
        (f"{matches} of {2 * len(results.rows)}", "printed numbers met in every digit"),
        (f"{results.energy_residual_max:.1e}", "energy residual / largest work, at most"),
        ("0", "Newton iterations of the new method"),
        (live, f"OpenSees {escape(results.opensees['version'])}, viscosity honoured"),
    )
    return (
        "<h1>Extended Hamilton's principle</h1><p class='lead'>Section 6 of J. Kim's paper, computed: an "
        "elastic-viscoplastic oscillator under a resonant sine and under El Centro, by a variational step that "
        f"needs no iteration, beside Newmark with Newton-Raphson.</p>{cards(numbers)}"
    )


def _table1() -> str:
    rows = [
        ["Parameter changed", "step h = 0.02, 0.01, 0.005 s", "η = c = 1.5, 0.9, 0.3 kip·s/in (ξ = 5, 3, 1 %)"],
        ["Parameter fixed", "η = c = 1.5 kip·s/in", "h = 0.02 s"],
        ["Scale factor", "0.2", "2"],
        ["Loading duration", "30 s", "31.16 s printed; the series ends at 31.18 s with a zero"],
        ["Analysis time", "40 s", "40 s"],
    ]
    return (
        "<h2>Table 1, the inputs</h2>"
        + table(["", "Resonant, sin 15t", "El Centro"], rows, words=True)
        + "<p>Fixed: m = 1 kip·s²/in, k = 225 kip/in, F<sub>y</sub> = 0.27 kip (printed as kip/in); at rest at "
        "t = 0.</p>"
    )


def _table2(results: PaperResults) -> str:
    head = ["Case", "Parameter", "u₁ printed", "u₁ computed", "p printed", "p computed", "digits"]
    return table(
        head,
        [_row2(row) for row in results.rows],
        "Final slip u₁ in milli-in and momentum p in milli-in/s (unit mass), at 40 s.",
    ) + _beside(results)


def _beside(results: PaperResults) -> str:
    head = ["Case", "Parameter", "u₁ new", "u₁ Newmark", "u₁ OpenSees", "p new", "p Newmark", "p OpenSees"]
    rows = []
    for row in results.rows:
        rows.append(
            [
                row.case.loading,
                row.case.parameter,
                row.slip_computed,
                milli(row.newmark.values("slip")[-1, 0]),
                milli(row.opensees["slip"]),
                row.momentum_computed,
                milli(row.newmark.values("momentum")[-1, 0]),
                milli(row.opensees["momentum"]),
            ]
        )
    kind = "run live" if results.opensees["live"] else "recorded"
    return table(head, rows, f"The same beside our Newmark with Newton-Raphson and OpenSees ({kind}).")


def _row2(row: PaperRow) -> list[str]:
    mark = '<span class="good">all match</span>' if row.digits_match else '<span class="bad">differ</span>'
    case = row.case
    return [
        case.loading,
        case.parameter,
        case.slip_printed,
        row.slip_computed,
        case.momentum_printed,
        row.momentum_computed,
        mark,
    ]


def _beyond(results: PaperResults) -> str:
    head = [
        "Case",
        "Parameter",
        "u₁ average",
        "p average",
        "slipping",
        "iterations",
        "per step",
        "residual",
        "residual N.",
    ]
    rows = []
    for row in results.rows:
        iterations = int(row.newmark.values("iterations").sum())
        rows.append(
            [
                row.case.loading,
                row.case.parameter,
                milli(row.average.values("slip")[-1, 0]),
                milli(row.average.values("momentum")[-1, 0]),
                f"{100 * yield_share(row):.0f} %",
                f"{iterations:,}",
                f"{iterations / row.newmark.steps:.2f}",
                f"{row.average.residual:.0e}",
                f"{row.newmark.residual:.0e}",
            ]
        )
    text = (
        "<p>Taking the average of the load at the two ends of a step, instead of its value at the end, makes the "
        "method second order. Newmark with an end-of-step return map is first order once the spring slips. The "
        "energy residual checks the arithmetic of a run; it says nothing about its accuracy, which the convergence "
        "plot does.</p>"
    )
    caption = (
        "Table 2 with the average load (milli-in, milli-in/s); share of steps that slip; Newton iterations that "
        "Newmark spends; energy residuals relative to the largest work, of the new method and of Newmark (N.)."
    )
    return text + table(head, rows, caption)


def _opensees(results: PaperResults) -> str:
    source = results.opensees
    worst = max(row.opensees["difference"] for row in results.rows)
    how = (
        "were computed in this run"
        if source["live"]
        else f"are recorded values from the repository, because here: {escape(source['reason'])} "
        "Rerun <code>python -m hamex.paper.results</code> where it is installed"
    )
    effect = "it does" if source["eta_honoured"] else "it does NOT"
    return (
        f"<p>The OpenSees columns {how}. OpenSees {escape(source['version'])}, zeroLength element with the "
        "Hardening material (no hardening, viscosity η), Newmark average acceleration, Newton, displacement "
        "increment 1e-7, at most 10 iterations. Our Newmark follows it to "
        f"{worst:.0e} of the peak displacement, iteration by iteration. Releases after 3.5 ignore η without an "
        f"error; before anything is compared, a probe run checks that η changes the answer: {effect}.</p>"
    )


def figures(results: PaperResults) -> dict[str, Figure]:
    """All figures by name."""
    resonant = [row for row in results.rows if row.case.is_resonant]
    record = [row for row in results.rows if not row.case.is_resonant]
    drawn = {
        "figure-10": displacement(resonant),
        "figure-11": hysteresis(resonant),
        "figure-12": displacement(record),
        "figure-13": hysteresis(record),
    }
    if results.convergence:
        drawn["convergence"] = convergence(results.convergence)
    return drawn


def displacement(rows: list[PaperRow]) -> Figure:
    """Displacement histories, one panel a case: Figs. 10 and 12."""
    with figure(len(rows), 1, height=1.95 * len(rows), sharex=True) as (drawing, axes):
        for row, axis in zip(rows, axes[:, 0], strict=True):
            for solution, style in ((row.newmark, OLD), (row.end, NEW)):
                axis.plot(solution.times, 1e3 * solution.values("displacement")[:, 0], **style)
            axis.set(
                title=row.case.parameter + (" s" if row.case.is_resonant else ""), ylabel="$u$ [milli-in]", xlim=(0, 40)
            )
        axes[-1, 0].set_xlabel("time [s]")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return drawing


def hysteresis(rows: list[PaperRow]) -> Figure:
    """Force against displacement, by eqs. (88)-(89) for the new method and at the nodes for Newmark: Figs. 11, 13."""
    with figure(1, len(rows), height=3.3, sharey=True) as (drawing, axes):
        for row, axis in zip(rows, axes[0], strict=True):
            axis.plot(1e3 * row.newmark.values("displacement"), row.newmark.values("node_force"), **OLD)
            axis.plot(1e3 * row.end.values("mean_displacement"), row.end.values("force"), **NEW)
            axis.set(title=row.case.parameter + (" s" if row.case.is_resonant else ""), xlabel="$u$ [milli-in]")
        axes[0, 0].set_ylabel("spring force [kip]")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return drawing


def convergence(studies: tuple[Convergence, ...]) -> Figure:
    """Error against step for both load rules and Newmark."""
    looks = {
        "end": (RED, "o", "new, load at end (paper)", "top"),
        "newmark": (BLUE, "s", "Newmark with Newton-Raphson", "bottom"),
        "average": (GREEN, "D", "new, average load (default)", "center"),
    }
    with figure(1, len(studies), height=3.9, sharey=True) as (drawing, axes):
        for study, axis in zip(studies, axes[0], strict=True):
            for name, (colour, mark, label, side) in looks.items():
                axis.loglog(study.steps, study.errors[name], color=colour, marker=mark, ms=4.5, label=label)
                axis.annotate(
                    f"order {study.order(name):.1f}",
                    (study.steps[-1], study.errors[name][-1]),
                    xytext=(-4, 0),
                    textcoords="offset points",
                    ha="right",
                    va=side,
                    fontsize=8,
                    color=colour,
                )
            for power, level in ((1, 0.25), (2, 0.06)):
                guide = level * (study.steps / study.steps[0]) ** power
                axis.loglog(study.steps, guide, color=INK if power == 1 else ORANGE, lw=0.7, ls=":")
            axis.set(
                title=f"{study.case.loading}, {study.case.parameter.replace('h = 0.02', 'η = c = 1.5')}",
                xlabel="step $h$ [s]",
                xlim=(1.3e-4, 0.03),
                ylim=(1e-6, 0.5),
            )
            axis.set_xticks(study.steps[::2], [f"{h:.2g}" for h in study.steps[::2]])
            axis.set_xticks([], minor=True)
        axes[0, 0].set_ylabel("RMS error of $u$, relative")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return drawing


def yield_share(row: PaperRow) -> float:
    """Share of the steps in which the spring slips."""
    return float(np.mean(np.diff(row.end.values("slip")[:, 0]) != 0))


def check_folder(folder: Path) -> None:
    """Make the folder, or say why it cannot be used, before any work starts."""
    check_installed()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"cannot write into {folder}: {problem.strerror}") from None
    check_writable(folder / PAGE, (".html",))


def write_paper(results: PaperResults, folder: Path) -> Path:
    """Figures as PNG and SVG, and one page that holds everything; returns the page's path."""
    check_folder(folder)
    drawn = figures(results)
    for name, drawing in drawn.items():
        for ending in (".png", ".svg"):
            path = folder / f"{name}{ending}"
            write_atomically(path, partial(save, drawing))
    text = paper_page(results, {name: to_svg(drawing) for name, drawing in drawn.items()})
    return write_atomically(folder / PAGE, lambda temporary: temporary.write_text(text, encoding="utf-8"))
