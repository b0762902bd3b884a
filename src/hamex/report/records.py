"""Picture of one ground motion: acceleration, velocity, displacement, Husid curve and response spectrum."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.report.page import check_plot, heading, write_drawing
from hamex.report.style import BLUE, GREEN, INK, ORANGE, RED, mosaic
from hamex.study.spectra.intensities import MotionHistories

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CAPTION = (
    "Acceleration, velocity and displacement with their peaks; the share of the Arias intensity over time; and "
    "the response spectrum."
)


def write_record_plot(found: MotionHistories, path: str | Path, title: str, length: str) -> Path:
    """Write the picture as ``.png``, ``.svg`` or a page ``.html``; ``length`` names the unit of length."""
    path = Path(path)
    check_plot(path)
    return write_drawing(draw_record(found, heading(path, title), length), path, title, "record", _CAPTION)


def draw_record(found: MotionHistories, title: str, length: str) -> Figure:
    """Three histories on one clock with their peaks marked; Husid curve and spectrum below."""
    rows = (("acceleration", "g", BLUE), ("velocity", f"{length}/s", GREEN), ("displacement", length, ORANGE))
    layout = [[name, name] for name, _, _ in rows] + [["husid", "spectrum"]]
    with mosaic(layout, 8.4, 8.0, height_ratios=[1, 1, 1, 1.35]) as (drawing, axes):
        t = found.times
        for name, unit, colour in rows:
            values, here = getattr(found, name), axes[name]
            here.plot(t, values, color=colour, lw=0.8)
            place = int(np.abs(values).argmax())
            here.plot(t[place], values[place], "o", ms=4, color=RED)
            # The mark stands beside the number; near the right edge the number stands left of it.
            late = t[place] > 0.8 * t[-1]
            here.annotate(
                f"{found.peaks[name]:.3g} {unit}",
                (t[place], values[place]),
                xytext=(-6 if late else 6, 0),
                textcoords="offset points",
                ha="right" if late else "left",
                va="center",
                color=RED,
                fontsize=8.5,
            )
            here.set(ylabel=f"{name}\n[{unit}]", xlim=(t[0], t[-1]))
            here.margins(y=0.12)
            if name != "displacement":
                here.tick_params(labelbottom=False)
        axes["displacement"].set_xlabel("time [s]")
        axes["acceleration"].set_title(title if len(title) < 100 else title[:99] + "…")
        _husid(axes["husid"], found)
        spectrum = axes["spectrum"]
        spectrum.plot(found.periods, found.pseudo_acceleration, color=INK)
        spectrum.set(
            xlabel="period [s]",
            ylabel="[g]",
            xscale="log",
            xlim=(found.periods[0], found.periods[-1]),
            title=f"pseudo-acceleration, damping {100 * found.damping:g} %",
        )
        spectrum.set_ylim(bottom=0)
        ticks = [T for T in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if found.periods[0] <= T <= found.periods[-1] * 1.001]
        spectrum.set_xticks(ticks, [f"{T:g}" for T in ticks])
        spectrum.minorticks_off()
    return drawing


def _husid(here: Any, found: MotionHistories) -> None:
    """Share of the Arias intensity; shaded between 5 and 95 %."""
    t, share = found.times, found.husid
    begin, end = np.interp([0.05, 0.95], share, t) if share[-1] > 0 else (t[0], t[0])
    here.axvspan(begin, end, color=BLUE, alpha=0.12, lw=0)
    here.plot(t, 100 * share, color=BLUE)
    here.set(
        xlabel="time [s]",
        ylabel="[%]",
        xlim=(t[0], t[-1]),
        ylim=(0, 101),
        title=f"Arias intensity; 5–95 % in {end - begin:.3g} s",
    )
