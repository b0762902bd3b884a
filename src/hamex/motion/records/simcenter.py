"""SimCenter EVENT files (JSON): events with ``timeSeries`` and ``pattern``, or single records with ``data_x`` or
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

from hamex.motion.records.text import FileRecord, HeaderPeak, Text
from hamex.motion.units import unit_in_words

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
            remarks = _counted(text, event, key, len(samples), place)
            told = event.get(f"PGA_{way}")
            peak = HeaderPeak(abs(_number(text, told, f"PGA_{way}")), 0.0, None, f"PGA_{way}") if told else None
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
        remarks = _counted(text, event, wanted, len(samples), place)
        found.append(FileRecord(samples, _step(text, entry, event, place), unit, wanted, name, kind, remarks=remarks))
    return found


def _counted(text: Text, event: dict[str, Any], name: str, count: int, place: str) -> tuple[str, ...]:
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
