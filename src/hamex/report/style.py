"""One look for every figure: colours that colour-blind readers can tell apart, thin axes, no clutter."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hamex.errors import MissingPackageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito, "Color Universal Design" (2008).
BLUE, ORANGE, GREEN, PINK, SKY, RED, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#222222")

_RULES: Any = {
    "figure.dpi": 160, "font.size": 9.5, "font.family": "DejaVu Sans",
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8, "axes.grid": True,
    "axes.titlesize": 9.5, "axes.titlelocation": "left", "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "lines.linewidth": 1.2, "legend.frameon": False, "svg.fonttype": "path", "svg.hashsalt": "hamex",
}


def check_installed() -> None:
    """Refuse to start on something to be drawn when the drawing packages are missing."""
    missing = [name for name in ("matplotlib", "ziamath") if find_spec(name) is None]
    if missing:
        raise MissingPackageError(f"drawing needs {' and '.join(missing)}: pip install 'hamex[plot]'")


@contextmanager
def figure(rows: int = 1, columns: int = 1, width: float = 8.4, height: float = 3.0,
           **options: Any) -> Iterator[tuple[Figure, Any]]:
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


def save(drawing: Figure, path: Path) -> None:
    """Write a figure by the ending of its path; the same figure gives the same bytes."""
    import matplotlib as mpl

    with mpl.rc_context(_RULES):
        drawing.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def to_svg(drawing: Figure) -> str:
    """The figure as an SVG element to stand inside a page."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(_RULES):
        drawing.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg"):]
