"""Python code that builds and runs what a view shows: the calls a user would write, number for number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from hamex import __version__
from hamex.spec.base import Table
from hamex.spec.tables import ProblemTables

_SCHEMES = {"galerkin": "Galerkin", "discontinuous_galerkin": "DiscontinuousGalerkin", "newmark": "Newmark",
            "piecewise_exact": "PiecewiseExact", "leap_frog": "LeapFrog"}
_PRINTED = """
for name, peak in sol.peaks.items():
    print(f"{name:24s} {peak.value:.8g} {peak.unit} at {peak.time:.3f} s, {peak.where}")
print("energy residual", sol.residual)
"""


class NoCodeError(Exception):
    """The state uses a part of problem files that has no line of code here; the problem file says it all."""


def python_code(tables: ProblemTables, against: Table | None = None) -> str:
    """A script that runs the problem; the same numbers as the page, bit for bit."""
    title = " ".join((tables.title or "A state of the studio").split())      # one line, or it would be code
    lines = [f"# {title}: written by the studio of hamex {__version__}", ""]
    lines += ["import hamex as hx" if tables.model.kind == "shear_frame" or tables.model.period is None
              else "import math\n\nimport hamex as hx", ""]
    units = tables.units
    lines.append(f"units = hx.Units(length={_said(units.length)}, force={_said(units.force)})")
    lines.append(f"g = {units.gravity!r}" if units.gravity is not None else "g = units.gravity")
    lines += _oscillator(tables.model) if tables.model.kind == "oscillator" else _frame(tables.model)
    lines += _load(tables)
    start = _start(tables)
    duration = _duration(tables)
    lines.append(f"scheme = {_scheme(tables.scheme)}")
    lines += duration
    lines.append(f"problem = hx.Problem(model, load, duration=duration{start})")
    lines.append("sol = hx.solve(problem, scheme)")
    lines.append(_PRINTED.rstrip())
    if against is not None:
        lines += ["", f"other = hx.solve(problem, {_scheme(against)})",
                  'print("beside it", other.peaks["displacement"].value, "energy residual", other.residual)']
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    """A value as Python spells it, text in double quotes."""
    if isinstance(value, float) and math.isinf(value):
        return f"float('{value}')"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _call(name: str, given: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={_said(value)}' for key, value in given.items())})"


def _oscillator(model: Any) -> list[str]:
    lines = [f"mass = {model.mass!r}"]
    lines.append(f"stiffness = {model.stiffness!r}" if model.period is None
                 else f"stiffness = mass * (2 * math.pi / {model.period!r}) ** 2")
    damping = f"hx.ratio({model.damping_ratio!r})" if model.damping_ratio is not None else repr(model.damping or 0.0)
    keys = model.given("yield_force", "viscosity", "kinematic", "isotropic")
    law = _call("hx.Slider", keys)
    if model.strength_ratio is not None:
        first = f"yield_force={model.strength_ratio!r} * mass * g"
        law = f"hx.Slider({', '.join([first, *(f'{key}={_said(value)}' for key, value in keys.items())])})"
    lines.append(f"law = {law}")
    lines.append(f"model = hx.oscillator(mass, stiffness, {damping}, law, units)")
    return lines


def _law(table: Any) -> str:
    if table is None:
        return "None"
    if table.kind == "slider":
        return _call("hx.Slider", table.given("yield_force", "viscosity", "kinematic", "isotropic"))
    if table.kind == "power":
        return f"hx.PowerLaw({table.coefficient!r}, {table.exponent!r})"
    raise NoCodeError(f"a law of kind {table.kind}")


def _damping(table: Any) -> str:
    if table is None:
        return "0.0"
    keys = table.given(*(name for name in type(table).model_fields if name != "kind"))
    if table.kind == "coefficients":
        return repr(table.storeys)
    if table.kind == "matrix":
        return repr(table.rows)
    if table.kind == "rayleigh" and "modes" in keys:
        keys["modes"] = tuple(keys["modes"])
    return _call(f"hx.{table.kind}", keys)


def _frame(model: Any) -> list[str]:
    if model.links:
        raise NoCodeError("links")
    lines = [f"masses = {_list(model.masses)}", f"stiffnesses = {_list(model.stiffnesses)}"]
    laws = _law(model.law) if model.laws is None else _rows(_law(law) for law in model.laws)
    lines.append(f"laws = {laws}")
    more = "".join(f", {key}={_said(value)}" for key, value in model.given("heights", "weights", "names").items())
    lines.append(f"model = hx.shear_frame(masses, stiffnesses, {_damping(model.damping)}, laws, units=units{more})")
    return lines


def _list(values: Any) -> str:
    """Equal entries are counted."""
    if isinstance(values, list) and len(values) > 3 and len(set(values)) == 1:
        return f"[{values[0]!r}] * {len(values)}"
    return repr(values)


def _rows(words: Iterable[str]) -> str:
    found = list(words)
    if len(found) > 1 and len(set(found)) == 1:
        return f"[{found[0]}] * {len(found)}"
    return "[\n    " + ",\n    ".join(found) + ",\n]"


def _load(tables: ProblemTables) -> list[str]:
    if tables.support is not None or tables.gravity is not None or isinstance(tables.motion, list) or \
            isinstance(tables.load, list) or (tables.motion is not None and tables.load is not None):
        raise NoCodeError("several loads, moving supports or gravity")
    if tables.motion is None:
        return [f"load = {_force(tables.load)}"]
    motion = tables.motion
    scaled = f".scaled({motion.scale!r})" if motion.scale != 1 else ""
    direction = f", direction={_said(motion.direction)}" if motion.direction is not None else ""
    lines = []
    if motion.accelerations is not None:
        lines += [f"accelerations = {_wrapped(motion.accelerations)}"]
        made = (f"hx.GroundMotion(accelerations, step={motion.step!r}, unit={_said(motion.unit)}, "
                f"source={_said(motion.source or 'given samples')})")
    elif motion.wave is not None:
        wave = motion.wave
        words = [_said(wave.shape), repr(wave.amplitude), repr(wave.period),
                 *(f"{key}={_said(value)}" for key, value in wave.given("cycles", "step", "unit").items())]
        made = f"hx.ground_wave({', '.join(words)})"
    elif motion.synthetic is not None:
        keys = motion.synthetic.given("seed", "magnitude", "distance", "vs30", "step", "duration", "scatter")
        made = f"hx.synthetic_suite(1, {', '.join(f'{key}={_said(value)}' for key, value in keys.items())})[0]"
    else:
        made = "hx.el_centro()"
    return [*lines, f"motion = {made}{scaled}", f"load = motion.on(model, g=g{direction})"]


def _force(table: Any) -> str:
    if getattr(table, "at", None) is not None:
        raise NoCodeError("forces on chosen floors")
    if table.kind == "none":
        return "hx.constant(0.0)"
    if table.kind == "samples":
        scaled = f".scaled({table.scale!r})" if table.scale != 1 else ""
        return f"hx.Load({_wrapped(table.forces)}, {table.step!r}){scaled}"
    keys = table.given(*(name for name in type(table).model_fields if name not in ("kind", "at", "period")))
    if getattr(table, "period", None) is not None:
        return f"hx.sine({table.amplitude!r}, omega=2 * 3.141592653589793 / {table.period!r}" + "".join(
            f", {key}={_said(value)}" for key, value in keys.items() if key != "amplitude") + ")"
    return _call(f"hx.{table.kind}", keys)


def _wrapped(numbers: list[float]) -> str:
    words, lines, line = [f"{value!r}," for value in numbers], [], "   "
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line)
            line = "   "
        line += f" {word}"
    return "[\n" + "\n".join([*lines, line]) + "\n]"


def _start(tables: ProblemTables) -> str:
    start = tables.start
    if start is None:
        return ""
    if any(isinstance(value, dict) for value in start.given(*type(start).model_fields).values()) or \
            start.back_force is not None or start.accumulated_slip is not None:
        raise NoCodeError("a start by names or with internal variables")
    def vector(value: Any) -> list[float]:
        return value if isinstance(value, list) else [value]

    keys = {name: vector(value) for name, value in start.given("displacement", "momentum", "slip").items()}
    words = [f"{name}={value!r}" for name, value in keys.items()]
    if start.velocity is not None:
        words.append(f"momentum=model.mass @ {vector(start.velocity)!r}")
    return f", start=hx.State({', '.join(words)})"


def _duration(tables: ProblemTables) -> list[str]:
    if tables.duration is not None:
        return [f"duration = {tables.duration!r}"]
    return [f"duration = -(-(load.end + {tables.tail or 0.0!r} - 1e-9 * scheme.step) // scheme.step) * scheme.step"]


def _scheme(table: Any) -> str:
    keys = table.given(*(name for name in type(table).model_fields if name != "kind"))
    return _call(f"hx.{_SCHEMES[table.kind]}", keys)
