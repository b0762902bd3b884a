"""Scripts of the study view: spectra, and an incremental dynamic analysis with its fragility, bit for bit."""

from __future__ import annotations

from typing import Any

from hamex.spec.study import StudyFile, StudyTables
from hamex.studio.code_parts import (
    arguments,
    called,
    headline,
    import_lines,
    model_lines,
    motion_lines,
    said,
    suite_code,
    units_lines,
    wrapped,
)
from hamex.studio.study_spectrum import PeriodsTable, SpectrumScript

_ELASTIC = """
acceleration = elastic.values("pseudo_acceleration")[0] / g
top = acceleration.argmax()
print(f"elastic: up to {acceleration[top]:.8g} g at {periods[top]:.4g} s")
for period, displacement, in_gravities in list(zip(periods, elastic.values("displacement")[0], acceleration))[::every]:
    print(f"{period:8.4f} s  {displacement:.8g} {units.length}  {in_gravities:.8g} g")
"""
_YIELDING = """
for mu, strength, displacement in zip(yielding.coordinates["ductility"], yielding.values("strength")[0],
                                      yielding.values("displacement")[0]):
    print(f"ductility {mu:g}: strength over weight, displacement")
    for row in list(zip(periods, strength, displacement))[::every]:
        print("{:8.4f} s  {:.8g}  {:.8g}".format(*row), units.length)
"""
_CURVES = """
curves = found.curves[0]
for label, capacity in zip(curves.labels, curves.capacities):
    print(f"{label}: {curves.limit_name} at {capacity:.8g} {intensity.unit}")
"""
_FIT = """
low, high = fit.interval()["median"]
print(f"median capacity {fit.median:.8g} {intensity.unit} ({low:.4g} to {high:.4g})")
print(f"dispersion {fit.dispersion:.8g}, with modelling {fit.total_dispersion:.8g}")
"""


def spectrum_code(request: SpectrumScript) -> str:
    """A script that makes the spectra."""
    lines = [headline("Spectra"), "", "import numpy as np", "", "import hamex as hx", "", *units_lines(request.units),
             *motion_lines(request.motion)]
    fine = request.periods if request.ductility is None else request.elastic
    if fine is not None:
        lines += ["", _periods(fine), f"elastic = hx.spectrum(motion, periods, {request.damping!r}, g=g, units=units)",
                  _ELASTIC.strip()]
    if request.ductility is not None:
        lines += ["", _periods(request.periods),
                  f"yielding = hx.spectrum(motion, periods, {request.damping!r}, g=g, ductility={request.ductility!r}, "
                  f"units=units, hardening={request.hardening!r})", _YIELDING.strip()]
    return "\n".join(lines) + "\n"


def _periods(table: PeriodsTable) -> str:
    spaced = "geomspace" if table.spacing == "log" else "linspace"
    # A few rows are printed, however many periods there are.
    return (f"periods = np.{spaced}({table.start!r}, {table.stop!r}, {table.count!r})\n"
            f"every = {max(1, table.count // 10)}")


def ida_code(tables: StudyTables, file: StudyFile) -> str:
    """A script of a study. ``file`` is what the tables build, with as many records as one likes: it knows the levels
    and measures."""
    lines = [headline(tables.title or "A study of the studio"), ""]
    lines += [*import_lines(tables.model, tables.scheme), *units_lines(tables.units), *model_lines(tables.model)]
    records = tables.records.synthetic
    lines.append(f"records = {'[hx.el_centro()]' if records is None else suite_code(records, records.count)}")
    intensity = tables.intensity
    lines.append(f"intensity = hx.{type(file.intensity).__name__}({arguments(_given(intensity))})")
    axes = ['"record": records']
    for name in ("scale", "level"):
        if name in file.study.axes:
            lines.append(f"{name}s = {wrapped(file.study.axes[name])}")
            axes.append(f'"{name}": {name}s')
    more = arguments(tables.given("duration", "seed"))
    lines.append(f"study = hx.Study(model, {{{', '.join(axes)}}}, [{', '.join(map(said, file.study.measures))}],\n"
                 f"                 {called(tables.scheme)}, g=g, intensity=intensity{more and ', ' + more})")
    hunting = "" if tables.hunt is None else f", hunting=hx.Hunt({arguments(_given(tables.hunt))})"
    lines.append(f"found = hx.ida(study, {said(file.demand)}, {file.limit!r}, intensity=intensity{hunting}, workers=1)")
    lines += [_CURVES.rstrip(), ""]
    # One record has a curve and no distribution.
    if records is not None and records.count > 1:
        lines += [f"fit = curves.fragility({file.modelling!r}, {file.study.seed!r}, {file.resamples!r}, "
                  f"stripes={file.stripes!r})", _FIT.strip()]
    return "\n".join(lines) + "\n"


def _given(table: Any) -> dict[str, Any]:
    return dict(table.given(*(name for name in type(table).model_fields if name != "kind")))
