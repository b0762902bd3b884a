"""What a run of a solid found: its model in words, and its largest motions, stresses and plastic strains by place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.cli.structure import first_modes
from hamex.cli.text import aligned
from hamex.model.record import Model
from hamex.model.solids.body import Body
from hamex.model.units import Units
from hamex.solution.schema import unit
from hamex.solution.solution import Solution
from hamex.spec import ProblemFile

Array = NDArray[Any]
BODY_PEAKS = ("displacement", "velocity")
_CELLS = {"tri": "triangles", "quad": "quadrilaterals", "tet": "tetrahedra", "hex": "hexahedra"}
_PLANES = {"strain": "plane strain", "stress": "plane stress", "axisymmetric": "axisymmetry", "space": "space"}
_PERIODS, _MODES = 3, 20_000  # that are told, and dofs up to which they are sought beside a run
_WORK = 400_000  # cells × instants at which stresses are looked at
_WORDS = {
    "displacement": "displacement",
    "velocity": "velocity",
    "absolute_acceleration": "total acceleration",
    "von_mises": "von Mises stress",
    "plastic_strain": "plastic strain, equivalent",
}


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


def body_fields(solution: Solution) -> dict[str, dict[str, Any]]:
    """The largest total acceleration, von Mises stress and equivalent plastic strain: value, time and place."""
    body = solution.model.body
    assert body is not None
    length, force = solution.units.length, solution.units.force
    acceleration = np.abs(solution.values("absolute_acceleration"))
    row, dof = np.unravel_index(int(acceleration.argmax()), acceleration.shape)
    found = {
        "absolute_acceleration": {
            "value": float(acceleration[row, dof]),
            "unit": unit("acceleration", length, force),
            "time": float(solution.middles[row]),
            "where": solution.dofs[int(dof)],
        }
    }
    every = max(1, math.ceil(len(body.corners) * len(solution.times) / _WORK))
    stress = _stress_peak(solution, body, every)
    found["von_mises"] = stress | {"unit": f"{force}/{length}²", "every": every}
    if solution.springs:
        slip = equivalent_strain(body, body.plastic_strain(solution.values("slip")[-1]))
        cell, point = np.unravel_index(int(slip.argmax()), slip.shape)
        yielded = float((slip > 0).sum() / max(int((body.slipping >= 0).sum()), 1))
        found["plastic_strain"] = {
            "value": float(slip[cell, point]),
            "unit": "1",
            "time": float(solution.times[-1]),
            "where": body.places[cell, point].tolist(),
            "share": yielded,
        }
    return found


def _stress_peak(solution: Solution, body: Body, every: int) -> dict[str, Any]:
    """Over every so many nodes in time: stresses at the nodes, from strains less plastic strains."""
    u, slip = solution.values("displacement"), solution.values("slip")
    moved = solution.problem.supports
    given = None if moved is None else moved.node_values(solution.step, solution.all_steps, quiet=True)
    if given is not None and moved is not None and moved.patterns is not None:
        given = given @ moved.patterns.T
    best: dict[str, Any] = {"value": 0.0, "time": 0.0, "where": body.places[0, 0].tolist()}
    for node in range(0, len(u), every):
        nodal = body.displacement(u[node], None if given is None else given[node])
        stress = von_mises(body, body.stress(nodal, slip[node]))
        if stress.max() > best["value"]:
            cell, point = np.unravel_index(int(stress.argmax()), stress.shape)
            best = {
                "value": float(stress[cell, point]),
                "time": float(solution.times[node]),
                "where": body.places[cell, point].tolist(),
            }
    return best


def von_mises(body: Body, stress: Array) -> Array:
    """(cell, point) from stresses (cell, point, m)."""
    s = dict(zip(body.components, np.moveaxis(stress, -1, 0), strict=True))
    xx, yy, zz = s["xx"], s["yy"], s.get("zz", 0.0)
    shear = sum(s[name] ** 2 for name in ("xy", "yz", "zx") if name in s)
    return np.asarray(np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * shear))


def equivalent_strain(body: Body, strain: Array) -> Array:
    """(cell, point): √(⅔ e:e) of the deviator of plastic strains (cell, point, m); plane stress keeps the volume."""
    e = dict(zip(body.components, np.moveaxis(strain, -1, 0), strict=True))
    xx, yy = e["xx"], e["yy"]
    zz = e.get("zz", -(xx + yy))
    mean = (xx + yy + zz) / 3
    shear = sum(0.5 * e[name] ** 2 for name in ("xy", "yz", "zx") if name in e)
    return np.asarray(np.sqrt(2 / 3 * ((xx - mean) ** 2 + (yy - mean) ** 2 + (zz - mean) ** 2 + shear)))


def body_peaks(found: dict[str, Any], body: Body) -> str:
    """The table of peaks for the screen."""
    peaks = found["peaks"] | found["fields"]
    estimated = any(peak.get("error") is not None for peak in peaks.values())
    rows = [
        [
            word,
            f"{peaks[name]['value']:.5g}",
            "" if peaks[name].get("error") is None else f"{peaks[name]['error']:.2g}",
            peaks[name]["unit"].replace("1", ""),
            f"{peaks[name]['time']:.5g}",
            _where(body, peaks[name]["where"]),
        ]
        for name, word in _WORDS.items()
        if name in peaks
    ]
    columns = ["peak", ">value", ">± error", "unit", ">at [s]", "where"]
    kept = [0, 1, *([2] if estimated else []), 3, 4, 5]
    said = aligned([columns[i] for i in kept], [[row[i] for i in kept] for row in rows])
    plastic, every = found["fields"].get("plastic_strain"), found["fields"]["von_mises"]["every"]
    if every > 1:
        said += f"\nstresses were looked at in every {every}th step"
    if plastic is not None:
        said += f"\n{100 * plastic['share']:.3g} % of the points that can yield have yielded by the end"
    return said


def _where(body: Body, where: str | list[float]) -> str:
    """A place by its coordinates; a dof also by its direction."""
    if not isinstance(where, str):
        return f"({', '.join(f'{x:.4g}' for x in where)})"
    node, _, way = where.removeprefix("node ").partition(".")
    return f"{way} at ({', '.join(f'{x:.4g}' for x in body.nodes[int(node) - 1])})"
