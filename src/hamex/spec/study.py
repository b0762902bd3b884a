"""The file format of studies: TOML in, an incremental dynamic analysis ready to run out.

``[units]``, ``[model]`` and ``[scheme]`` are those of problem files.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError, create_model, model_validator

from hamex.checks import check_memory, said
from hamex.errors import FileError, InputError, SpecError
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.motion.ground import GroundMotion, el_centro
from hamex.motion.records import read_suite
from hamex.spec import _named, _toml, allowed_keys
from hamex.spec.base import Finite, Numbers, Positive, Table, Version, check_version, explain
from hamex.spec.loads import NumberOrName, SyntheticMotionTable, place_of
from hamex.spec.tables import KINDS, GravityTable, LimitTable, SchemeTable, UnitsTable, tables_for
from hamex.study.ida import Hunt, check_ida
from hamex.study.ida.fragility import Fragility
from hamex.study.spectra.intensities import Intensity, Pga, Sa
from hamex.study.study import Study
from hamex.study.table import base_measure, words_of

__all__ = ["StudyFile", "read_study"]


@dataclass(frozen=True, eq=False)
class StudyFile:
    """What a study file says, ready for :func:`hamex.ida`.

    Attributes
    ----------
    study : model, records, measures and scheme.
    intensity : of a record.
    demand, limit : measure, and the value beyond which a run counts as exceeding.
    hunting : how to seek the limit; None where scales or levels are given.
    title : the file's title, or its name.
    stripes : whether the fragility counts exceedances at levels instead of fitting one capacity a record.
    modelling, resamples : of the fragility.
    mce : intensity of the maximum considered earthquake, over which the margin is told; None where it is not asked for.
    """

    study: Study
    intensity: Intensity
    demand: str
    limit: float
    hunting: Hunt | None
    title: str
    stripes: bool
    modelling: float
    resamples: int
    mce: float | None = None


class SyntheticTable(SyntheticMotionTable):
    """``synthetic`` of ``[records]``, see :func:`hamex.synthetic_suite`."""

    count: int = Field(description="number of motions")


class RecordsTable(Table):
    """``[records]``: files, synthetic motions, or the shipped record."""

    files: list[str] | None = Field(None, description="record files or folders, sought from the folder of this file")
    unit: str | None = None
    step: float | None = None
    format: str | None = None
    component: NumberOrName | None = None
    raw: bool | None = None
    synthetic: SyntheticTable | None = Field(None, description="motions made from magnitude and distance")
    name: Literal["el-centro", "el_centro"] | None = Field(None, description="the record that comes with hamex")

    @model_validator(mode="after")
    def _choices(self) -> RecordsTable:
        self.one_of("files", "synthetic", "name")
        if self.files is None and self.given("unit", "step", "format", "component", "raw"):
            raise ValueError("unit, step, format, component and raw belong to files")
        return self

    def build(self, folder: Path | None) -> tuple[GroundMotion, ...]:
        if self.synthetic is not None:
            return self.synthetic.motions(self.synthetic.count)
        if self.files is None:
            return (el_centro(),)
        suite = read_suite(
            [str(place_of(folder, file)) for file in self.files],
            **self.given("unit", "step", "format", "component", "raw"),
        )
        if suite.failed:
            whys = "\n  ".join(status.why for status in suite.failed[:5])
            raise FileError(
                f"files names {len(suite.statuses)} files, of which {len(suite.failed)} cannot be read; "
                f"mend them, or leave them out\n  {whys}"
            )
        return suite.motions


class SaTable(Table):
    """``[intensity]`` with ``kind = "sa"``."""

    kind: Literal["sa"]
    period: float = Field(description="period of the spectral acceleration [s]")
    damping: Positive | None = Field(None, description="fraction of critical damping of the spectrum")

    def build(self) -> Sa:
        return Sa(**self.arguments())


class PgaTable(Table):
    """``[intensity]`` with ``kind = "pga"``."""

    kind: Literal["pga"]

    def build(self) -> Pga:
        return Pga()


class SpacedTable(Table):
    """Numbers in a list, or evenly spaced."""

    start: Positive | None = Field(None, description="first value")
    stop: Positive | None = Field(None, description="last value")
    count: int | None = Field(None, description="number of values, evenly spaced")

    def spaced(self, key: str) -> list[float]:
        """The numbers; ``key`` holds the list."""
        listed = getattr(self, key)
        ends = self.given("start", "stop", "count")
        if (listed is None) == (not ends) or (ends and len(ends) < 3):
            raise InputError(f"give either {key}, a list of numbers, or start, stop and count")
        if listed is not None:
            if not listed or min(listed) <= 0 or not np.all(np.isfinite(listed)):
                raise InputError(f"{key} must be a list of positive numbers, got {listed!r:.60}")
            return list(listed)
        if ends["count"] < 2 or ends["stop"] <= ends["start"]:
            raise InputError("stop must be above start, and count at least 2")
        check_memory(key, 4 * ends["count"], f"{said(ends['count'])} values", "take a smaller count")
        # Decimals as a person would write them: 0.1, 0.2, 0.3 …
        return [float(f"{value:.12g}") for value in np.linspace(ends["start"], ends["stop"], ends["count"])]


class ScalesTable(SpacedTable):
    """``[scales]``: factors, the same for every record."""

    values: list[float] | None = Field(None, description="factors on the records, instead of start, stop and count")


class StripesTable(SpacedTable):
    """``[stripes]``: levels of intensity, to which every record is scaled."""

    levels: list[float] | None = Field(None, description="intensities, instead of start, stop and count")


class HuntTable(Table):
    """``[hunt]``: seek the limit record by record, see :class:`hamex.Hunt`."""

    first: float = Field(description="intensity of the first run")
    step: float = Field(description="first increment of the intensity")
    growth: float | None = None
    runs: int | None = None
    largest: float | None = None
    tolerance: float | None = None

    def build(self) -> Hunt:
        return Hunt(**self.arguments())


class StudyLimitTable(Table):
    """``[limit]``: what counts as exceeding."""

    measure: str = Field(description='what is compared, e.g. measure = "drift_ratio"')
    value: Positive = Field(description="beyond it a run counts as exceeding")


class CollapseTable(LimitTable):
    """``[collapse]``: storey drift at which a run ends; it then counts as passing every limit."""

    drift_ratio: float | None = Field(None, description="storey drift over storey height [1], 0.1 if left out")
    drift: float | None = Field(None, description="storey drift [length]; no limit if left out")
    stop: bool | None = Field(None, description="false: go on beyond it, and count no run as collapsed")


class FragilityTable(Table):
    """``[fragility]``: how the probability of exceeding the limit is fitted."""

    method: Literal["capacities", "stripes"] | None = None
    modelling: Annotated[Finite, Field(ge=0)] = Field(
        default=Fragility.modelling, description="dispersion for what the model leaves out"
    )
    resamples: int = Field(default=Fragility.resamples, description="number of bootstrap samples")
    mce: Positive | None = Field(
        default=None,
        description="intensity of the maximum considered earthquake: tells the margin and the probability there",
    )


class StudyTables(Table):
    """The whole file; ``[model]`` is filled in by :func:`study_tables_for`."""

    title: str | None = Field(None, description="of the results; the name of the file by default")
    duration: Positive | None = Field(None, description="length of every run [s]; each record's own if left out")
    settle: float | None = Field(
        None, description="let runs go on until what still swings is below this share of the largest drift, e.g. 0.001"
    )
    seed: int = 0
    measures: list[str] | None = None
    units: UnitsTable
    model: Any
    gravity: GravityTable | None = None
    records: RecordsTable
    intensity: Annotated[SaTable | PgaTable, Field(discriminator="kind")]
    scales: ScalesTable | None = None
    stripes: StripesTable | None = None
    hunt: HuntTable | None = None
    limit: StudyLimitTable
    collapse: CollapseTable | None = None
    parameters: dict[str, Numbers] = Field(
        default_factory=dict, description="further axes: keys of the model by their place, with the values they take"
    )
    fragility: FragilityTable = Field(default_factory=FragilityTable)
    scheme: SchemeTable
    version: Version = None

    _known = model_validator(mode="before")(check_version)

    @model_validator(mode="after")
    def _choices(self) -> StudyTables:
        count = sum(name in self.model_fields_set for name in ("scales", "stripes", "hunt"))
        if count != 1:
            raise ValueError(f"give exactly one of the tables [scales], [stripes] and [hunt], got {count or 'none'}")
        return self


@dataclass(frozen=True)
class ParametricModel:
    """The template of a study with parameters: keys of ``[model]``, as "damping.ratio", and their values."""

    path: Path | None
    data: Mapping[str, Any]
    units: Units

    def __call__(self, **values: float) -> Model:
        """A model with some numbers of the file changed."""
        data = copy.deepcopy(dict(self.data))
        for key, value in values.items():
            *way, last = key.split(".")
            table = data["model"]
            for part in way:
                table = table.get(part) if isinstance(table, dict) else None
            if not isinstance(table, dict):
                where = "" if self.path is None else f"{self.path}: "
                raise SpecError(f"{where}parameters: the file has no table model.{'.'.join(way)} for {key!r}")
            table[last] = value
        tables = _checked(self.path, data, "parameters: with " + ", ".join(f"{k} = {v}" for k, v in values.items()))
        with _named(self.path, "model", tables.model):
            folder = None if self.path is None else self.path.parent
            return tables.model.build(self.units, tables.units.gravity or self.units.gravity, folder)


def read_study(path: str | os.PathLike[str]) -> StudyFile:
    """Read and check a study file; record files are found from the folder of the study file.

    Examples
    --------
    >>> import tempfile
    >>> text = '''
    ... units = {length = "m", force = "kN"}
    ... model = {kind = "oscillator", mass = 100.0, period = 0.5, damping_ratio = 0.05, yield_force = 150.0}
    ... records = {synthetic = {count = 3, seed = 1}}
    ... intensity = {kind = "sa", period = 0.5}
    ... stripes = {start = 0.2, stop = 1.0, count = 5}
    ... limit = {measure = "ductility", value = 4.0}
    ... scheme = {kind = "galerkin", step = 0.01}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     file = read_study(path)
    >>> file.study.plan().runs, file.study.kind
    (15, 'synthetic')
    """
    path = Path(path)
    data = _toml(path)
    return study_of(_checked(path, data), data, path)


def study_of(tables: StudyTables, data: Mapping[str, Any], path: Path | None = None) -> StudyFile:
    """What checked tables describe; tables that do not come from a file (no ``path``) read no files.

    ``data`` is what the tables were read from: a study with ``[parameters]`` builds its models from it again.
    """
    folder = None if path is None else path.parent
    with _named(path, "units", tables.units):
        units = tables.units.build()
    gravity = tables.units.gravity or units.gravity
    with _named(path, "model", tables.model):
        template: Any = tables.model.build(units, gravity, folder)
    if tables.gravity is not None:
        with _named(path, "gravity", tables.gravity):
            if tables.gravity.forces is None or len(tables.gravity.arguments()) > 1:
                raise InputError("studies take forces by dof only, which fit all of their models")
            tables.gravity.build(template, gravity)
    if tables.parameters:
        template = ParametricModel(path, data, units)
    with _named(path, "scheme", tables.scheme):
        scheme = tables.scheme.build()
    with _named(path, "records", tables.records):
        axes: dict[str, Any] = {"record": tables.records.build(folder), **tables.parameters}
    with _named(path, "intensity", tables.intensity):
        intensity = tables.intensity.build()
    hunting = None
    if tables.scales is not None:
        with _named(path, "scales", tables.scales):
            axes["scale"] = tables.scales.spaced("values")
    elif tables.stripes is not None:
        with _named(path, "stripes", tables.stripes):
            axes["level"] = tables.stripes.spaced("levels")
    elif tables.hunt is not None:
        with _named(path, "hunt", tables.hunt):
            hunting = tables.hunt.build()
    with _named(path, "limit", tables.limit):
        words_of(tables.limit.measure, units, False)
    chosen = tables.fragility
    with _named(path, "fragility", chosen):
        if chosen.method == "stripes" and tables.stripes is None:
            raise InputError('method = "stripes" needs [stripes]; scales and hunts give one capacity a record')
        if chosen.resamples < 2:
            raise InputError(f"resamples must be at least 2, got {chosen.resamples}")
        check_memory("fragility", 100 * chosen.resamples, f"{said(chosen.resamples)} resamples", "take fewer")
    with _named(path, "", tables):
        collapse = None if tables.collapse is None else tables.collapse.build()
        study = Study(
            template,
            axes,
            _measures(tables, units),
            scheme,
            gravity,
            tables.duration,
            tables.seed,
            intensity,
            collapse,
            tables.settle,
            None if tables.gravity is None else tables.gravity.forces,
        )
        check_ida(study, tables.limit.measure, hunting)
    stripes = tables.stripes is not None and chosen.method != "capacities"
    title = tables.title or ("" if path is None else path.stem)
    return StudyFile(
        study,
        intensity,
        tables.limit.measure,
        tables.limit.value,
        hunting,
        title,
        stripes,
        chosen.modelling,
        chosen.resamples,
        chosen.mce,
    )


def _measures(tables: StudyTables, units: Units) -> tuple[str, ...]:
    """The limit's measure first; drift ratios come with drifts."""
    measures = tables.measures if tables.measures is not None else ["absolute_acceleration"]
    for name in measures:
        words_of(name, units, False)
    return tuple(dict.fromkeys(base_measure(name) for name in (tables.limit.measure, *measures)))


def _checked(path: Path | None, data: dict[str, Any], where: str = "") -> StudyTables:
    model = data.get("model")
    kind = model.get("kind") if isinstance(model, Mapping) else None
    tables = study_tables_for(kind if isinstance(kind, str) and kind in KINDS else None)
    try:
        return tables.model_validate(data)
    except ValidationError as problem:
        mistakes = [
            mistake.replace("a problem file", "a study file")
            for mistake in explain(problem.errors(include_url=False), data, allowed_keys(tables, data))
        ]
    start = "".join(f"{part}: " for part in (path, where) if part)
    raise SpecError(
        start + (mistakes[0] if len(mistakes) == 1 else "\n  ".join([f"{len(mistakes)} mistakes", *mistakes]))
    )


@cache
def study_tables_for(kind: str | None) -> type[StudyTables]:
    """The tables of a study whose model is of this kind, None if unknown."""
    model: Any = tables_for(kind).model_fields["model"].annotation
    return create_model("StudyTables", __base__=StudyTables, model=(model, ...))
