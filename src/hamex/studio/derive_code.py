"""A run of the derivation view as a script: the same numbers without the studio."""

from __future__ import annotations

from typing import Any

from hamex.studio.derive_tables import ConstantTable, PulseTable, RunTable, Shape, SineTable


def script(run: RunTable) -> str:
    """Python that gives the numbers of a run. All that came with the request stands in it as literals."""
    numbers = [f"    {name!r}: {value!r}," for name, value in run.parameters.items()]
    numbers += [f"    {name!r}: {_history(shape)}," for name, shape in run.shapes.items()]
    lines = ['"""A motion from hamex studio."""', ""]
    curved = any(isinstance(shape, SineTable | PulseTable) for shape in run.shapes.values())
    lines += ["import math", ""] if curved else []
    lines += ["import hamex as hx", *_system(run), "numbers = {", *numbers, "}",
              f"sol = hx.simulate(system, numbers, {dict(run.start)!r}, duration={run.duration!r}, step={run.step!r}, "
              f"degree={run.degree!r})", "", "print(sol)", 'print(f"energy unaccounted for: {sol.residual:.3e}")', ""]
    return "\n".join(lines)


def _system(run: RunTable) -> list[str]:
    if run.system:
        return ["from hamex.principle.library import action", "", f"system = action({run.system!r})"]
    given: dict[str, Any] = {"fields": list(run.fields), "lagrangian": run.lagrangian, "dissipation": run.dissipation,
                             "loads": dict(run.loads), "meanings": dict(run.meanings)}
    said = [f"    {name}={value!r}," for name, value in given.items() if value or name == "fields"]
    return ["from hamex.principle.language import read_action", "", "system = read_action(", *said, ")"]


def _history(shape: Shape) -> str:
    if isinstance(shape, ConstantTable):
        return repr(shape.amplitude)
    if isinstance(shape, SineTable):
        return f"lambda time: {shape.amplitude!r} * math.sin(2 * math.pi * time / {shape.period!r})"
    if isinstance(shape, PulseTable):
        return (f"lambda time: {shape.amplitude!r} * math.sin(math.pi * time / {shape.length!r}) "
                f"if 0 <= time <= {shape.length!r} else 0.0")
    return "0.0"
