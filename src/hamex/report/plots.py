"""One verb, ``plot``, for every noun that can be seen."""

from __future__ import annotations

from collections.abc import Callable
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


def plot(noun: Any, title: str = "") -> Any:
    """A figure of what a noun holds, in the house style; ``sol.plot()`` is the same.

    Parameters
    ----------
    noun : a solution of :func:`hamex.solve` or of slow loading, a spectrum, an IDA, a ground motion, or a model that
        has a shape.
    title : of the figure.

    Returns
    -------
    A matplotlib figure; ``figure.savefig("run.png")`` writes it.

    Examples
    --------
    >>> import hamex as hx
    >>> frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(2.0), heights=3.0)
    >>> len(hx.plot(hx.pushover(frame, "floor 2", 0.1)).axes)
    2
    """
    check_installed()
    if type(noun).__name__ not in _PICTURES:
        raise InputError(f"plot: there is no picture of a {type(noun).__name__}; there is of {', '.join(_PICTURES)}")
    return _PICTURES[type(noun).__name__](noun, title)


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
