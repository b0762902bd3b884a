"""One verb, ``plot``, for every noun that can be seen, and what a notebook shows of it: a line and a small picture.

Nouns stand below their pictures, so they ask for them by name (:class:`hamex.names.Shown`).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from hamex.errors import InputError
from hamex.report.history import draw_run
from hamex.report.ida import draw_curves
from hamex.report.push import draw_push
from hamex.report.records import draw_record
from hamex.report.spectrum import draw_spectrum
from hamex.report.structure import bare, paint
from hamex.report.style import BLUE, check_installed, figure
from hamex.solution.solution import Solution
from hamex.study.ida.ida import Ida
from hamex.study.spectra.intensities import histories
from hamex.study.spectra.result import Spectrum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METRES = 9.80665  # one gravity, for pictures of motions
_SMALL = 80  # dots an inch, in a notebook


def plot(noun: Any, title: str = "") -> Figure:
    """A figure of what a noun holds, in the house style; ``figure.savefig(path)`` writes it."""
    check_installed()
    return _of(noun)(noun, title)


def notebook(noun: Any) -> str:
    """What a notebook shows: what ``print`` says and, where the drawing packages are there, a small picture."""
    said = f"<pre>{escape(repr(noun))}</pre>"
    try:
        check_installed()
        drawing = _of(noun)(noun, "")
    except (InputError, ImportError):
        return said
    picture = BytesIO()  # lines of a history are half a megabyte as paths, a tenth of it as a picture
    drawing.savefig(picture, format="png", dpi=_SMALL)
    data = b64encode(picture.getvalue()).decode()
    return f'{said}<img alt="{escape(repr(noun), quote=True)}" src="data:image/png;base64,{data}">'


def _of(noun: Any) -> Callable[[Any, str], Figure]:
    return _PICTURES[type(noun).__name__]


def _run(solution: Solution, title: str) -> Figure:
    return draw_push(solution, title) if "load_factor" in solution.histories else draw_run(solution, title)


def _analysis(found: Ida, title: str) -> Figure:
    return draw_curves(found.curves[0], title)


def _spectrum(found: Spectrum, title: str) -> Figure:
    return draw_spectrum(found, title=title)


def _motion(motion: Any, title: str) -> Figure:
    return draw_record(histories(motion, _METRES), title or motion.source or "ground motion", "m")


def _model(model: Any, title: str) -> Figure:
    """The structure at rest."""
    if model.geometry is None:
        raise InputError("this model has no shape to draw: an oscillator, or matrices from elsewhere")
    with figure(width=5.0, height=4.6) as (drawing, axes):
        here = axes[0, 0]
        paint(here, model.geometry, model.geometry.coordinates, BLUE)
        bare(here, model.geometry)
        here.set_title(title or f"{len(model.dofs)} degrees of freedom, {len(model.springs)} springs")
    return drawing


_PICTURES: dict[str, Callable[[Any, str], Figure]] = {
    "Solution": _run,
    "Spectrum": _spectrum,
    "Ida": _analysis,
    "IdaCurves": draw_curves,
    "GroundMotion": _motion,
    "Model": _model,
}
