"""Python code that builds and runs what a view shows: the calls a user would write, number for number."""

from __future__ import annotations

from typing import Any

from hamex.spec.base import Table
from hamex.spec.tables import ProblemTables
from hamex.studio.code_parts import (
    NoCodeError,
    arguments,
    called,
    headline,
    import_lines,
    model_lines,
    motion_lines,
    said,
    units_lines,
    wrapped,
)

_PRINTED = """
for name, peak in sol.peaks.items():
    print(f"{name:24s} {peak.value:.8g} {peak.unit} at {peak.time:.3f} s, {peak.where}")
print("energy residual", sol.residual)
"""


def python_code(tables: ProblemTables, against: Table | None = None) -> str:
    """A script that runs the problem; the same numbers as the page, bit for bit."""
    lines = [headline(tables.title or "A state of the studio"), ""]
    lines += import_lines(tables.model, tables.scheme, against)
    lines += units_lines(tables.units)
    lines += model_lines(tables.model)
    lines += _load(tables)
    start = _start(tables)
    duration = _duration(tables)
    lines.append(f"scheme = {called(tables.scheme)}")
    lines += duration
    lines.append(f"problem = hx.Problem(model, load, duration=duration{start})")
    lines.append("sol = hx.solve(problem, scheme)")
    lines.append(_PRINTED.rstrip())
    if against is not None:
        lines += ["", f"other = hx.solve(problem, {called(against)})",
                  'print("beside it", other.peaks["displacement"].value, "energy residual", other.residual)']
    return "\n".join(lines) + "\n"


def _load(tables: ProblemTables) -> list[str]:
    if tables.support is not None or tables.gravity is not None or isinstance(tables.motion, list) or \
            isinstance(tables.load, list) or (tables.motion is not None and tables.load is not None):
        raise NoCodeError("several loads, moving supports or gravity")
    if tables.motion is None:
        return [f"load = {_force(tables.load)}"]
    direction = f", direction={said(tables.motion.direction)}" if tables.motion.direction is not None else ""
    return [*motion_lines(tables.motion), f"load = motion.on(model, g=g{direction})"]


def _force(table: Any) -> str:
    if getattr(table, "at", None) is not None:
        raise NoCodeError("forces on chosen floors")
    if table.kind == "none":
        return "hx.constant(0.0)"
    if table.kind == "samples":
        scaled = f".scaled({table.scale!r})" if table.scale != 1 else ""
        return f"hx.Load({wrapped(table.forces)}, {table.step!r}){scaled}"
    keys = table.given(*(name for name in type(table).model_fields if name not in ("kind", "at", "period")))
    if getattr(table, "period", None) is not None:
        return f"hx.sine({table.amplitude!r}, omega=2 * 3.141592653589793 / {table.period!r}" + "".join(
            f", {key}={said(value)}" for key, value in keys.items() if key != "amplitude") + ")"
    return f"hx.{table.kind}({arguments(keys)})"


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
