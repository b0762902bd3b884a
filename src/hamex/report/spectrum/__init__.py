"""Spectra as pictures, tables and a page: call ``draw_spectrum`` and ``write_spectrum``.

``lines`` makes curves and numbers of a spectrum, ``diagrams`` draws one diagram each; here they come together: one
figure, or a page with all of them, a table and the conventions.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamex import __version__
from hamex.files import write_atomically
from hamex.report import page as pages
from hamex.report.page import FORMATS, check_plot, write_drawing
from hamex.report.spectrum import diagrams
from hamex.report.spectrum.lines import Lines, check_view, conventions, kinds_note, short, tables
from hamex.report.style import SOFT, figure, to_svg
from hamex.study.spectra.elastic import Spectrum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "draw_spectrum", "views", "write_spectrum"]


def views(spec: Spectrum) -> tuple[str, ...]:
    """What can be drawn of a spectrum; "sheet" is all that matters on one figure."""
    lines = Lines(spec)
    if not lines.yielding:
        return ("sheet", "period", "tripartite", "adrs")
    if lines.by == "strength":
        return ("sheet", "ductility", "displacement", "steps")
    return ("sheet", "strength", "displacement", "adrs", "steps")


def draw_spectrum(
    spec: Spectrum, view: str = "sheet", *, title: str = "", kinds: Sequence[str] = (), linear: bool = False
) -> Figure:
    """Draw a spectrum.

    Parameters
    ----------
    spec : result of :func:`hamex.spectrum`.
    view : elastic: "period" (PSa, PSv, Sd), "tripartite", "adrs"; yielding: "strength" or "ductility", "displacement"
        (with error bars, and residual), "adrs", "steps" (of the runs, and error bars); "sheet": the main ones together.
    title : of the figure; the motion's source if left out.
    kinds : of the motions, ``motion.kind``; what was not recorded is said on the figure.
    linear : periods on a linear axis.
    """
    check_view(view, views(spec))
    lines = Lines(spec)
    drawing = _VIEWS[view, lines.yielding](lines, linear)
    _words(drawing, lines, title, tuple(kinds))
    return drawing


def write_spectrum(
    spec: Spectrum, path: str | Path, view: str = "sheet", *, title: str = "", kinds: Sequence[str] = ()
) -> Path:
    """Write a figure as ``.png`` or ``.svg``, or a page ``.html`` with all figures that needs no network."""
    path = Path(path)
    check_plot(path)
    check_view(view, views(spec))
    if path.suffix.lower() != ".html":
        return write_drawing(draw_spectrum(spec, view, title=title, kinds=kinds), path, title)
    text = _page(spec, title, tuple(kinds))
    return write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


# Figures of the views.


def _elastic_sheet(lines: Lines, linear: bool) -> Figure:
    with figure(2, 2, width=10.4, height=8.2) as (drawing, ((acceleration, displacement), (three, radial))):
        diagrams.over_period(
            acceleration,
            lines,
            "pseudo_acceleration",
            linear=linear,
            per=lines.g,
            unit="g",
            words="pseudo-acceleration PSa",
        )
        diagrams.over_period(
            displacement,
            lines,
            "displacement",
            linear=linear,
            unit=lines.spec.length,
            words="displacement Sd",
            legend="upper left",
        )
        diagrams.tripartite(three, lines, (4.2, 2.9))
        diagrams.adrs(radial, lines, (4.3, 3.0), legend=False)
    return drawing


def _period(lines: Lines, linear: bool) -> Figure:
    length = lines.spec.length
    with figure(3, 1, height=8.4) as (drawing, rows):
        parts = (
            ("pseudo_acceleration", "pseudo-acceleration PSa", "g", lines.g),
            ("pseudo_velocity", "pseudo-velocity PSv", f"{length}/s", 1.0),
            ("displacement", "displacement Sd", length, 1.0),
        )
        for place, (here, (name, words, unit, per)) in enumerate(zip(rows[:, 0], parts, strict=True)):
            diagrams.over_period(
                here,
                lines,
                name,
                linear=linear,
                words=words,
                unit=unit,
                per=per,
                legend="upper left" if place == 2 else "",
            )
            if place < 2:
                here.set_xlabel("")
    return drawing


def _tripartite(lines: Lines, linear: bool) -> Figure:
    # Decades are equally long both ways; room to spare above and below, which the layout does not count with.
    box = diagrams.frame(lines, (6.3, 99.0))
    height = 4.0 if box is None else (box.high - box.low) * box.scale
    with figure(1, 2, width=9.4, height=height + 2.0, width_ratios=[3.6, 1]) as (drawing, ((here, beside),)):
        diagrams.tripartite(here, lines, (6.3, height))
        beside.axis("off")  # names of lines stand all over the diagram
        lines.legend(beside, "upper left", named_by=here, borderaxespad=0.0)
    return drawing


def _adrs(lines: Lines, linear: bool) -> Figure:
    with figure(height=5.2) as (drawing, here):
        diagrams.adrs(here[0, 0], lines, (7.3, 3.9))
    return drawing


def _demand(here: Any, lines: Lines, linear: bool, legend: str = "") -> None:
    """Strength for a ductility, or the ductility that a strength gives."""
    if lines.by == "ductility":
        diagrams.over_period(
            here,
            lines,
            "strength",
            linear=linear,
            words="yield force over weight",
            unit="",
            elastic="elastic_strength",
            legend=legend,
        )
        return
    diagrams.over_period(
        here, lines, "reached_ductility", linear=linear, words="ductility reached", unit="", legend=legend
    )
    reached = lines.values("reached_ductility")
    if len(lines.periods) > 1 and (reached > 0).any():
        here.set_yscale("log")
        here.set_ylim(max(0.1, 0.8 * np.nanmin(reached)), 1.3 * np.nanmax(reached))
        diagrams.plain_numbers(here)
    here.axhline(1, color=SOFT, lw=0.8)
    here.annotate(
        "first yield",
        (1, 1),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2),
        ha="right",
        va="bottom",
        textcoords="offset points",
        fontsize=7.5,
        color=SOFT,
    )


def _strength(lines: Lines, linear: bool) -> Figure:
    with figure(height=4.2) as (drawing, here):
        _demand(here[0, 0], lines, linear, "upper right")
    return drawing


def _moved(here: Any, lines: Lines, linear: bool) -> None:
    diagrams.with_bars(
        here,
        lines,
        "displacement",
        "displacement_error",
        linear=linear,
        unit=lines.spec.length,
        words="largest displacement, with error bars",
        elastic="elastic_displacement",
        legend="upper left",
    )


def _residual(here: Any, lines: Lines, linear: bool) -> None:
    diagrams.with_bars(
        here,
        lines,
        "residual_displacement",
        "residual_error",
        linear=linear,
        unit=lines.spec.length,
        words="residual displacement without its sign, with error bars",
    )


def _displacement(lines: Lines, linear: bool) -> Figure:
    with figure(2, 1, height=6.4) as (drawing, rows):
        _moved(rows[0, 0], lines, linear)
        _residual(rows[1, 0], lines, linear)
        rows[0, 0].set_xlabel("")
    return drawing


def _steps(lines: Lines, linear: bool) -> Figure:
    with figure(1, 2, height=3.4) as (drawing, ((left, right),)):
        diagrams.steps(left, lines, linear)
        diagrams.relative_error(right, lines, linear)
    return drawing


def _yielding_sheet(lines: Lines, linear: bool) -> Figure:
    with figure(2, 2, width=10.4, height=7.6) as (drawing, ((demand, moved), (residual, last))):
        _demand(demand, lines, linear)
        _moved(moved, lines, linear)
        _residual(residual, lines, linear)
        if lines.by == "ductility":
            diagrams.adrs(last, lines, (4.3, 2.8), legend=False)
        else:
            diagrams.relative_error(last, lines, linear)
    return drawing


_VIEWS: dict[tuple[str, bool], Callable[[Lines, bool], Figure]] = {
    ("sheet", False): _elastic_sheet,
    ("period", False): _period,
    ("tripartite", False): _tripartite,
    ("adrs", False): _adrs,
    ("sheet", True): _yielding_sheet,
    ("strength", True): _strength,
    ("ductility", True): _strength,
    ("displacement", True): _displacement,
    ("adrs", True): _adrs,
    ("steps", True): _steps,
}


# Words.


def _heading(lines: Lines, title: str) -> str:
    if title:
        return title
    if lines.motions:
        return f"{len(lines.motions)} motions"
    other = lines.spec.attributes.get("across")
    return f"{lines.spec.attributes['source']}" + (f" and {other}" if other else "")


def _words(drawing: Figure, lines: Lines, title: str, kinds: tuple[str, ...]) -> None:
    """Title above, conventions below, in the room that the layout keeps for them."""
    note = kinds_note(kinds)
    drawing.suptitle(
        short(_heading(lines, title), 100) + (f"   [{note}]" if note else ""), x=0.01, ha="left", fontsize=10.5
    )
    said = conventions(lines.spec)
    kept = ("record between samples", "peaks", "step of the runs", "spring", "combinations", "gravity", "median")
    parts = [f"{name}: {said[name]}" for name in kept if name in said]
    if len(lines.damping) == 1:
        parts.insert(0, f"damping {lines.damping[0]} of critical")
    width = int(19.5 * drawing.get_figwidth())
    drawing.supxlabel("\n".join(textwrap.wrap(" · ".join(parts), width)), x=0.01, ha="left", fontsize=7.2, color=SOFT)


_CAPTIONS = {
    "period": "Response spectrum: pseudo-acceleration ω²Sd, pseudo-velocity ωSd and the largest displacement Sd "
    "relative to the ground.",
    "tripartite": "Tripartite diagram. Of one point of the curve, read the pseudo-velocity to the left, the "
    "pseudo-acceleration along the rising lines, the displacement along the falling ones.",
    "strength": "Yield force over weight that the ductilities need, under the elastic demand.",
    "ductility": "Ductility that oscillators of given strength reach; below 1 they stay elastic.",
    "displacement": "Largest and residual displacement. Error bars are from half and a quarter of the step; "
    "where they cannot be seen they are thinner than the line.",
    "steps": "Step of the runs as a function of the period, and error bars as shares of the displacement.",
}


def _caption(view: str, lines: Lines) -> str:
    if view != "adrs":
        return _CAPTIONS[view]
    if lines.yielding:
        return (
            "Yield force over weight against the largest displacement (ADRS). Grey lines through the origin are "
            "periods of the secant stiffness."
        )
    return (
        "Pseudo-acceleration against displacement (ADRS). Grey lines through the origin are the periods of the "
        "oscillators."
    )


def _page(spec: Spectrum, title: str, kinds: tuple[str, ...]) -> str:
    lines = Lines(spec)
    name = "Inelastic response spectrum" if lines.yielding else "Response spectrum"
    body = [f"<h1>{name}</h1>", f'<p class="lead">{escape(_heading(lines, title))}</p>']
    note = kinds_note(kinds)
    if note:
        body.append(f'<p class="bad">{escape(note)}: not recorded as it stands.</p>')
    for view in views(spec)[1:]:
        drawing = _VIEWS[view, lines.yielding](lines, False)
        body.append(pages.captioned(to_svg(drawing), _caption(view, lines)))
    body.append("<h2>Numbers</h2>")
    found = tables(spec)
    narrow = all(len(table.columns) < 6 for table in found)
    body += [
        f'<div class="{"beside" if narrow else ""}">',
        *(pages.table([escape(cell) for cell in table.columns], table.rows, escape(table.title)) for table in found),
        "</div>",
    ]
    body.append("<h2>Conventions</h2>")
    said = conventions(spec)
    body.append(pages.table([], [[escape(key), escape(text)] for key, text in said.items()], words=True))
    if lines.motions:
        body.append("<h2>Motions</h2>")
        rows = [[str(place), escape(str(source))] for place, source in enumerate(spec.coordinates["motion"], start=1)]
        body.append(pages.table(["", "source"], rows, words=True))
    by = str(spec.attributes["hamex"])  # a spectrum from a file may be older than the page
    about = "" if by == __version__ else f"Computed by hamex {escape(by)}."
    return pages.page(name, "\n".join(body), about, "spectrum")
