"""Spectra: a motion in, curves over the period out, or the script that computes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response
from numpy.typing import NDArray
from pydantic import Field, model_validator

from hamex.errors import InputError
from hamex.model.units import Units, in_gravities
from hamex.motion.ground import GroundMotion
from hamex.spec.base import Finite, Table, inside
from hamex.spec.loads import MotionTable
from hamex.spec.tables import UnitsTable
from hamex.studio import wire
from hamex.studio.problems import admit_motion
from hamex.studio.scripts import headline, motion_lines, units_lines
from hamex.studio.wire import RequestTable, attached, number, packed
from hamex.study.spectra import spectrum
from hamex.study.spectra.elastic import Spectrum
from hamex.study.spectra.yielding import LEAST_PARTS, STEPS_PER_PERIOD

Array = NDArray[Any]
router = APIRouter(prefix="/api/study")
Period = Annotated[Finite, Field(ge=1e-3, le=1e3)]
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


class PeriodsTable(Table):
    """Periods of the oscillators."""

    start: Period = Field(description="shortest period [s]")
    stop: Period = Field(description="longest period [s]")
    count: int = Field(ge=2, le=wire.PERIODS, description="number of periods")
    spacing: Literal["log", "linear"] = Field("log", description="equal ratios, or equal differences")

    @model_validator(mode="after")
    def _order(self) -> PeriodsTable:
        if self.stop <= self.start:
            raise ValueError("stop must be above start")
        return self

    def build(self) -> Array:
        spaced = np.geomspace if self.spacing == "log" else np.linspace
        return np.asarray(spaced(self.start, self.stop, self.count))


class SpectrumRequest(RequestTable):
    """A spectrum, see :func:`hamex.spectrum`; elastic without ``ductility``."""

    units: UnitsTable
    motion: MotionTable
    damping: Annotated[Finite, Field(ge=0, lt=1)] = Field(0.05, description="ratio of critical damping")
    periods: PeriodsTable
    ductility: list[Annotated[Finite, Field(gt=1)]] | None = Field(
        None, min_length=1, max_length=4, description="ductilities, above 1"
    )
    hardening: Annotated[Finite, Field(ge=0, lt=1)] = Field(
        0.0, description="stiffness after yield over elastic stiffness"
    )


class SpectrumScript(SpectrumRequest):
    """A spectrum to be written as a script; that of constant ductility may have an elastic one beside it."""

    elastic: PeriodsTable | None = Field(None, description="periods of the elastic spectrum beside that of ductility")

    @model_validator(mode="after")
    def _beside(self) -> SpectrumScript:
        if self.elastic is not None and self.ductility is None:
            raise ValueError("elastic belongs to ductility; a spectrum without ductility is elastic itself")
        return self


def admitted(request: SpectrumRequest) -> tuple[Units, float, GroundMotion]:
    """Units, gravity and motion of a spectrum that the studio can make quickly."""
    admit_motion(request.motion)
    with inside("units", request.units):
        units = request.units.build()
    with inside("motion", request.motion):
        motion = request.motion.build(None)
    if len(motion.acceleration) > wire.SAMPLES:
        raise InputError(f"[motion] has {len(motion.acceleration):,} samples; the studio takes {wire.SAMPLES:,}")
    if request.ductility is not None:
        with np.errstate(over="ignore"):
            each = np.maximum(LEAST_PARTS, STEPS_PER_PERIOD * (motion.step / request.periods.build()))
            work = len(motion.acceleration) * float(each.sum())
        if not work <= wire.YIELDING:
            raise InputError(
                f"periods.count must be smaller for this motion: {request.periods.count} periods from "
                f"{request.periods.start:g} s on are {work / wire.YIELDING:.1f} times what the studio "
                "takes; or start at a longer period"
            )
    return units, request.units.gravity or units.gravity, motion


def answer(request: SpectrumRequest) -> dict[str, Any]:
    """The spectrum as the page reads it: lengths in the unit of length, accelerations in gravities."""
    units, g, motion = admitted(request)
    periods = request.periods.build()
    if request.ductility is None:
        curves = _elastic(spectrum(motion, periods, request.damping, g=g, units=units), g)
    else:
        curves = _yielding(
            spectrum(
                motion,
                periods,
                request.damping,
                g=g,
                ductility=request.ductility,
                units=units,
                hardening=request.hardening,
            )
        )
    return {"periods": packed(periods, "f8"), "length": units.length, "g": g, **curves, "motion": _motion(motion)}


def _elastic(found: Spectrum, g: float) -> dict[str, Any]:
    names = ("displacement", "pseudo_velocity", "pseudo_acceleration")
    values = {name: found.values(name)[0] for name in names}
    values["pseudo_acceleration"] = values["pseudo_acceleration"] / g
    return {name: packed(array, "f8") for name, array in values.items()}


def _yielding(found: Spectrum) -> dict[str, Any]:
    """Results by ductility, (ductility, period)."""
    names = (
        "strength",
        "displacement",
        "yield_displacement",
        "residual_displacement",
        "strength_reduction",
        "displacement_error",
    )
    return {
        "ductility": found.coordinates["ductility"].tolist(),
        **{name: packed(found.values(name)[0], "f8") for name in names},
    }


def _motion(motion: GroundMotion) -> dict[str, Any]:
    """The motion itself [g]."""
    factor = in_gravities(motion.unit)
    return {
        "source": motion.source,
        "kind": motion.kind,
        "step": motion.step,
        "peak": number(motion.peak * factor),
        "acceleration": packed(motion.acceleration * factor),
    }


def spectrum_code(request: SpectrumScript) -> str:
    """A script that makes the spectra."""
    lines = [
        headline("Spectra"),
        "",
        "import numpy as np",
        "",
        "import hamex as hx",
        "",
        *units_lines(request.units),
        *motion_lines(request.motion),
    ]
    fine = request.periods if request.ductility is None else request.elastic
    if fine is not None:
        lines += [
            "",
            _periods(fine),
            f"elastic = hx.spectrum(motion, periods, {request.damping!r}, g=g, units=units)",
            _ELASTIC.strip(),
        ]
    if request.ductility is not None:
        lines += [
            "",
            _periods(request.periods),
            f"yielding = hx.spectrum(motion, periods, {request.damping!r}, g=g, ductility={request.ductility!r}, "
            f"units=units, hardening={request.hardening!r})",
            _YIELDING.strip(),
        ]
    return "\n".join(lines) + "\n"


def _periods(table: PeriodsTable) -> str:
    spaced = "geomspace" if table.spacing == "log" else "linspace"
    # A few rows are printed, however many periods there are.
    return (
        f"periods = np.{spaced}({table.start!r}, {table.stop!r}, {table.count!r})\nevery = {max(1, table.count // 10)}"
    )


@router.post("/spectrum")
def response_spectrum(request: SpectrumRequest) -> dict[str, Any]:
    """Response spectrum of a ground motion, elastic or of constant ductility."""
    return answer(request)


@router.post("/spectrum/python")
def spectrum_python(request: SpectrumScript) -> Response:
    """A script that gives the numbers of the spectra."""
    admitted(request)
    return attached(spectrum_code(request), "text/x-python", "spectrum.py")
