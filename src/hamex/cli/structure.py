"""What a run of a structure or of a body found: its model in words; storeys, hinges and groups, or stresses and plastic
strains by place; and the places whose motion a problem file asks for: peaks on the screen, histories and motions as
files."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.cli.text import aligned
from hamex.errors import InputError, ModelError
from hamex.model.algebra import DENSE
from hamex.model.inputs import few
from hamex.model.record import Model, Modes, modes
from hamex.model.units import Units
from hamex.motion.ground import GroundMotion
from hamex.solution.outline import unit, variable
from hamex.solution.shaking import GROUND, level_dofs
from hamex.solution.solution import Solution
from hamex.spec import ProblemFile

Array = NDArray[Any]
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
    try:
        periods = first_modes(model, _PERIODS).periods.tolist()
    except ModelError:  # P-Delta beside springs that carry nothing at rest: it runs, and has no natural motion
        periods = []
    mass = np.einsum("ij,ij->j", model.influence, np.asarray(model.mass @ model.influence))
    # In space every storey counts once for each horizontal direction.
    storeys = None if model.storeys is None else len(model.storeys.names) // max(len(model.directions) - 1, 1)
    return {
        "kind": file.kind,
        "dofs": len(model.dofs),
        "springs": len(model.springs),
        "storeys": storeys,
        "mass": dict(zip(model.directions, mass.tolist(), strict=True)),
        "periods": [x if math.isfinite(x) else None for x in periods],
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
        periods or "none at rest: P-Delta outweighs what its springs resist there",
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
        if rotation[place] > _ROUNDED * rotation.max()
    ]


def _groups(solution: Solution) -> dict[str, float]:
    """Energy that slip dissipated by the end, by group, the largest first; groups without any are left out."""
    last = solution.values("plastic_by_group")[-1]
    names = solution.labels("group")
    return {names[place]: float(last[place]) for place in np.argsort(-last, kind="stable") if last[place] > 0}


# Bodies ------------------------------------------------------------------------------------------------------
_ROUNDED = 1e-12  # of the largest rotation: less is rounding
_CELLS = {"tri": "triangles", "quad": "quadrilaterals", "tet": "tetrahedra", "hex": "hexahedra"}
_PLANES = {"strain": "plane strain", "stress": "plane stress", "axisymmetric": "axisymmetry", "space": "space"}
_MODES = 20_000  # dofs up to which they are sought beside a run
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


# Places ------------------------------------------------------------------------------------------------------
_STILL = 1e-9  # of what a probe moves in another direction: that is rounding
_QUANTITIES = ("displacement", "velocity", "absolute_acceleration")


def probe_peaks(file: ProblemFile, solution: Solution) -> list[dict[str, Any]]:
    """Largest displacement, velocity and total acceleration of every probe in the directions in which it moves."""
    found = []
    for name, place in file.probes.items():
        columns = {quantity: _histories(solution, place, quantity) for quantity in _QUANTITIES}
        moved = {way: float(np.abs(history).max()) for way, history in columns["displacement"].items()}
        for way in (way for way in moved if moved[way] > _STILL * max(moved.values()) or not max(moved.values())):
            row: dict[str, Any] = {"name": name, "at": list(place) if isinstance(place, tuple) else place, "way": way}
            for quantity, histories in columns.items():
                values = np.abs(histories[way])
                clock = solution.middles if quantity == "absolute_acceleration" else solution.times
                row[quantity] = {"value": float(values.max()), "time": float(clock[int(values.argmax())])}
            found.append(row)
    return found


def probe_table(rows: list[dict[str, Any]], length: str, force: str) -> tuple[list[str], list[list[str]]]:
    """The peaks for the screen."""
    columns = ["probe", "", f">displacement [{length}]", ">at [s]"]
    columns += [f">velocity [{length}/s]", f">acceleration [{unit('acceleration', length, force)}]"]
    shown = [
        [
            row["name"],
            row["way"],
            f"{row['displacement']['value']:.4g}",
            f"{row['displacement']['time']:.4g}",
            f"{row['velocity']['value']:.4g}",
            f"{row['absolute_acceleration']['value']:.4g}",
        ]
        for row in rows
    ]
    return columns, shown


def probe_histories(file: ProblemFile, solution: Solution) -> dict[str, Array]:
    """Displacement and velocity of every probe over time, by the heads of the columns."""
    length, force = solution.units.length, solution.units.force
    columns = {"time [s]": solution.times}
    for name, place in file.probes.items():
        for quantity in ("displacement", "velocity"):
            said = unit(variable(quantity)[1], length, force)
            for way, history in _histories(solution, place, quantity).items():
                columns[f"{quantity} {name}{'.' if way else ''}{way} [{said}]"] = history
    return columns


def check_probes(file: ProblemFile, probes: Path | None, motion: Path | None, at: str | None) -> None:
    """Refuse places that are not there, before any work starts."""
    if probes is not None and not file.probes:
        raise InputError("--probes: the file names no places; say them in [probes], as in tip = [1.0, 0.5]")
    if motion is None:
        return
    if at is None and len(file.probes) != 1:
        known = f"one of the probes {', '.join(file.probes)}, " if file.probes else ""
        raise InputError(f"--motion: say whose motion with --at: {known}a dof or a storey")
    model, (name, way) = file.problem.model, _place(file, at)
    if way is not None and model.body is not None and way not in tuple("xyz"[: model.body.dimension]):
        raise InputError(f"--at: there is no direction {way!r}; there are {', '.join('xyz'[: model.body.dimension])}")
    storeys = () if model.storeys is None else model.storeys.names
    if isinstance(name, str) and name != GROUND and name not in storeys and name not in model.dofs:
        there = few((*file.probes, *storeys, *model.dofs[:50]), name)
        raise InputError(f"--at: there is no {name!r}; there are {there}")


def probe_motion(file: ProblemFile, solution: Solution, at: str | None) -> GroundMotion:
    """The motion of a probe, a dof or a storey; of the only probe where none is named."""
    found = solution.motion(*_place(file, at))
    name = at or next(iter(file.probes))
    return dataclasses.replace(found, source=f"{file.title}: {found.source}", component=name)


def _place(file: ProblemFile, at: str | None) -> tuple[str | tuple[float, ...], str | None]:
    """What a word says: a place and a direction."""
    name = at or next(iter(file.probes))
    probe, _, way = name.rpartition(".")
    if name not in file.probes and isinstance(file.probes.get(probe), tuple):
        return file.probes[probe], way
    return file.probes.get(name, name), None


def write_motion(motion: GroundMotion, path: Path) -> Path:
    """A file that ``[motion]`` reads; AT2 is in g."""
    from hamex.files import write_atomically
    from hamex.motion.records.suite import record_text

    text = record_text(motion.converted("g") if path.suffix.lower() == ".at2" else motion, path.suffix)
    return write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


def write_probes(columns: dict[str, Array], path: Path) -> Path:
    """A table of histories, as text or as a sheet."""
    from hamex.files import write_atomically
    from hamex.solution.files import write_sheets

    if path.suffix.lower() == ".xlsx":
        return write_sheets(path, {"probes": columns})
    rows = "\n".join(",".join(repr(float(value)) for value in row) for row in zip(*columns.values(), strict=True))
    return write_atomically(path, lambda part: part.write_text(f"{','.join(columns)}\n{rows}\n", encoding="utf-8"))


def _histories(solution: Solution, place: str | tuple[float, ...], quantity: str) -> dict[str, Array]:
    """One history a direction; of a dof the one it has. Accelerations are total, the rest relative to the ground."""
    if isinstance(place, str):
        return {"": solution.values(quantity)[:, solution.dofs.index(place)]}
    found = solution.probe(place, quantity)[:, 0]
    return {str(way): np.asarray(found.sel(component=way)) for way in found["component"].values}
