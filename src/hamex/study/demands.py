"""Demands of runs as columns: drift ratios beside drifts, and the words and units of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.model.oscillators import Oscillators
from hamex.model.shear_frames import ShearFrames
from hamex.solution.batch import MEASURES
from hamex.solution.schema import unit
from hamex.study.axes import Systems

Array = NDArray[Any]
RATIOS = {"drift": "drift_ratio", "residual_drift": "residual_drift_ratio"}  # drift over height of the storey


def heights_of(built: Systems) -> Array | None:
    """Heights of storeys, (model, storey); None where some are unknown."""
    if isinstance(built, Oscillators):
        return None
    if isinstance(built, ShearFrames):
        found = built.heights
    else:
        rows = [model.storeys.heights if model.storeys is not None else np.full(1, np.nan) for model in built]
        if len({len(row) for row in rows}) > 1:
            return None
        found = np.array(rows)
    return found if np.all(np.isfinite(found)) else None


def with_ratios(columns: Mapping[str, Array], heights: Array | None) -> dict[str, Array]:
    """Columns, and behind each drift the drift ratio of the worst storey and of every storey.

    ``heights`` is (row, storey).
    """
    found: dict[str, Array] = {}
    storeys = 0 if heights is None else heights.shape[1]
    for name, values in columns.items():
        if name not in RATIOS or heights is None or f"{name}_{storeys}" not in columns:
            found[name] = values
            continue
        ratios = np.stack([columns[f"{name}_{i + 1}"] / heights[:, i] for i in range(storeys)], axis=1)
        worst = np.where(np.isnan(ratios), -1.0, np.abs(ratios)).argmax(axis=1)
        found[RATIOS[name]] = ratios[np.arange(len(ratios)), worst]
        found |= {f"{RATIOS[name]}_{i + 1}": ratios[:, i].copy() for i in range(storeys)}
        found[name] = values
    return found


def base_measure(demand: str) -> str:
    """The measure of a batch that a demand is made from: "drift" for "drift_ratio".

    >>> base_measure("drift_ratio"), base_measure("ductility")
    ('drift', 'ductility')
    """
    return {ratio: name for name, ratio in RATIOS.items()}.get(demand, demand)


def words_of(demand: str, units: Any, storeys: bool) -> tuple[str, str]:
    """A demand in words, and its unit; "" for a pure number."""
    base = base_measure(demand)
    if base not in MEASURES:
        raise InputError(f"no measure is called {demand!r}; there are {', '.join((*MEASURES, *RATIOS.values()))}")
    place = "storey " if storeys and "drift" in demand else "floor " if storeys and "accel" in demand else ""
    said = unit(MEASURES[base].kind, units.length, units.force)
    return f"{place}{demand.replace('_', ' ')}", "" if demand in RATIOS.values() or said == "1" else said
