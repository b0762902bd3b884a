"""SimCenter EVENT files (JSON): events with ``timeSeries`` and ``pattern``, or single records with ``data_x``.

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

from hamex.motion.records.text import FileRecord, Text
from hamex.motion.units import unit_in_words

_DIRECT = re.compile(r"(?:data|accel)_([xyz])", re.IGNORECASE)


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
        raise text.error(None, "expected an object with Events or data_x")
    events = data.get("Events", [data])
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise text.error(None, "Events must be a list of objects")
    found = [record for place, event in enumerate(events) for record in _event(text, event, data, f"Events[{place}]")]
    if not found:
        raise text.error(
            None, "no accelerations: expected timeSeries with a pattern of type UniformAcceleration, or data_x"
        )
    return found


def _event(text: Text, event: dict[str, Any], whole: dict[str, Any], place: str) -> list[FileRecord]:
    unit = _unit(text, event.get("units", whole.get("units")), place)
    name = str(event.get("name", ""))
    kind = "synthetic" if "stochastic" in f"{name} {event.get('subtype', '')}".lower() else "recorded"
    direct = {match[1].lower(): key for key in event if (match := _DIRECT.fullmatch(key))}
    if direct:
        return [
            FileRecord(_samples(text, event[key], key), _step(text, event, event, place), unit, way, name, kind)
            for way, key in sorted(direct.items())
        ]
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
        steps = event.get("numSteps", len(samples))
        if steps != len(samples):
            raise text.error(None, f"{place}: numSteps is {steps}, but {wanted!r} has {len(samples)} samples")
        found.append(FileRecord(samples, _step(text, entry, event, place), unit, wanted, name, kind))
    return found


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
