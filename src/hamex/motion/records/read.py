"""One ground motion from a file of any known format; formats differ by what a file starts with, then by its ending."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hamex.checks import is_one_of, is_positive
from hamex.errors import HamexError, LoadError, RecordWarning, UnitError
from hamex.model.units import acceleration_unit, is_other_quantity
from hamex.motion.ground import GroundMotion
from hamex.motion.records.asa_nsmn_cwa_simcenter import (
    is_asa,
    is_cwa,
    is_nsmn,
    is_simcenter,
    read_asa,
    read_cwa,
    read_nsmn,
    read_simcenter,
)
from hamex.motion.records.columns import read_columns
from hamex.motion.records.fixed_width import (
    is_cosmos,
    is_csmip,
    is_geonet,
    is_smc,
    is_volume_one,
    read_cosmos,
    read_csmip,
    read_geonet,
    read_smc,
    read_volume_one,
)
from hamex.motion.records.peer_esm_knet import is_at2, is_esm, is_knet, read_at2, read_esm, read_knet, read_opensees
from hamex.motion.records.text import FileRecord, Text, read_text, text_format, text_of

_PEAK = 1e-3  # samples are printed with few digits, and one gravity is 980 gal here, 981 there
_ROUNDING = 0.01  # a file prints its step with few digits (1/60 s as .0167): a given step may differ by this share


class Format(NamedTuple):
    """One format: its name, a line about it, the endings it usually has, how it is recognised and read."""

    name: str
    about: str
    endings: tuple[str, ...]
    looks: Callable[[Text], bool]
    read: Callable[..., list[FileRecord]]
    tells_quantity: bool = True


def _never(text: Text) -> bool:
    """Bare numbers are what remains; whether they are columns or one record along the lines, only a user can say."""
    return False


FORMATS = {
    entry.name: entry
    for entry in (
        Format("at2", "PEER AT2", (".at2", ".vt2", ".dt2"), is_at2, read_at2),
        Format("cosmos", "COSMOS V1, V2", (".v1c", ".v2c"), is_cosmos, read_cosmos),
        Format("csmip", "CSMIP V1, V2", (".v1", ".v2"), is_csmip, read_csmip),
        Format("volume1", "volume 1 (SMA-1, RENADIC, BHRC)", (), is_volume_one, read_volume_one),
        Format("smc", "USGS SMC", (".smc",), is_smc, read_smc),
        Format("geonet", "GeoNet V1A, V2A", (".v1a", ".v2a"), is_geonet, read_geonet),
        Format("esm", "ESM, ITACA", (".asc",), is_esm, read_esm),
        Format(
            "knet",
            "K-NET, KiK-net",
            tuple(f".{way}{place}" for way in ("ns", "ew", "ud") for place in ("", "1", "2")),
            is_knet,
            read_knet,
        ),
        Format("asa", "ASA of Mexico", (), is_asa, read_asa),
        Format("nsmn", "NSMN (AFAD) of Turkey", (), is_nsmn, read_nsmn),
        Format("cwa", "CWA of Taiwan", (), is_cwa, read_cwa),
        Format("simcenter", "SimCenter EVENT", (".json",), is_simcenter, read_simcenter),
        Format("opensees", "OpenSees path", (), _never, read_opensees, False),
        Format("columns", "text columns", (".csv", ".txt", ".dat"), _never, read_columns, False),
    )
}


def format_named(name: str) -> Format:
    """A format by its name; refuses an unknown one."""
    if not is_one_of(name, FORMATS):
        raise LoadError(f"unknown format {name!r} of a record; known: {', '.join(FORMATS)}")
    return FORMATS[name]


def format_of(text: Text) -> Format:
    """The format of a file; plain columns if nothing else fits."""
    for entry in FORMATS.values():
        if entry.looks(text):
            return entry
    foreign = text_format(text.content)
    if foreign is not None:
        raise text.error(None, f"this is {foreign.name}, which hamex does not read; {foreign.instead}")
    return format_by_ending(text.path)


def format_by_ending(path: Path) -> Format:
    """The format that usually has this ending; plain columns if none has.

    >>> format_by_ending(Path("RSN6_IMPVALL.I_I-ELC180.AT2")).name, format_by_ending(Path("elcentro.txt")).name
    ('at2', 'columns')
    """
    ending = path.suffix.lower()
    return next((entry for entry in FORMATS.values() if ending in entry.endings), FORMATS["columns"])


class Choices(NamedTuple):
    """What the user says about a file, checked."""

    format: Format | None
    unit: str | None
    step: float | None
    column: int | str | None
    raw: bool


def choices(
    format: str | None, unit: str | None, step: float | None, column: int | str | None, raw: bool = False
) -> Choices:
    """Check what does not depend on any file."""
    if not isinstance(raw, bool):
        raise LoadError(f"read_record: raw must be True or False, got {raw!r}")
    if step is not None and not is_positive(step):
        raise LoadError(f"read_record: step must be a positive number of seconds, got {step!r}")
    if column is not None and (isinstance(column, bool) or not isinstance(column, int | str)):
        raise LoadError(f"read_record: column must be a number counted from 1 or a name, got {column!r}")
    return Choices(
        None if format is None else format_named(format),
        None if unit is None else acceleration_unit(unit),
        None if step is None else float(step),
        column,
        raw,
    )


def read_record(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    unit: str | None = None,
    step: float | None = None,
    component: str | int | None = None,
    column: int | str | None = None,
    raw: bool = False,
) -> GroundMotion:
    """A ground motion from a record file; the format is recognised from the file, the unit is never guessed.

    Parameters
    ----------
    path : file of one of the formats PEER AT2, COSMOS and CSMIP V1/V2, volume 1 (RENADIC, BHRC, USC), USGS SMC, GeoNet
        V1A/V2A, ESM and ITACA, K-NET and KiK-net, ASA, NSMN, CWA, SimCenter EVENT, OpenSees path, or text columns.
    format : "at2", "cosmos", "csmip", "volume1", "smc", "geonet", "esm", "knet", "asa", "nsmn", "cwa", "simcenter",
        "opensees" or "columns"; recognised if left out.
    unit : unit of the acceleration, "g", "m/s2", "cm/s2" …; needed where the file does not tell it, must agree where it
        does.
    step : time between samples [s]; likewise.
    component : which record of a file with several, by name or by place counted from 1.
    column : which column of a text file with several, by name or by number counted from 1; the first is the time.
    raw : True keeps the instrument's offset in records of K-NET and KiK-net. By default the mean of all samples is
        taken off, as the network does for the peak in its header, and the motion's source says so.

    Where the header tells a peak or a number of samples that its samples do not have, a RecordWarning names both.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ELC180.AT2")
    ...     _ = path.write_text("PEER STRONG MOTION DATABASE RECORD\\nSomewhere 5/19/40, Station 9, 180\\n"
    ...                         "ACCELERATION TIME HISTORY IN UNITS OF G\\nNPTS= 3, DT= .01000 SEC\\n .1 -.2E+00 .3\\n")
    ...     motion = read_record(path)
    >>> motion.unit, motion.step, motion.component, motion.peak
    ('g', 0.01, '180', 0.3)
    """
    path = Path(path)
    given = choices(format, unit, step, column, raw)
    motion, remarks = _one(Text(path, read_text(path)), given, component)
    for remark in remarks:
        warnings.warn(remark, RecordWarning, stacklevel=2)
    return motion


def record_from_bytes(
    data: bytes,
    name: str,
    *,
    format: str | None = None,
    unit: str | None = None,
    step: float | None = None,
    component: str | int | None = None,
    column: int | str | None = None,
    raw: bool = False,
) -> tuple[GroundMotion, list[str]]:
    """What :func:`read_record` makes of a file of this name and content, and what it would warn of; nothing is read
    from disk.

    >>> motion, remarks = record_from_bytes(b"0.0\\n0.1\\n-0.2\\n", "short.txt", unit="g", step=0.01)
    >>> motion.peak, remarks
    (0.2, [])
    """
    path = Path(Path(name).name or "record")
    return _one(Text(path, text_of(data, path)), choices(format, unit, step, column, raw), component)


def _one(text: Text, given: Choices, component: str | int | None) -> tuple[GroundMotion, list[str]]:
    found = chosen(text.path, _records(text, given), component)
    return motion_of(text.path, found, given, component), remarks_of(text.path, found)


def read_all(path: Path, given: Choices) -> list[FileRecord]:
    """All records of a file, as the file tells them."""
    return _records(Text(path, read_text(path)), given)


def _records(text: Text, given: Choices) -> list[FileRecord]:
    if not text.content.strip():
        raise LoadError(f"no samples in {text.path}: the file is empty")
    reader = given.format or format_of(text)
    if not reader.tells_quantity and is_other_quantity(text.path.suffix):
        raise text.error(
            None, f"the ending {text.path.suffix} says that these numbers are no accelerations; give those"
        )
    if reader.name == "columns":
        return reader.read(text, given.step, given.column)
    if given.column is not None:
        raise LoadError(f"record {text.path}: column= belongs to text columns, this file is read as {reader.about}")
    return reader.read(text)


def chosen(path: Path, found: list[FileRecord], component: str | int | None) -> FileRecord:
    """The record of a file that the user means."""
    names = ", ".join(f"{place} {record.component!r}" for place, record in enumerate(found, start=1))
    if component is None or (isinstance(component, str) and len(found) == 1 and not found[0].component):
        if len(found) > 1:
            raise LoadError(f"{path} holds {len(found)} records: {names}; choose one with component=")
        return found[0]
    if isinstance(component, bool) or not isinstance(component, int | str):
        raise LoadError(f"read_record: component must be a number counted from 1 or a name, got {component!r}")
    wanted = " ".join(str(component).split()).casefold()
    fitting = [record for record in found if " ".join(record.component.split()).casefold() == wanted]
    if isinstance(component, int) and not fitting:  # 180 may be an azimuth as well as a place
        if not 1 <= component <= len(found):
            raise LoadError(f"{path} has no record {component}; it holds {names}")
        return found[component - 1]
    if len(fitting) != 1:
        raise LoadError(f"{path} has {'several records' if fitting else 'no record'} {component!r}; it holds {names}")
    return fitting[0]


def motion_of(path: Path, found: FileRecord, given: Choices, component: str | int | None = None) -> GroundMotion:
    """The motion, with what the user says put beside what the file tells."""
    unit, step = _unit(path, found, given.unit), _step(path, found, given.step)
    name = found.component or (component if isinstance(component, str) else "")
    source = f"{path.name}: {found.origin}" if found.origin else path.name
    try:
        motion = GroundMotion(found.samples, step, unit, source, name, found.kind)
    except HamexError as problem:
        raise type(problem)(f"record {path}: {problem}") from None
    if not found.offset or given.raw:
        return motion
    offset = f"{motion.acceleration.mean():.5g} {motion.unit}"
    return replace(
        motion.detrended("mean"), source=f"{motion.source}; mean removed ({offset}, the instrument's offset)"
    )


def remarks_of(path: Path, found: FileRecord) -> list[str]:
    """What the file tells of itself and its samples do not show: the number of them, and their peak."""
    remarks = [f"record {path}: {remark}" for remark in found.remarks]
    samples = found.samples - found.samples.mean() if found.offset else found.samples
    largest, peak = float(np.abs(samples).max()), found.peak
    if peak is not None and abs(largest - peak.value) > peak.digit + _PEAK * max(largest, peak.value):
        unit = f" {found.unit}" if found.unit else ""
        place = f"{path}, line {peak.line}" if peak.line else f"record {path}"
        remarks.append(
            f"{place}: the header's peak ({peak.name}) is {peak.value:.6g}{unit}, "
            f"but the largest sample is {largest:.6g}{unit}"
        )
    return remarks


def _unit(path: Path, found: FileRecord, given: str | None) -> str:
    place = f"{path}, line {found.unit_line}" if found.unit_line else f"record {path}"
    if found.unit is None:
        if given is None:
            raise UnitError(
                f"record {path}: the file does not tell the unit of its accelerations; say it, as in "
                'unit="g", "m/s2" or "cm/s2"'
            )
        return given
    if given is not None and given != found.unit and {given, found.unit} != {"gal", "cm/s2"}:
        raise UnitError(f"{place}: the file is in {found.unit}, which contradicts unit={given!r}; leave unit out")
    return found.unit


def _step(path: Path, found: FileRecord, given: float | None) -> float:
    place = f"{path}, line {found.step_line}" if found.step_line else f"record {path}"
    if found.step is None:
        if given is None:
            raise LoadError(
                f"record {path}: the file does not tell the time between its samples; say it, as in step=0.01"
            )
        return given
    if given is not None and abs(given - found.step) > _ROUNDING * found.step:
        raise LoadError(
            f"{place}: the file's step is {found.step:g} s, which contradicts step={given:g}; leave step out"
        )
    return found.step if given is None else given
