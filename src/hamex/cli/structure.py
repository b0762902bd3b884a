"""What a run of a structure found: its model in words, its storeys, hinges, groups and damping."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from hamex.model.algebra import DENSE
from hamex.model.modes import Modes, modes
from hamex.model.record import Model
from hamex.model.units import Units
from hamex.solution.files import level_dofs
from hamex.solution.outline import unit, variable
from hamex.solution.solution import Solution
from hamex.spec import ProblemFile

_PERIODS, _HINGES, _GROUPS, _STOREYS = 3, 6, 6, 20  # rows that the screen shows at most


def first_modes(model: Model, count: int) -> Modes:
    """The lowest modes, as many as there are."""
    if len(model.dofs) > DENSE:
        return modes(model, count)
    found = modes(model)
    return dataclasses.replace(
        found,
        frequencies=found.frequencies[:count],
        shapes=found.shapes[:, :count],
        participation=found.participation[:count],
        effective_mass=found.effective_mass[:count],
    )


def structure_summary(file: ProblemFile, model: Model) -> dict[str, Any]:
    """The model in numbers."""
    found = first_modes(model, _PERIODS)
    # In space every storey counts once for each horizontal direction.
    storeys = None if model.storeys is None else len(model.storeys.names) // max(len(model.directions) - 1, 1)
    return {
        "kind": file.kind,
        "dofs": len(model.dofs),
        "springs": len(model.springs),
        "storeys": storeys,
        "mass": dict(zip(model.directions, found.total_mass.tolist(), strict=True)),
        "periods": [x if math.isfinite(x) else None for x in found.periods.tolist()],
    }


def structure_lines(model: dict[str, Any], length: str, force: str) -> tuple[str, str]:
    """The model in words, and its periods."""
    mass = max(model["mass"].values())
    storeys = f", {model['storeys']} storey{'s' if model['storeys'] > 1 else ''}" if model["storeys"] else ""
    # A spring that carries nothing at rest, such as an open gap, leaves a motion without a period.
    periods = ", ".join("infinite" if x is None else f"{x:.4g} s" for x in model["periods"])
    return (
        f"{model['kind'].replace('_', ' ')}{storeys}, {model['dofs']} degrees of freedom, {model['springs']} "
        f"springs, mass {mass:.5g} {Units(length, force).mass}",
        periods,
    )


def structure_tables(solution: Solution) -> dict[str, Any]:
    """Storeys, hinges, groups, counts and damping as data, and as the tables that the screen shows."""
    storeys, hinges, groups = _storeys(solution), _hinges(solution), _groups(solution)
    length, force = solution.units.length, solution.units.force
    tables = []
    if storeys:
        tables.append(_storey_table(storeys, length, force))
    if hinges:
        rows = [[hinge["name"], f"{hinge['rotation']:.4g}", f"{hinge['moment']:.4g}"] for hinge in hinges[:_HINGES]]
        tables.append(
            (
                [
                    f"hinges that turned most, of {len(hinges)}",
                    ">rotation [rad]",
                    f">moment [{unit('moment', length, force)}]",
                ],
                rows,
            )
        )
    if groups and "hinge_rotation" not in solution.names:
        whole = sum(groups.values())
        most = list(groups.items())[:_GROUPS]
        rows = [[name, f"{value:.4g}", f"{100 * value / whole:.1f} %"] for name, value in most]
        tables.append((["plastic energy of", f">{unit('energy', length, force)}", ">share"], rows))
    counted, searched = "solves" in solution.names, "searches" in solution.names
    return {
        "storeys": storeys,
        "hinges": hinges,
        "dissipated_by_group": groups,
        "tables": tables,
        "solves": int(solution.values("solves").sum()) if counted else None,
        "most_solves": int(solution.values("solves").max()) if counted else None,
        "searches": int(solution.values("searches").sum()) if searched else None,
        "damping": dataclasses.asdict(solution.damping_share),
        "p_delta": shear_with_p_delta(solution),
        "exceeded": None if solution.exceeded is None else dataclasses.asdict(solution.exceeded),
    }


def floor_peaks(solution: Solution) -> dict[str, dict[str, Any]]:
    """Peaks of the dofs that move levels sideways; those of all nodes may be vertical, or of a node without mass."""
    levels = level_dofs(solution)
    own = [place for place, dof in enumerate(solution.dofs) if dof in (levels or ())]
    found: dict[str, dict[str, Any]] = {}
    for name in ("displacement", "velocity", "absolute_acceleration"):
        if not own or name not in solution.peaks:
            continue
        values = np.abs(solution.values(name)[:, own])
        row, column = np.unravel_index(int(values.argmax()), values.shape)
        of_step = variable(name).dims[0] == "interval"
        time = solution.times[row : row + 2].mean() if of_step else solution.times[row]
        place = {"time": float(time), "where": solution.dofs[own[column]], "unit": solution.peaks[name].unit}
        found[name] = {"value": float(values[row, column]), **place, "error": None}
    return found


def shear_with_p_delta(solution: Solution) -> dict[str, Any] | None:
    """Where P-Delta makes two of the base shear: the largest that the springs carry, and the largest from outside.

    Outside are the load, inertia and damping; the springs carry these and the tilt of gravity, ``-ιᵀKu``.
    """
    peak = solution.peaks.get("base_shear")
    if peak is None:
        return None
    way = solution.layout.directions.index(peak.where)
    tilt = np.asarray(solution.model.stiffness @ solution.layout.influence[:, way])
    if not np.abs(tilt).max(initial=0.0) > 0:
        return None
    nodes = solution.values("displacement")
    u = nodes[1:] if solution.at_ends else 0.5 * (nodes[:-1] + nodes[1:])
    springs = solution.values("base_shear")[:, way]
    applied = springs + u @ tilt
    return {
        "where": peak.where,
        "springs": float(np.abs(springs).max()),
        "applied": float(np.abs(applied).max()),
        "springs_at_end": float(springs[-1]),
        "applied_at_end": float(applied[-1]),
    }


def _storeys(solution: Solution) -> list[dict[str, Any]]:
    """Peak drift, residual drift, peak shear and ductility of every storey from the ground up."""
    if "storey_drift" not in solution.names:
        return []
    drift, shear = (np.abs(solution.values(name)).max(axis=0) for name in ("storey_drift", "storey_shear"))
    ratio = np.abs(solution.values("drift_ratio")).max(axis=0) if "drift_ratio" in solution.names else None
    residual = solution.values("residual_drift")
    ductility = solution.values("ductility")
    rows = []
    for place, name in enumerate(solution.labels("storey")):
        own = ductility[list(solution.layout.groups.get(name, ()))]
        own = own[np.isfinite(own)]
        rows.append(
            {
                "name": name,
                "drift": float(drift[place]),
                "drift_ratio": None if ratio is None else float(ratio[place]),
                "residual_drift": float(residual[place]),
                "shear": float(shear[place]),
                "ductility": float(own.max()) if own.size else None,
            }
        )
    return rows


def _storey_table(storeys: list[dict[str, Any]], length: str, force: str) -> tuple[list[str], list[list[str]]]:
    """From the roof down, as a section through the building is drawn; columns without numbers are left out."""
    rows = [
        [
            storey["name"],
            f"{storey['drift']:.4g}",
            f"{100 * storey['drift_ratio']:.3g}" if storey["drift_ratio"] is not None else "",
            f"{storey['residual_drift']:.3g}",
            f"{storey['shear']:.5g}",
            f"{storey['ductility']:.3g}" if storey["ductility"] is not None else "",
        ]
        for storey in storeys
    ][::-1]
    columns = ["storey", f">drift [{length}]", ">ratio [%]", f">residual [{length}]", f">shear [{force}]", ">ductility"]
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    shown = rows if len(rows) <= _STOREYS else [*rows[: _STOREYS // 2], ["…"] + [""] * 5, *rows[-_STOREYS // 2 :]]
    return [columns[i] for i in kept], [[row[i] for i in kept] for row in shown]


def _hinges(solution: Solution) -> list[dict[str, Any]]:
    """Hinges that turned, the largest rotation first."""
    if "hinge_rotation" not in solution.names:
        return []
    rotation, moment = (np.abs(solution.values(name)).max(axis=0) for name in ("hinge_rotation", "hinge_moment"))
    return [
        {"name": solution.labels("hinge")[place], "rotation": float(rotation[place]), "moment": float(moment[place])}
        for place in np.argsort(-rotation, kind="stable")
        if rotation[place] > 0
    ]


def _groups(solution: Solution) -> dict[str, float]:
    """Energy that slip dissipated by the end, by group, the largest first; groups without any are left out."""
    last = solution.values("plastic_by_group")[-1]
    names = solution.labels("group")
    return {names[place]: float(last[place]) for place in np.argsort(-last, kind="stable") if last[place] > 0}
