"""What a run found: as plain data for JSON, and as tables for the screen."""

from __future__ import annotations

import math
import re
import shutil
from typing import Any

import numpy as np

from hamex.cli.structure import (
    body_lines,
    body_peaks,
    body_summary,
    floor_peaks,
    probe_peaks,
    probe_table,
    structure_lines,
    structure_summary,
    structure_tables,
    yielded_share,
)
from hamex.cli.text import aligned, heading, wrapped
from hamex.model.laws import by_kind
from hamex.model.laws.law import Law
from hamex.model.record import Model, parameter
from hamex.model.record import yields as model_yields
from hamex.model.units import Units
from hamex.names import units_of
from hamex.schemes import Scheme
from hamex.solution.energy import CLOSED
from hamex.solution.outline import unit
from hamex.solution.peaks import WORDS
from hamex.solution.solution import Solution
from hamex.spec import ProblemFile

_PEAKS = ("displacement", "velocity", "force", "node_force", "slip", "residual_slip")
_STRUCTURE_PEAKS = (
    "displacement",
    "velocity",
    "absolute_acceleration",
    "base_shear",
    "overturning_moment",
    "storey_drift",
    "drift_ratio",
    "residual_drift",
    "ductility",
    "slip",
    "hinge_rotation",
)
_SAME = 1.01  # a node beside a floor that moves no more than it
# Both are called base shear elsewhere.
_P_DELTA = (
    "P-Delta: the springs carry the base shear from outside and the tilt of gravity; that from outside, as in a "
    "capacity curve, is at most {applied:.5g} {unit} in {where}"
)
_ENERGIES = ("input", "viscous", "plastic", "jumps", "hardening", "stored", "kinetic")
_PROMISES = "one solution per step: {one_solution}; contraction: {contraction}"
_OVERSHOOT = "read step means; node forces overshoot at viscosity 0 (docs/limits.md)"
# Measured on 72 oscillators under El Centro: lab/convergence.py, table in docs/which-scheme.md.
_BETTER = (
    "springs without viscosity: discontinuous_galerkin of degree 2 has a fifth to a tenth of this scheme's "
    "error in the peak (docs/which-scheme.md)"
)

_FOLLOWED = 'law = "path" follows sliders along the step too, and their node forces lie on the law'


def summary(file: ProblemFile, solution: Solution) -> dict[str, Any]:
    """Every number that the screen shows, by name."""
    model, scheme = file.problem.model, solution.scheme  # its step may be a part of the file's
    solid = model.body is not None
    structure = not solid and solution.layout.is_structure
    yields, rate_independent = _yielding(scheme.sees(model))
    slips = yields or bool(solution.values("slip").any())
    of_kind = solution.peaks if solid else _STRUCTURE_PEAKS if structure else _PEAKS
    names = [name for name in of_kind if slips or "slip" not in name]
    found = {
        "title": file.title,
        "model": _model(file, model, structure),
        "load": file.load_text,
        "scheme": repr(scheme),
        "steps": solution.steps,
        "parts": round(file.scheme.step / scheme.step),
        "step": solution.step,
        "duration": solution.all_steps * solution.step,
        "units": {"length": model.units.length, "force": model.units.force},
        "peaks": {
            name: {"value": peak.value, "unit": peak.unit, "time": peak.time, "where": peak.where, "error": peak.error}
            for name, peak in solution.peaks.items()
            if name in names and not (structure and name == "slip" and peak.value == 0)
        },
        "ductility": None if solid else _ductility(solution),
        "energy": _energies(solution),
        "energy_unit": unit("energy", model.units.length, model.units.force),
        "energy_residual": solution.residual,
        "balances_exactly": scheme.balances(model),
        "promises": solution.promises._asdict(),
        "iterations": int(solution.values("iterations").sum()) if "iterations" in solution.names else None,
        "advice": None if solid else _advice(scheme, model, rate_independent),
        "collapse": _collapse(solution),
        "status": solution.status.name.lower(),
        "status_message": solution.message,
        "rest": _rest(solution) if slips and not solid else None,
        "provenance": solution.provenance,
        "probes": probe_peaks(file, solution),
    }
    if solid:
        return found | {"yielded": yielded_share(solution)}
    return found | (structure_tables(solution) | {"floor_peaks": floor_peaks(solution)} if structure else {})


def _model(file: ProblemFile, model: Model, structure: bool) -> dict[str, Any]:
    if model.body is not None:
        return body_summary(file, model)
    return structure_summary(file, model) if structure else _oscillator(model)


def _advice(scheme: Scheme, model: Model, rate_independent: bool) -> str | None:
    """What a user should know about the scheme chosen for springs without viscosity; None where it fits.

    Beside springs that are followed along a step (those that degrade) elements of several stages are refused.
    """
    if not rate_independent or not scheme.continuous or getattr(scheme, "locate", False):
        return None
    followed = any(group.law.form == "path" for group in model.laws.values())
    better = _FOLLOWED if followed and "law" in vars(scheme) else "" if followed else _BETTER
    return "; ".join(filter(None, [_OVERSHOOT if scheme.means else "", better])) or None


def _yielding(model: Model) -> tuple[bool, bool]:
    """Whether some spring has a yield limit, and whether all of those in the mean form are without viscosity."""
    limited, groups = model_yields(model), model.laws.values()
    mean = [spring for group in groups if group.law.form == "flow" for spring in group.springs.tolist()]
    viscous = parameter(model, "viscosity")[mean][limited[mean]]
    return bool(limited.any()), bool(viscous.size) and not viscous.any()


def _oscillator(model: Model) -> dict[str, Any]:
    """The numbers of an oscillator, kind and parameters of its law; None is infinite, as an elastic yield force, or
    left out."""
    m, c = float(model.mass[0, 0]), float(model.damping.dense()[0, 0])
    k = float(model.compatibility[0, 0] ** 2 / model.flexibility[0, 0] + model.stiffness[0, 0])
    group = next(iter(model.laws.values()))
    parameters = getattr(group, "parameters", {})  # surfaces have tables
    law = {name: _plain(group.law.words.get(name), value[0]) for name, value in parameters.items()}
    return {
        "mass": m,
        "stiffness": k,
        "damping": c,
        "period": 2 * math.pi * math.sqrt(m / k),
        "damping_ratio": c / (2 * math.sqrt(k) * math.sqrt(m)),
        "law": group.law.kind,
        **law,
    }


def _plain(words: tuple[str, ...] | None, value: Any) -> float | str | list[float] | None:
    """A parameter of a group as JSON can have it; a row is the points of a curve, NaN behind the last."""
    if np.ndim(value):
        return [float(one) for one in value if math.isfinite(one)]
    if words is not None:
        return words[int(value)]
    return float(value) if math.isfinite(value) else None


def _ductility(solution: Solution) -> dict[str, Any] | None:
    """The largest deformation relative to that at first yield; None if no spring has one."""
    peak = solution.peaks.get("ductility")
    if peak is None:
        return None
    limit = float(solution.values("yield_deformation")[solution.springs.index(peak.where)])
    return {"value": peak.value, "deformation": peak.value * limit, "yield_deformation": limit, "where": peak.where}


def _collapse(solution: Solution) -> dict[str, Any] | None:
    """Sidesway at the end of the run; None where it stands."""
    found = None if solution.is_thinned or solution.model.body is not None else solution.collapse
    if found is None:
        return None
    return {"time": found.time, "where": found.where, "drift": found.drift, "message": str(found)}


def _rest(solution: Solution) -> dict[str, Any] | None:
    """Where it comes to rest if nothing slips once more, and how far it still swings; None where that is not known."""
    if solution.rest is None:
        return None
    rest, worst = solution.rest, int(abs(solution.rest.drift).argmax())
    storeys = solution.layout.storeys
    where = solution.peaks["displacement"].where if storeys is None else storeys.names[worst]
    return {
        "drift": rest.drift.tolist(),
        "swing": rest.swing.tolist(),
        "share": rest.share,
        "swings": rest.swings,
        "largest": float(rest.drift[worst]),
        "swing_there": float(rest.swing[worst]),
        "where": where,
        "what": "displacement" if storeys is None else "drift",
    }


def _rest_line(rest: dict[str, Any], length: str) -> str:
    place = f" ({rest['where']})" if rest["what"] == "drift" else ""
    found = f"at rest: {rest['what']} {rest['largest']:.5g} {length}{place}, if nothing slips once more"
    if not rest["swings"]:
        return found
    return (
        f"{found}; it still swings by up to {rest['swing_there']:.2g} {length} about it, and what is residual above is "
        "that of an instant (settle = 0.001 lets the run go on)"
    )


def _energies(solution: Solution) -> dict[str, float]:
    """Energies at the end; beside the input, what the start state brought along."""
    found = {name: float(solution.values(name)[-1]) for name in _ENERGIES}
    return {"start": float(sum(solution.values(name)[0] for name in ("kinetic", "stored", "hardening")))} | found


def show(found: dict[str, Any], model: Model) -> None:
    """Print a summary as tables that fit the terminal, 80 columns where there is none."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    length, force = found["units"]["length"], found["units"]["force"]
    structure = "storeys" in found
    print(heading(found["title"]))
    words = body_lines if model.body is not None else structure_lines if structure else _model_lines
    about = words(found["model"], length, force)
    parts = found["parts"]
    cut = f" (the file's {found['step'] * parts:g} s cut into {parts})" if parts > 1 else ""
    steps = f"{found['steps']} steps of {found['step']:.6g} s{cut}, {found['steps'] * found['step']:g} s in all"
    for name, text in (
        ("model", about[0]),
        ("periods" if structure or model.body is not None else "spring", about[1]),
        ("load", found["load"]),
        ("scheme", _scheme_words(found["scheme"])),
        ("", steps),
    ):
        print(wrapped(text, width, f"  {name:8}"))
    if model.body is not None:
        print("\n" + body_peaks(found))
    else:
        print("\n" + _peaks(_with_floors(found) if structure else found["peaks"], structure))
    if structure and found["p_delta"]:
        print(wrapped(_P_DELTA.format(**found["p_delta"], unit=force), width, ""))
    for columns, rows in found["tables"] if structure else ():
        print("\n" + aligned(columns, rows))
    if found["probes"]:
        print("\n" + aligned(*probe_table(found["probes"], length, force)))
    if found["ductility"] and not structure:
        print(
            "\nductility {value:.4g}: peak deformation {deformation:.5g} {length}, at first yield "
            "{yield_deformation:.5g} {length}".format(**found["ductility"], length=length)
        )
    if found["rest"]:
        print("\n" + wrapped(_rest_line(found["rest"], length), width, ""))
    print("\n" + _energy_table(found["energy"], found["energy_unit"]) + "\n")
    print(_balance(found))
    print(wrapped(_PROMISES.format(**found["promises"]), width, ""))
    if found["iterations"] is not None:
        print(f"{found['iterations']} Newton iterations, {found['iterations'] / found['steps']:.2f} a step")
    elif structure and found["solves"] is not None:
        searches = "" if found["searches"] is None else f"; {found['searches']} points of line searches"
        print(
            f"{found['solves']} linear solves, {found['solves'] / found['steps']:.2f} a step, at most "
            f"{found['most_solves']}{searches}"
        )
    if structure:
        print(
            "largest damping force {damping:.4g} {unit}, {percent:.3g} % of the springs' {spring:.4g} {unit} "
            "({where})".format(**found["damping"], percent=100 * found["damping"]["share"])
        )
    if found["advice"]:
        print(wrapped(found["advice"], 80, "advice: "))
    if found["collapse"]:
        print(wrapped(found["collapse"]["message"], width, "collapse: "))
    print(wrapped(found["status_message"], width, f"{found['status']}: "))


def _scheme_words(said: str) -> str:
    """A scheme as problem files say it; what is not set is left out.

    >>> _scheme_words("DiscontinuousGalerkin(step=0.01, degree=1, load='average', tolerance=None)")
    'discontinuous_galerkin, step 0.01, degree 1, load average'
    """
    name, _, rest = said.removesuffix(")").partition("(")
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    keys = [part.replace("=", " ").replace("'", "") for part in rest.split(", ")]
    return ", ".join([kind, *(key for key in keys if key and not key.endswith((" None", " False")))])


def _model_lines(model: dict[str, Any], length: str, force: str) -> tuple[str, str]:
    oscillator = (
        f"mass {model['mass']:.5g} {Units(length, force).mass}, stiffness {model['stiffness']:.5g} {force}/{length}, "
        f"period {model['period']:.5g} s, damping ratio {100 * (model['damping_ratio'] or 0):.4g} %"
    )
    if model["law"] != "slider":
        return oscillator, _law_line(by_kind(model["law"]), model, length, force)
    if model["yield_force"] is None:
        return oscillator, "elastic"
    slider = [
        f"yield force {model['yield_force']:.5g} {force}",
        f"viscosity {model['viscosity']:.5g} {force} s/{length}",
    ]
    slider += [
        f"{name} hardening {model[name]:.5g} {force}/{length}" for name in ("kinematic", "isotropic") if model[name]
    ]
    return oscillator, ", ".join(slider)


def _law_line(law: type[Law], numbers: dict[str, Any], length: str, force: str) -> str:
    """A law by name with its parameters, in the units that its docstring tells; left out are those that are infinite,
    and a side that is as the other."""
    units, words = units_of(law), []
    for name in law.names():
        value, (first, sign) = numbers.get(name), law.sides.get(name, ("", 1.0))
        if value is None or (first and value == sign * (numbers[first] or 0.0)):
            continue
        own = units.get(name) or units.get(first, "")
        unit_ = own.replace("force", force).replace("length", length).replace("time", "s")
        said = " ".join(str(one) if isinstance(one, str) else f"{one:.5g}" for one in np.ravel(value).tolist())
        words.append(f"{name.replace('_', ' ')} {said} {unit_}".rstrip())
    return ", ".join([law.__name__, *words])


def _balance(found: dict[str, Any]) -> str:
    gap = f"{found['energy_residual']:.1e} of the largest work"
    if found["balances_exactly"] and found["energy_residual"] > CLOSED:
        return f"energy balance closes to {gap} only: the step is too long for round-off"
    if found["balances_exactly"]:
        return f"energy balance closes to {gap} (arithmetic, not accuracy)"
    return f"energy balance off by {gap} (not promised by this scheme)"


def _with_floors(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Peaks in the order of the screen; floors first where a node elsewhere, or a vertical motion, has the largest."""
    peaks: dict[str, dict[str, Any]] = {}
    for name in _STRUCTURE_PEAKS:
        if name not in found["peaks"]:
            continue
        whole, floor = found["peaks"][name], found["floor_peaks"].get(name)
        if floor is None or floor["where"] == whole["where"]:
            peaks[name] = whole
        elif whole["value"] <= _SAME * floor["value"]:
            peaks[name] = floor | {"error": whole["error"]}
        else:
            peaks |= {f"{name}: floors": floor, f"{name}: any node": whole}
    return peaks


def _peaks(peaks: dict[str, dict[str, Any]], structure: bool) -> str:
    estimated = any(peak["error"] is not None for peak in peaks.values())
    words = {}
    for name in peaks:
        plain, mark, place = name.partition(":")
        words[name] = WORDS.get(plain, plain.replace("_", " ")) + mark + place
    columns = ["peak", ">value", ">± error", "unit", ">at [s]", "where"]
    rows = [
        [
            words[name],
            f"{peaks[name]['value']:.5g}",
            "" if name.endswith(": floors") else "–" if (bar := peaks[name]["error"]) is None else f"{bar:.2g}",
            peaks[name]["unit"],
            f"{peaks[name]['time']:g}",
            peaks[name]["where"],
        ]
        for name in words
    ]
    kept = [0, 1, *([2] if estimated else []), 3, 4, *([5] if structure else [])]
    return aligned([columns[i] for i in kept], [[row[i] for i in kept] for row in rows])


def _energy_table(energies: dict[str, float], label: str) -> str:
    put_in = energies["start"] + energies["input"]
    rows = [
        [name, f"{value:.4g}", f"{100 * value / put_in:.1f} %" if put_in > 0 else ""]
        for name, value in energies.items()
        if value or name == "input"
    ]
    whole = "start + input" if energies["start"] else "input"
    return aligned(["energy at the end", f">{label}", f">share of {whole}"], rows)
