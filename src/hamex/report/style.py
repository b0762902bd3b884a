"""One look for every figure: each colour said once, as it stands on white paper and on dark; thin axes, no clutter;
and the energies of a run over time, which many sheets show."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamex.errors import MissingPackageError
from hamex.solution.outline import unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hamex.solution.solution import Solution

# The six colours of curves are those of Okabe & Ito, "Color Universal Design" (2008), which colour-blind readers can
# tell apart; on dark the two blues change places, so that the blue of most curves is the brighter one.
COLOURS: dict[str, tuple[str, str]] = {
    "ink": ("#1d2330", "#e8eaee"),
    "soft": ("#5b6474", "#a4adba"),
    "grey": ("#929ba8", "#848e9c"),
    "faint": ("#c4c9d2", "#4a525f"),
    "line": ("#d9dde4", "#3a414d"),
    "paper": ("#ffffff", "#161a20"),
    "wash": ("#f5f7fa", "#1f242c"),
    "accent": ("#0072b2", "#56b4e9"),
    "good": ("#00714f", "#4fd1a5"),
    "bad": ("#b3400b", "#ff9a62"),
    "blue": ("#0072b2", "#56b4e9"),
    "orange": ("#e69f00", "#e69f00"),
    "green": ("#009e73", "#009e73"),
    "pink": ("#cc79a7", "#cc79a7"),
    "sky": ("#56b4e9", "#0072b2"),
    "red": ("#d55e00", "#d55e00"),
    "brown": ("#8a4b00", "#e8a860"),
    "pine": ("#00583f", "#62c9a3"),
    # Five steps that read as worse and worse: from grey over yellow, orange and red to purple, each farther from the
    # paper than the one before, so that they are ordered in grey too.
    "step-1": ("#e4e8e6", "#39414b"),
    "step-2": ("#f0c24b", "#75682a"),
    "step-3": ("#e07f26", "#c07a26"),
    "step-4": ("#b2341f", "#f58568"),
    "step-5": ("#4f0e33", "#ffd3ee"),
    # Energies keep their colour on dark paper: stored is the deep blue, kinetic the light one, on both.
    "stored": ("#0a6ead", "#2f8ccb"),
    "kinetic": ("#5db5e7", "#8fd0f2"),
}
INK, SOFT, GREY, FAINT, LINE, PAPER, BLUE, ORANGE, GREEN, PINK, SKY, RED, BROWN, PINE = (
    COLOURS[name][0]
    for name in (
        "ink",
        "soft",
        "grey",
        "faint",
        "line",
        "paper",
        "blue",
        "orange",
        "green",
        "pink",
        "sky",
        "red",
        "brown",
        "pine",
    )
)
STEPS = tuple(COLOURS[f"step-{number}"][0] for number in range(1, 6))
# The parts of an energy balance, from what is lost to what moves, under the words that results, reports and studio use.
ENERGIES = {
    "plastic": RED,
    "viscous": ORANGE,
    "jumps": PINK,
    "hardening": GREEN,
    "stored": COLOURS["stored"][0],
    "kinetic": COLOURS["kinetic"][0],
    "input": INK,
}
_NAMES = {light: name for name, (light, _) in COLOURS.items()}
_RULES: Any = {
    "figure.dpi": 160,
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "text.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.prop_cycle": f"cycler(color={[BLUE, RED, GREEN, ORANGE, PINK, SKY]})",
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "hamex",
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,  # figures ask for it by name
}
_NARROWEST, _WIDEST = 0.65, 1.2  # of a figure on a page, relative to its own width: letters stay readable


def variable(colour: str) -> str:
    """A colour on white as the variable that follows the theme of the page; others stay as they are."""
    name = _NAMES.get(colour.lower())
    return f"var(--{name})" if name else colour


def themed(drawing: str) -> str:
    """An SVG whose lines and areas take their colours from the page."""
    return re.sub(r"\b(fill|stroke): (#[0-9a-f]{6})\b", lambda found: f"{found[1]}: {variable(found[2])}", drawing)


def variables(dark: bool = False) -> str:
    """The colours as declarations of a stylesheet."""
    energies = (f"--{name}: {variable(colour)};" for name, colour in ENERGIES.items() if name not in COLOURS)
    return " ".join([*(f"--{name}: {both[dark]};" for name, both in COLOURS.items()), *energies])


def check_installed(tables: bool = False) -> None:
    """Refuse to start on something to be drawn when the drawing packages are missing; or on ``tables`` beside it."""
    extras = {"matplotlib": "plot", "ziamath": "plot"} | ({"polars": "tables"} if tables else {})
    missing = [name for name in extras if find_spec(name) is None]
    if missing:
        wanted = ",".join(dict.fromkeys(extras[name] for name in missing))
        who = "pictures and tables need" if tables else "drawing needs"
        raise MissingPackageError(f"{who} {' and '.join(missing)}: pip install 'hamex[{wanted}]'")


@contextmanager
def figure(
    rows: int = 1, columns: int = 1, width: float = 8.4, height: float = 3.0, **options: Any
) -> Iterator[tuple[Figure, Any]]:
    """A figure and its axes in the house style; axes always come as a two-dimensional array.

    The object-oriented interface keeps no global list of figures, so nothing has to be closed.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_RULES):
        drawing = Figure(figsize=(width, height), layout="constrained")
        yield drawing, drawing.subplots(rows, columns, squeeze=False, **options)


@contextmanager
def mosaic(layout: list[list[str]], width: float, height: float, **options: Any) -> Iterator[tuple[Figure, Any]]:
    """A figure with axes by name, laid out as in matplotlib's ``subplot_mosaic``."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_RULES):
        drawing = Figure(figsize=(width, height), layout="constrained")
        yield drawing, drawing.subplot_mosaic(layout, **options)  # type: ignore[arg-type]


def short_ticks(axes: Any) -> None:
    """Few ticks on a time axis; of very short times the power of ten stands once, at its end."""
    axes.locator_params(axis="x", nbins=5)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(-2, 4))


def _settle(drawing: Figure) -> None:
    """Find the places of axes and words, once: matplotlib would seek them for every file, and draw twice for it."""
    engine = drawing.get_layout_engine()
    if engine is not None:
        engine.execute(drawing)
        drawing.set_layout_engine(None)


def save(drawing: Figure, path: Path) -> None:
    """Write a figure by the ending of its path; the same figure gives the same bytes."""
    import matplotlib as mpl

    ending = path.suffix.lower().removeprefix(".")
    content = io.BytesIO()
    with mpl.rc_context(_RULES):
        _settle(drawing)
        drawing.savefig(content, format=ending, metadata={"Date": None} if ending == "svg" else None)
    path.write_bytes(content.getvalue())


def to_svg(drawing: Figure) -> str:
    """The figure as an SVG element for a page: it takes its colours from there, light or dark, and has no paper."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(_RULES):
        _settle(drawing)
        drawing.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    rem = 6.0 * drawing.get_figwidth()  # a page has 96 pixels an inch and 16 a rem
    frame = (
        f'<svg class="chart" viewBox="0 0 {72 * drawing.get_figwidth():g} {72 * drawing.get_figheight():g}" '
        f'style="min-width:{_NARROWEST * rem:.1f}rem;max-width:{_WIDEST * rem:.1f}rem">'
    )
    body = _ABOUT.sub("", text[text.index(">", text.index("<svg")) + 1 :])
    return frame + themed(_NUMBERED.sub("", body)).strip()


# What only a file of its own needs, and rules that would hold for the whole page.
_ABOUT = re.compile(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_NUMBERED = re.compile(r' id="[A-Za-z.0-9]+_\d+"')  # names of groups, which nothing refers to


_VISIBLE = 0.002  # of the largest energy: less is no area on the page
# From the bottom up: what is lost, then what is stored, then what moves.
PARTS = tuple((name, colour) for name, colour in ENERGIES.items() if name != "input")


def draw_energy(
    axes: Any, solution: Solution, title: str = "", visible: float = _VISIBLE, fontsize: int | None = 8
) -> None:
    """Energies over time, stacked, beside the work put in; those above a share ``visible`` of the largest."""
    t = solution.times
    largest = max(float(np.abs(solution.values(name)).max()) for name, _ in PARTS)
    parts = [
        (name, colour, solution.values(name))
        for name, colour in PARTS
        if np.abs(solution.values(name)).max() > visible * largest
    ]
    axes.stackplot(
        t,
        *(values for _, _, values in parts),
        colors=[colour for _, colour, _ in parts],
        labels=[name for name, _, _ in parts],
        alpha=0.85,
    )
    start = sum(float(values[0]) for _, _, values in parts)
    axes.plot(t, solution.values("input") + start, color=INK, lw=0.9, ls="--", label="input")
    axes.set(
        xlabel="time [s]",
        ylabel=f"energy [{unit('energy', solution.units.length, solution.units.force)}]",
        xlim=(t[0], t[-1]),
        title=title or f"energy balance (closes to {solution.residual:.0e})",
    )
    axes.legend(loc="lower right", ncols=2, fontsize=fontsize, frameon=True, framealpha=0.9, edgecolor="none")
