"""Problems and ground motions as the page sends them: the tables of problem files, of the kinds that the views know,
and records dropped as files; refused when they go beyond the limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import fields
from inspect import cleandoc, signature
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter
from pydantic import Discriminator, Field, Tag, model_validator

from hamex.errors import InputError, LoadError
from hamex.model.laws import known
from hamex.motion.artificial import LEAD, LENGTH, LIMITS, ground_wave, shaking_duration, synthetic_suite
from hamex.motion.records.read import record_from_bytes
from hamex.names import meanings_of
from hamex.schemes import Scheme
from hamex.solve import shortened
from hamex.spec import ProblemFile, problem_of
from hamex.spec.base import inside
from hamex.spec.loads import MotionTable, NumberOrName, SyntheticMotionTable
from hamex.spec.structures import ShearFrameTable
from hamex.spec.tables import OscillatorTable, ProblemTables, SchemeTable
from hamex.studio import wire
from hamex.studio.wire import RequestTable

# How long a history takes, roughly and rather too much, from histories of yielding oscillators and frames of 2 to 200
# storeys on one core of a common computer. A wrong guess costs patience, not correctness.
_CELL = 7e-7  # seconds per step and storey: the march, its energies, its way to the page
_PAIR = 1.3e-7  # per step and pair of storeys (and stages) that are coupled by full matrices
_LOCATED = 6e-3  # per step and spring when the instants of yield are sought, in Python
_HALVINGS = 7  # an error bar costs runs at half and at a quarter of the step
_SCATTER = 5.0  # beyond, exponentials of it leave every meaning behind
router = APIRouter(prefix="/api", tags=["records"])


def law_choices() -> list[dict[str, Any]]:
    """Laws that springs of the page may have instead of a slider, with the numbers that their constructors take: forces
    in yield forces and lengths in yield deformations, so that storeys of any strength share them. Values are those
    that a law is seen with, and defaults.
    """
    found = []
    for kind, law in known().items():
        own = {name: value for name, value in law.example.items() if name not in ("stiffness", "reach")}
        if law.form != "path" or not own or not all(isinstance(value, float | str) for value in own.values()):
            continue
        force = float(law.first_yield(law.grouped([law(**own)], [0]))[0])
        if not math.isfinite(force):
            continue
        at_yield, meanings, names = force / law.example["stiffness"], meanings_of(law), law.names()
        scales = {"force": force, "length": at_yield}
        numbers = []
        for name, default in ((field.name, field.default) for field in fields(law) if field.name != "yield_force"):  # type: ignore[arg-type]
            value, unit = own.get(name, default), _unit(name, meanings.get(name, ""))
            if isinstance(value, float) and math.isfinite(value):
                value = float(f"{value / scales.get(unit, 1.0):.12g}")
            elif not isinstance(value, str):
                continue
            more = {"meaning": meanings.get(name, ""), "words": law.words.get(name), "seen": name in own}
            numbers.append({"name": name, "unit": unit, "value": value, **more})
        about = cleandoc(law.__doc__ or "").replace("\n", " ").partition(". ")[0]
        found.append(
            {"kind": kind, "name": law.__name__, "about": about, "yields": "yield_force" in names, "numbers": numbers}
        )
    return found


def _unit(name: str, meaning: str) -> str:
    """The unit of a parameter as its docstring says it; "1" where it says none. Of points, told together, names in s
    and f are forces and those in e and d deformations."""
    said = re.search(r"\[(.+?)\]", meaning)
    unit = said[1] if said else "1"
    if unit == "force, length":
        return "force" if re.match(r"s\d|eP?N?f", name) else "length"
    return unit


def _kind(value: Any) -> str:
    model = value.get("model") if isinstance(value, dict) else None
    kind = model.get("kind") if isinstance(model, dict) else None
    return "·shear_frame" if kind == "shear_frame" else "·oscillator"


class OscillatorProblem(ProblemTables):
    """A problem file with an oscillator."""

    model: OscillatorTable


class ShearFrameProblem(ProblemTables):
    """A problem file with a shear frame."""

    model: ShearFrameTable


AnyProblem = Annotated[
    Annotated[OscillatorProblem, Tag("·oscillator")] | Annotated[ShearFrameProblem, Tag("·shear_frame")],
    Discriminator(_kind),
]


class HistoryRequest(RequestTable):
    """What a view asks to be run."""

    problem: AnyProblem = Field(description="a problem file, as JSON; files of records are not read")
    against: SchemeTable | None = Field(None, description="a second scheme beside it")
    beside: AnyProblem | None = Field(None, description="another problem beside it, instead of a second scheme")
    error: bool = Field(False, description="estimate the error of every peak by halving the step twice")

    @model_validator(mode="after")
    def _one_beside(self) -> HistoryRequest:
        self.one_of("against", "beside", needed=False)
        return self


def admitted(request: HistoryRequest) -> tuple[ProblemFile, Any]:
    """The problem and the second scheme (or none), when the studio can answer quickly."""
    _admit(request.problem)
    file = problem_of(request.problem)
    against = None if request.against is None else _admit_scheme("against", request.against)
    schemes: list[Scheme] = [file.scheme, *([] if against is None else [against])]
    if file.promise == "cut":
        schemes = [shortened(file.problem.model, scheme) for scheme in schemes]
    for scheme in schemes:
        _admit_size(file, scheme)
    admit_effort(file, schemes, request.error)
    return file, against


def admitted_beside(request: HistoryRequest) -> ProblemFile | None:
    """The problem that stands beside the first, when the studio can answer quickly, or none."""
    if request.beside is None:
        return None
    return admitted(request.model_copy(update={"problem": request.beside, "beside": None}))[0]


def _admit_size(file: ProblemFile, scheme: Any) -> None:
    """Refuse a history that is too long to be kept."""
    model = file.problem.model
    steps = file.problem.steps(scheme.step)
    if steps > wire.STEPS:
        raise InputError(
            f"scheme.step {scheme.step:g} s makes {steps:,} steps; the studio runs {wire.STEPS:,} at "
            "most: a longer step, or `hamex run`"
        )
    if steps * (len(model.dofs) + len(model.springs)) > wire.CELLS:
        raise InputError(
            f"scheme.step {scheme.step:g} s makes {steps:,} steps of {len(model.dofs)} floors, more than "
            "the studio keeps; a longer step, a shorter duration, or `hamex run`"
        )


def _admit_scheme(place: str, table: SchemeTable) -> Scheme:
    """The scheme; refuse one whose work has no bound that is known beforehand."""
    with inside(place, table):
        scheme: Scheme = table.build()
    if scheme.halves:
        raise InputError("scheme.tolerance halves steps as often as it takes; the studio does not, `hamex run` does")
    if (getattr(scheme, "max_iterations", None) or 0) > wire.ITERATIONS:
        raise InputError(f"scheme.max_iterations must be {wire.ITERATIONS} at most in the studio")
    return scheme


def _admit(tables: ProblemTables) -> None:
    if tables.scheme is None:
        raise InputError("the studio shows histories; `hamex pushover` shows slow loading")
    _admit_scheme("scheme", tables.scheme)
    motions = tables.motion if isinstance(tables.motion, list) else [tables.motion] if tables.motion else []
    if len(motions) > wire.MOTIONS:
        raise InputError(f"motion: {wire.MOTIONS} at most, got {len(motions)}")
    for table in motions:
        admit_motion(table)
    supports = tables.support if isinstance(tables.support, list) else [tables.support] if tables.support else []
    finest = min([tables.scheme.step, *(table.step for table in supports if table.step)])
    length = max(tables.duration or 0.0, tables.tail or 0.0)
    if finest > 0 and length / finest > wire.STEPS:
        raise InputError(
            f"duration {length:g} s in steps of {finest:g} s is more than the studio runs ({wire.STEPS:,} steps)"
        )
    model = tables.model
    for name in ("masses", "laws", "links"):
        if len(getattr(model, name, None) or ()) > wire.STOREYS:
            raise InputError(f"model.{name}: {wire.STOREYS} at most in the studio")
    for law in (*(getattr(model, "laws", None) or ()), getattr(model, "law", None)):
        if len(getattr(law, "points", ())) > wire.POINTS:
            raise InputError(f"model: a backbone has {wire.POINTS} points at most in the studio")


def seconds_of(file: ProblemFile, scheme: Any, error: bool = False) -> float:
    """Time for one run [s]."""
    model = file.problem.model
    steps, storeys = file.problem.steps(scheme.step), len(model.dofs)
    stages, matrix = scheme.stages, model.damping.matrix
    entries = matrix.nnz if hasattr(matrix, "nnz") else int(np.count_nonzero(matrix))
    # Modal damping, or a matrix of its own, couples storeys that do not touch.
    coupled = model.damping.weights.size > 0 or entries > 3 * matrix.shape[0]
    full = stages > 1 or coupled or getattr(scheme, "locate", False)
    cost = steps * storeys * _CELL
    if full:
        cost += steps * (storeys * stages) ** 2 * _PAIR
    if getattr(scheme, "locate", False):
        cost += steps * len(model.springs) * _LOCATED
    return cost * (_HALVINGS if error else 1)


def admit_effort(file: ProblemFile, schemes: list[Any], error: bool = False) -> None:
    """Refuse histories that take longer than a request may."""
    seconds = sum(seconds_of(file, scheme, error) for scheme in schemes)
    if seconds > wire.HISTORY:
        raise InputError(
            f"scheme.step: this would take about {seconds:.0f} s, and the studio has {wire.HISTORY:g} s "
            "for it; take a longer step, fewer storeys or Rayleigh damping, or `hamex run`"
        )


def admit_motion(table: MotionTable) -> None:
    """Refuse a motion of too many samples."""
    samples = float(len(table.accelerations or ()))
    if table.wave is not None and table.wave.step != 0:
        # The longest wave without cycles is a wavelet of three periods.
        samples = abs((table.wave.cycles or 3.0) * table.wave.period / (table.wave.step or _usual(ground_wave, "step")))
    if not samples <= wire.SAMPLES:
        raise InputError(f"motion: {samples:.3g} samples are more than the studio takes ({wire.SAMPLES:,})")
    if table.synthetic is not None:
        admit_synthetic(table.synthetic, 1, "motion.synthetic")


def admit_synthetic(table: SyntheticMotionTable, count: int, place: str) -> None:
    """Refuse motions of too many samples, one by one or all together."""
    if count < 1:
        raise InputError(f"{place}.count must be at least 1, got {count}")
    if table.scatter is not None and table.scatter > _SCATTER:
        raise InputError(f"{place}.scatter must be at most {_SCATTER:g}, got {table.scatter:g}")
    samples = _seconds(table) / (table.step or _usual(synthetic_suite, "step"))
    if not samples <= wire.SAMPLES:  # also false for what is no number
        raise InputError(
            f"{place}.step must be longer, or {place}.duration shorter: the motion would have more than "
            f"{wire.SAMPLES:,} samples"
        )
    if count * samples > wire.SUITE:
        raise InputError(
            f"{place}.count must be smaller: the studio takes about {int(wire.SUITE / samples)} motions of this length"
        )


def _seconds(table: SyntheticMotionTable) -> float:
    """Length of a motion [s], at most; its own constructor refuses magnitudes out of range."""
    if table.duration is not None:
        return table.duration
    low, high = LIMITS["magnitude"]
    near, far = LIMITS["distance"]
    magnitude = table.magnitude or _usual(synthetic_suite, "magnitude")
    distance = table.distance or _usual(synthetic_suite, "distance")
    if not (low <= magnitude <= high and near <= distance <= far):
        return 0.0
    return 5.0 * math.ceil((LEAD + 2 * LENGTH * shaking_duration(magnitude, distance)) / 5.0)


def _usual(constructor: Callable[..., Any], name: str) -> float:
    """What a constructor takes where a table leaves a key out."""
    return float(signature(constructor).parameters[name].default)


class DroppedRecord(RequestTable):
    """A text file, and what it may not tell itself."""

    name: str = Field(max_length=200, description="name of the file; tells the format, is no path")
    content: str = Field(max_length=wire.BODY, description="the text of the file")
    unit: str | None = Field(None, description='of the accelerations, "g", "m/s2" …')
    step: float | None = Field(None, description="time between samples [s]")
    component: NumberOrName | None = Field(None, description="which record of a file with several")
    column: NumberOrName | None = Field(None, description="which column of a file with several")
    raw: bool | None = Field(None, description="keep the instrument's offset in records of K-NET and KiK-net")


@router.post("/record")
def record(dropped: DroppedRecord) -> dict[str, Any]:
    """The samples of a record file, as the accelerations of a ``[motion]``, and what is to be said of them."""
    name = dropped.name.replace("\\", "/").rpartition("/")[2].replace("\0", "")
    motion, remarks = record_from_bytes(
        dropped.content.encode("utf-8", "replace"), name, **dropped.given("unit", "step", "component", "column", "raw")
    )
    if len(motion.acceleration) > wire.SAMPLES:
        raise LoadError(f"{name} holds {len(motion.acceleration):,} samples; the studio takes {wire.SAMPLES:,}")
    return {
        "accelerations": motion.acceleration.tolist(),
        "step": motion.step,
        "unit": motion.unit,
        "source": motion.source,
        "peak": motion.peak,
        "duration": motion.duration,
        "remarks": remarks,
    }
