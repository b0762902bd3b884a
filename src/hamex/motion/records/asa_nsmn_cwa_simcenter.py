"""Files of one header and a table, a column a channel: ASA of Mexico, NSMN (AFAD) of Turkey, CWA of Taiwan; and EVENT
files of SimCenter.

Those are JSON: events with ``timeSeries`` and ``pattern``, or single records with ``data_x`` or
``accel_data``.

A pattern of type UniformAcceleration names a series and the dof it acts in. The unit stands in ``units``: as
``acceleration``, or as ``length`` and ``time``, from which the acceleration follows. Most files have none, because the
workflow assumes one; then you must say it.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.model.units import unit_in_words
from hamex.motion.records.text import FileRecord, HeaderPeak, Text, header_peak

Array = NDArray[Any]
Header = dict[str, tuple[int, str]]
_ASA_DATA = "DATOS DE ACELERACION"
_ASA_RULER = re.compile(r"(?:-{5,}\+)+\s*")
_NSMN_CHANNEL = re.compile(r"\(([^)]+)\)\s*(\S+)")
_CWA_PEAK = re.compile(r"#AmplitudeMAX\.?\s+(\w+)\s*:\s*(\S+?)\s*~\s*(\S+)")
_CWA_ORDER = re.compile(r"#DataSequence:\s*Time\s*(.*)", re.IGNORECASE)


def _header(text: Text, end: int, mark: str = "") -> Header:
    """Lines ``KEY : VALUE`` up to line ``end``, with their numbers; the first of a key counts."""
    found: Header = {}
    for line, words in enumerate(text.lines[:end], start=1):
        key, colon, value = words.removeprefix(mark).partition(":")
        if colon and key.strip():
            found.setdefault(" ".join(key.split()), (line, value.strip()))
    return found


def _value(text: Text, header: Header, key: str, end: int) -> tuple[int, str]:
    if key not in header:
        raise text.error(end, f"the header ends here without {key!r}")
    return header[key]


def _table(text: Text, first: int, width: int) -> Array:
    """Rows of ``width`` numbers from line ``first`` to the end of the file."""
    rows = []
    for line in range(first, len(text.lines) + 1):
        words = text.lines[line - 1].split()
        if not words:
            continue
        if len(words) != width:
            raise text.error(line, f"expected {width} values in this line, found {len(words)}")
        rows.append([text.sample(line, word) for word in words])
    if not rows:
        raise text.error(len(text.lines), "the file ends before its first sample")
    return np.array(rows)


def _counted(text: Text, table: Array, count: int, line: int) -> tuple[str, ...]:
    """A remark where there are more rows than announced; fewer are a file that was cut."""
    if len(table) < count:
        raise text.error(
            len(text.lines), f"the file ends after {len(table)} of the {count} samples that line {line} announces"
        )
    return (f"line {line} announces {count} samples, there are {len(table)}",) if len(table) > count else ()


def is_asa(text: Text) -> bool:
    """True for a standard acceleration file of Mexico."""
    return "ARCHIVO ESTANDAR DE ACELERACION" in text.content[:1000]


def read_asa(text: Text) -> list[FileRecord]:
    """ASA 2.0, "archivo estándar de aceleración" of the Mexican networks: a column a channel, in gal.

    Described in "Base Mexicana de Sismos Fuertes", Sociedad Mexicana de Ingeniería Sísmica.
    """
    begin = next((i for i, words in enumerate(text.lines, start=1) if words.startswith(_ASA_DATA)), None)
    if begin is None:
        raise text.error(len(text.lines), f"the file ends before {_ASA_DATA!r}")
    rulers = [i for i, words in enumerate(text.lines[begin:], start=begin + 1) if _ASA_RULER.fullmatch(words)]
    if len(rulers) < 2:
        raise text.error(begin, "expected names of channels between two rulers (-----+-----) after this line")
    header = _header(text, begin)

    def channels(key: str) -> tuple[int, list[str]]:
        line, words = _value(text, header, key, begin)
        return line, [word.strip() for word in words.strip().strip("/").split("/")]

    names_line, names = channels("ORIENTACION C1-C6 (rumbo;orientacion)")
    step_line, steps = channels("INTERVALO DE MUESTREO, C1-C6 (s)")
    count_line, counts = channels("NUM. TOTAL DE MUESTRAS, C1-C6")
    peak_line, peaks = channels("ACEL. MAX.(Gal), C1-C6") if "ACEL. MAX.(Gal), C1-C6" in header else (0, [])
    unit_line, words = _value(text, header, "UNIDADES DE LOS DATOS", begin)
    if not len(names) == len(steps) == len(counts):
        raise text.error(names_line, f"{len(names)} orientations, but {len(steps)} steps and {len(counts)} counts")
    table = _table(text, rulers[1] + 1, len(names))
    station, event = (header.get(key, (0, ""))[1] for key in ("CLAVE DE LA ESTACION", "FECHA DEL SISMO [GMT]"))
    return [
        FileRecord(
            table[:, place],
            text.positive(step_line, steps[place], "the step"),
            unit_in_words(words.partition("(")[0]),
            name,
            f"{station}, event of {event}",
            unit_line=unit_line,
            step_line=step_line,
            peak=header_peak(peaks[place], peak_line, "ACEL. MAX.") if len(peaks) == len(names) else None,
            remarks=_counted(text, table, text.count(count_line, counts[place], "the number of samples"), count_line),
        )
        for place, name in enumerate(names)
    ]


def is_nsmn(text: Text) -> bool:
    """True for a file of the Turkish network."""
    return text.content.startswith("STRONG GROUND MOTION RECORDS OF T")


def read_nsmn(text: Text) -> list[FileRecord]:
    """NSMN of Turkey (AFAD): 17 lines of header, a line of names, then a column a component, in gal."""
    names_line = next((i for i, words in enumerate(text.lines, start=1) if words.split()[:1] == ["N-S"]), None)
    if names_line is None:
        raise text.error(len(text.lines), "the file ends before the names of its columns, N-S E-W U-D")
    header, names = _header(text, names_line), text.lines[names_line - 1].split()
    step_line, step = _value(text, header, "SAMPLING INTERVAL (sec)", names_line)
    count_line, count = _value(text, header, "NUMBER OF DATA", names_line)
    peak_key = next((key for key in header if key.startswith("RAW PGA VALUES")), "RAW PGA VALUES (gal)")
    peak_line, words = _value(text, header, peak_key, names_line)
    peaks, unit = dict(_NSMN_CHANNEL.findall(words)), unit_in_words(peak_key.partition("(")[2].rstrip(") "))
    table = _table(text, names_line + 1, len(names))
    remarks = _counted(text, table, text.count(count_line, count, "NUMBER OF DATA"), count_line)
    about = [header.get(key, (0, ""))[1] for key in ("STATION ID", "RECORD TIME", "EARTHQUAKE DATE")]
    return [
        FileRecord(
            table[:, place],
            text.positive(step_line, step, "SAMPLING INTERVAL"),
            unit,
            name,
            ", ".join(about[:2]) + f", event of {about[2]}",
            unit_line=peak_line,
            step_line=step_line,
            peak=header_peak(peaks.get(name, ""), peak_line, "RAW PGA VALUES"),
            remarks=remarks,
        )
        for place, name in enumerate(names)
    ]


def is_cwa(text: Text) -> bool:
    """True for a file of Taiwan's weather administration."""
    return text.content.startswith("#Earthquake Information") and "#AmplitudeUnit" in text.content[:3000]


def read_cwa(text: Text) -> list[FileRecord]:
    """CWA (formerly CWB) of Taiwan: a header of lines with ``#``, then time and a column a component."""
    end = next(
        (i for i, words in enumerate(text.lines) if words.strip() and not words.startswith("#")), len(text.lines)
    )
    header = _header(text, end, "#")
    order_line, order = _value(text, header, "DataSequence", end)
    names = re.findall(r"(\w+)\s*\(", order.partition("Time")[2])
    if not names:
        raise text.error(order_line, f"expected the order of the columns, as in 'Time U(+); N(+); E(+)', got {order!r}")
    unit_line, unit = _value(text, header, "AmplitudeUnit", end)
    rate_line, rate = _value(text, header, "SampleRate(Hz)", end)
    length_line, length = _value(text, header, "RecordLength(sec)", end)
    frequency = text.positive(rate_line, rate, "the sampling rate")
    step = 1 / frequency
    table = _table(text, end + 1, len(names) + 1)
    away = np.abs(table[:, 0] - step * np.arange(len(table)))
    if away.max() > 0.5 * step:
        raise text.error(end + 1 + int(away.argmax()), f"the times do not have the step of {step:g} s of the header")
    count = text.samples_in(length_line, text.positive(length_line, length, "the length of the record"), frequency)
    remarks = _counted(text, table, count, length_line)
    peaks = {match[1]: (line, match) for line, match in _numbered(text, end)}
    station, start = (header.get(key, (0, ""))[1] for key in ("StationCode", "StartTime(GMT+08)"))
    return [
        FileRecord(
            table[:, place],
            step,
            unit_in_words((unit.split() or [""])[0]),
            name,
            ", ".join(filter(None, (station, start))),
            unit_line=unit_line,
            step_line=rate_line,
            peak=_cwa_peak(peaks.get(name)),
            remarks=remarks,
        )
        for place, name in enumerate(names, start=1)
    ]


def _numbered(text: Text, end: int) -> list[tuple[int, re.Match[str]]]:
    found = enumerate(map(_CWA_PEAK.match, text.lines[:end]), start=1)
    return [(line, match) for line, match in found if match]


def _cwa_peak(line_and_match: tuple[int, re.Match[str]] | None) -> HeaderPeak | None:
    """The larger of the two ends of a range such as ``0.658~ -0.837``."""
    if line_and_match is None:
        return None
    ends = [header_peak(word, line_and_match[0], "AmplitudeMAX") for word in line_and_match[1].groups()[1:]]
    return max((end for end in ends if end is not None), key=lambda end: end.value, default=None)


_DIRECT = re.compile(r"(?:data|accel)_([xyz])|accel_data", re.IGNORECASE)
_COUNTS = ("numSteps", "numPoints")


def is_simcenter(text: Text) -> bool:
    """True for JSON."""
    return text.content.lstrip().startswith("{")


def read_simcenter(text: Text) -> list[FileRecord]:
    """All accelerations of all events."""
    try:
        data = json.loads(text.content)
    except json.JSONDecodeError as problem:
        raise text.error(problem.lineno, f"not valid JSON: {problem.msg}") from None
    except (RecursionError, ValueError) as problem:  # too deep, or a whole number of thousands of digits
        raise text.error(None, f"not valid JSON: {problem}") from None
    if not isinstance(data, dict):
        raise text.error(None, "expected an object with Events, data_x or accel_data")
    events = data.get("Events", [data])
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise text.error(None, "Events must be a list of objects")
    found = [record for place, event in enumerate(events) for record in _event(text, event, data, f"Events[{place}]")]
    if not found:
        raise text.error(
            None,
            "no accelerations: expected timeSeries with a pattern of type UniformAcceleration, data_x or accel_data",
        )
    return found


def _event(text: Text, event: dict[str, Any], whole: dict[str, Any], place: str) -> list[FileRecord]:
    unit = _unit(text, event.get("units", whole.get("units")), place)
    name = str(event.get("name", ""))
    kind = "synthetic" if "stochastic" in f"{name} {event.get('subtype', '')}".lower() else "recorded"
    direct = {(match[1] or "").lower(): key for key in event if (match := _DIRECT.fullmatch(key))}
    if direct:
        step, found = _step(text, event, event, place), []
        for way, key in sorted(direct.items()):
            samples = _samples(text, event[key], key)
            remarks = _count_remarks(text, event, key, len(samples), place)
            pga = event.get(f"PGA_{way}")
            peak = HeaderPeak(abs(_number(text, pga, f"PGA_{way}")), 0.0, None, f"PGA_{way}") if pga else None
            found.append(FileRecord(samples, step, unit, way, name, kind, peak=peak, remarks=remarks))
        return found
    series = event.get("timeSeries", [])
    patterns = event.get("pattern", [])
    for key, value in (("timeSeries", series), ("pattern", patterns)):
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise text.error(None, f"{place}.{key} must be a list of objects")
    by_name = {str(entry.get("name")): entry for entry in series}
    found = []
    for pattern in patterns:
        if pattern.get("type") != "UniformAcceleration":
            continue
        wanted = str(pattern.get("timeSeries"))
        if wanted not in by_name:
            raise text.error(None, f"{place}: a pattern names the series {wanted!r}, which is not in timeSeries")
        entry = by_name[wanted]
        if entry.get("type", "Value") != "Value":
            raise text.error(
                None, f"{place}: the series {wanted!r} is of type {entry['type']!r}; its samples are elsewhere"
            )
        factor = _number(text, entry.get("factor", 1.0), f"{place}: factor of {wanted!r}")
        samples = _samples(text, entry.get("data"), f"data of {wanted!r}") * factor
        remarks = _count_remarks(text, event, wanted, len(samples), place)
        found.append(FileRecord(samples, _step(text, entry, event, place), unit, wanted, name, kind, remarks=remarks))
    return found


def _count_remarks(text: Text, event: dict[str, Any], name: str, count: int, place: str) -> tuple[str, ...]:
    """A remark where the number of samples is one off what the event says: some count steps, some points."""
    for key in _COUNTS:
        said = event.get(key, count)
        if said == count:
            continue
        words = f"{place}: {key} is {said}, but {name!r} has {count} samples"
        if isinstance(said, bool) or not isinstance(said, int) or abs(said - count) > 1:
            raise text.error(None, words)
        return (f"{words}; all of them are taken",)
    return ()


def _unit(text: Text, units: Any, place: str) -> str | None:
    if units is None:
        return None
    if not isinstance(units, dict):
        raise text.error(None, f"{place}.units must be an object")
    said = units.get("acceleration")
    if said is None and "length" in units and "time" in units:
        said = f"{units['length']}/{units['time']}2"
    if said is None:
        return None
    unit = unit_in_words(str(said))
    if unit is None:
        raise text.error(None, f"{place}.units: {said!r} is no unit of acceleration that hamex knows")
    return unit


def _step(text: Text, series: dict[str, Any], event: dict[str, Any], place: str) -> float | None:
    step = series.get("dT", event.get("dT"))
    if step is None:
        return None
    value = _number(text, step, f"{place}: dT")
    if not value > 0:
        raise text.error(None, f"{place}: dT must be a positive number, got {step!r}")
    return value


def _number(text: Text, value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300 or not math.isfinite(value):
        raise text.error(None, f"{what} must be a finite number, got {value!r}")
    return float(value)


def _samples(text: Text, values: Any, what: str) -> Any:
    if not isinstance(values, list) or not values:
        raise text.error(None, f"{what} must be a list of numbers")
    for place, value in enumerate(values):
        _number(text, value, f"{what}[{place}]")
    return np.array(values, dtype=float)
