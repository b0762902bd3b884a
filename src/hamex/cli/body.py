"""What a run of a solid found: its model in words, and its largest motions, stresses and plastic strains by place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamex.cli.structure import first_modes
from hamex.cli.text import aligned
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.solution.solution import Solution
from hamex.spec import ProblemFile

_CELLS = {"tri": "triangles", "quad": "quadrilaterals", "tet": "tetrahedra", "hex": "hexahedra"}
_PLANES = {"strain": "plane strain", "stress": "plane stress", "axisymmetric": "axisymmetry", "space": "space"}
_PERIODS, _MODES = 3, 20_000  # that are told, and dofs up to which they are sought beside a run
_WORDS = {"von_mises": "von Mises stress", "equivalent_plastic_strain": "plastic strain"}


def body_summary(file: ProblemFile, model: Model) -> dict[str, Any]:
    """The model in numbers."""
    body = model.body
    assert body is not None
    mass = np.einsum("ij,ij->j", model.influence, np.asarray(model.mass @ model.influence))
    periods = first_modes(model, _PERIODS).periods.tolist() if len(model.dofs) <= _MODES else []
    return {
        "kind": file.kind,
        "cells": len(body.corners),
        "cell": _CELLS[body.cell],
        "degree": body.degree,
        "plane": body.plane,
        "dofs": len(model.dofs),
        "yielding_points": int((body.slipping >= 0).sum()),
        "mass": dict(zip(model.directions, mass.tolist(), strict=True)),
        "periods": [x if math.isfinite(x) else None for x in periods],
    }


def body_lines(model: dict[str, Any], length: str, force: str) -> tuple[str, str]:
    """The model in words, and its periods."""
    points = f", {model['yielding_points']:,} points that can yield" if model["yielding_points"] else ", elastic"
    mass = max(model["mass"].values(), default=0.0)
    # A body that flies has motions without a period.
    periods = ", ".join("infinite" if x is None else f"{x:.4g} s" for x in model["periods"])
    return (
        f"solid in {_PLANES[model['plane']]}, {model['cells']:,} {model['cell']} of degree {model['degree']}, "
        f"{model['dofs']:,} degrees of freedom{points}, mass {mass:.5g} {Units(length, force).mass}",
        periods or "not sought in a model of this size",
    )


def yielded_share(solution: Solution) -> float | None:
    """Share of the points that can yield which have flowed by the end; None where none can."""
    body = solution.layout.body
    if body is None or not np.any(body.slipping >= 0):
        return None
    flowed = solution.field("equivalent_plastic_strain").values > 0
    return float(flowed.sum() / (body.slipping >= 0).sum())


def body_peaks(found: dict[str, Any]) -> str:
    """The table of peaks for the screen, and how much has yielded."""
    estimated = any(peak["error"] is not None for peak in found["peaks"].values())
    rows = [
        [
            _WORDS.get(name, name.replace("_", " ")),
            f"{peak['value']:.5g}",
            "" if peak["error"] is None else f"{peak['error']:.2g}",
            "" if peak["unit"] == "1" else peak["unit"],
            f"{peak['time']:.5g}",
            peak["where"],
        ]
        for name, peak in found["peaks"].items()
    ]
    columns = ["peak", ">value", ">± error", "unit", ">at [s]", "where"]
    kept = [0, 1, *([2] if estimated else []), 3, 4, 5]
    said = aligned([columns[i] for i in kept], [[row[i] for i in kept] for row in rows])
    if found["yielded"] is not None:
        said += f"\n{100 * found['yielded']:.3g} % of the points that can yield have yielded by the end"
    return said
