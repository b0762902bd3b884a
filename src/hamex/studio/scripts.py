"""Python code that builds and runs what a view shows: the calls a user would write, number for number.

Nothing that came with a request becomes code: numbers are written by ``repr``, text by ``json.dumps`` or ``ascii``, and
a title stands on one line behind a ``#``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import hamex
from hamex import __version__, schemes
from hamex.model import laws
from hamex.model.solids import meshes
from hamex.spec.base import Table
from hamex.spec.derived import DerivedTable
from hamex.spec.loads import ON_BODIES, BodyForces
from hamex.spec.solids import REST
from hamex.spec.study import StudyFile, StudyTables
from hamex.spec.tables import ProblemTables


class NoCodeError(Exception):
    """The state uses a part of its file that has no line of code here; the file says it all."""


def headline(title: str) -> str:
    """First line of a script: one line whatever the title holds, or the rest of it would be code."""
    said = "".join(letter for letter in " ".join(title.split()) if letter.isprintable())
    return f"# {said}: written by the studio of hamex {__version__}"


def said(value: Any) -> str:
    """A value as Python spells it, text in double quotes."""
    if isinstance(value, float) and math.isinf(value):
        return f"float('{value}')"
    if isinstance(value, Table):
        return called(value)
    if isinstance(value, tuple) and any(isinstance(each, Table) for each in value):
        return f"[{', '.join(map(said, value))}]"
    if isinstance(value, str) and max(value, default="") <= "\uffff":  # JSON cuts what lies beyond into two letters
        return json.dumps(value)
    return ascii(value)


def arguments(given: Mapping[str, Any]) -> str:
    """Named arguments of a call."""
    return ", ".join(f"{key}={said(value)}" for key, value in given.items())


def wrapped(numbers: Iterable[float]) -> str:
    """A list of many numbers."""
    lines, line = [], "   "
    for word in (f"{value!r}," for value in numbers):
        if len(line) + len(word) > 118:
            lines.append(line)
            line = "   "
        line += f" {word}"
    return "[\n" + "\n".join([*lines, line]) + "\n]"


def called(table: Any) -> str:
    """The call that builds what a table of a law or a scheme says."""
    if not isinstance(table, DerivedTable):
        raise NoCodeError(f"a table of kind {table.kind}")
    keys = {name: tuple(value) if isinstance(value, list) else value for name, value in table.arguments().items()}
    return f"{_name(table.made)}({arguments(keys)})"


def _name(made: Any) -> str:
    """How a script that imports hamex calls a class or a generator: ``hx.Slider``, ``hx.laws.Gap``, or its own name."""
    name = str(made.__name__)
    for home, prefix in ((hamex, "hx"), (laws, "hx.laws"), (schemes, "hx.schemes"), (meshes, "hx.meshes")):
        if getattr(home, name, None) is made:
            return f"{prefix}.{name}"
    return name


def import_lines(*parts: Any) -> list[str]:
    """What a script imports for the tables it says; classes that hamex has not are imported from their own modules."""
    made = {table.made for part in parts for table in _derived(part) if "." not in _name(table.made)}
    if any("<locals>" in each.__qualname__ or each.__module__ == "__main__" for each in made):
        raise NoCodeError(f"{min(each.__name__ for each in made)}, which no module holds")
    own = sorted(f"from {each.__module__} import {each.__name__}" for each in made)
    math_ = (
        ["import math", ""]
        if any(getattr(part, "kind", "") == "oscillator" and part.period is not None for part in parts)
        else []
    )
    return [*math_, "import hamex as hx", *own, ""]


def _derived(part: Any) -> list[DerivedTable]:
    """A table and the tables of laws in it."""
    if isinstance(part, DerivedTable):
        return [part]
    materials = (getattr(part, "material", None), *(getattr(part, "materials", None) or {}).values())
    of_materials = (getattr(material, "law", None) for material in materials)
    return [
        law
        for law in (getattr(part, "law", None), *(getattr(part, "laws", None) or ()), *of_materials)
        if isinstance(law, DerivedTable)
    ]


def units_lines(units: Any) -> list[str]:
    """Units and gravity, as ``units`` and ``g``."""
    return [
        f"units = hx.Units(length={said(units.length)}, force={said(units.force)})",
        f"g = {units.gravity!r}" if units.gravity is not None else "g = units.gravity",
    ]


def model_lines(model: Any) -> list[str]:
    """An oscillator, a shear frame or a solid, as ``model``."""
    known = {"oscillator": _oscillator, "shear_frame": _frame, "solid": _solid}
    if model.kind not in known:
        raise NoCodeError(f"a model of kind {model.kind}")
    return known[model.kind](model)


def _oscillator(model: Any) -> list[str]:
    lines = [f"mass = {model.mass!r}"]
    lines.append(
        f"stiffness = {model.stiffness!r}"
        if model.period is None
        else f"stiffness = mass * (2 * math.pi / {model.period!r}) ** 2"
    )
    damping = f"hx.ratio({model.damping_ratio!r})" if model.damping_ratio is not None else repr(model.damping or 0.0)
    slider = arguments(model.given("yield_force", "viscosity", "kinematic", "isotropic"))
    if model.strength_ratio is not None:
        slider = ", ".join([f"yield_force={model.strength_ratio!r} * mass * g", *([slider] if slider else [])])
    lines.append(f"law = hx.Slider({slider})" if model.law is None else f"law = {called(model.law)}")
    lines.append(f"model = hx.oscillator(mass, stiffness, {damping}, law, units)")
    return lines


def _frame(model: Any) -> list[str]:
    lines = [f"masses = {_list(model.masses)}", f"stiffnesses = {_list(model.stiffnesses)}"]
    storeys = _law(model.law) if model.laws is None else _rows(_law(law) for law in model.laws)
    lines.append(f"laws = {storeys}")
    more = "".join(f", {key}={said(value)}" for key, value in model.given("heights", "weights", "names").items())
    if model.links:
        lines.append(f"links = {_rows(_link(link) for link in model.links)}")
        more += ", links=links"
    damping = _damping(model.damping, len(model.masses))
    lines.append(f"model = hx.shear_frame(masses, stiffnesses, {damping}, laws, units=units{more})")
    return lines


def _solid(model: Any) -> list[str]:
    lines = [f"mesh = {called(model.mesh)}"]
    if model.names():
        lines.append(f"mesh = hx.meshes.named(mesh, {arguments(model.names())})")
    rest = None if model.material is None else _material(model.material)
    if model.materials:
        rows = {name: _material(table) for name, table in model.materials.items()}
        rows |= {} if rest is None else {REST: rest}
        said_ = ",\n    ".join(f"{said(name)}: {made}" for name, made in rows.items())
        lines.append(f"materials = {{\n    {said_},\n}}")
        if rest is not None:  # that of cells in no region, if there are any
            lines.append("materials = {name: materials[name] for name in materials if name in mesh.subdomains}")
    else:
        lines.append(f"materials = {rest}")
    more = arguments(model.conditions() | model.form())
    lines.append(
        f"model = hx.solid(mesh, materials, damping={_damping(model.damping)}, units=units{more and ', ' + more})"
    )
    return lines


def _material(table: Any) -> str:
    flow = _law(table.law)
    if table.shear_speed is not None:
        return (
            f"hx.Material.of_waves({table.density!r}, shear={table.shear_speed!r}, pressure={table.pressure_speed!r}, "
            f"law={flow})"
        )
    return f"hx.Material({arguments(table.given('density', 'modulus', 'poisson', 'elasticity'))}, law={flow})"


def _law(table: Any) -> str:
    return "None" if table is None else called(table)


def _link(table: Any) -> str:
    if table.law is not None:
        raise NoCodeError("links with a law of their own")
    keys = {name: tuple(value) if isinstance(value, list) else value for name, value in table.arguments().items()}
    ends = (said(keys.pop(name)) for name in ("start", "end"))
    return f"hx.links.{table.kind}({', '.join([*ends, arguments(keys)])})"


def _damping(table: Any, storeys: int = 1) -> str:
    if table is None:
        return "0.0"
    keys = table.arguments()
    if table.kind == "coefficients":
        return _list(table.storeys if isinstance(table.storeys, list) else [table.storeys] * storeys)
    if table.kind == "matrix":
        return repr(table.rows)
    if table.kind == "ratio":
        return f"hx.ratio({', '.join([said(keys.pop('ratio')), *([arguments(keys)] if keys else [])])})"
    if table.kind == "rayleigh" and "modes" in keys:
        keys["modes"] = tuple(keys["modes"])
    return f"hx.{table.kind}({arguments(keys)})"


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


def motion_lines(motion: Any) -> list[str]:
    """A ground motion, as ``motion``."""
    scaled = f".scaled({motion.scale!r})" if motion.scale != 1 else ""
    lines = []
    if motion.accelerations is not None:
        lines += [f"accelerations = {wrapped(motion.accelerations)}"]
        made = (
            f"hx.GroundMotion(accelerations, step={motion.step!r}, unit={said(motion.unit)}, "
            f"source={said(motion.source or 'given samples')})"
        )
    elif motion.wave is not None:
        wave = motion.wave
        words = [
            said(wave.shape),
            repr(wave.amplitude),
            repr(wave.period),
            *(f"{key}={said(value)}" for key, value in wave.given("cycles", "step", "unit").items()),
        ]
        made = f"hx.ground_wave({', '.join(words)})"
    elif motion.synthetic is not None:
        made = f"{suite_code(motion.synthetic, 1)}[0]"
    else:
        made = "hx.el_centro()"
    return [*lines, f"motion = {made}{scaled}"]


def suite_code(synthetic: Any, count: int) -> str:
    """So many synthetic motions."""
    return f"hx.synthetic_suite({count}, {arguments(synthetic.arguments('count'))})"


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
    promise = "" if tables.promise is None else f", {arguments({'promise': tables.promise})}"
    lines.append(f"sol = hx.solve(problem, scheme{promise})")
    lines.append(_PRINTED.rstrip())
    if against is not None:
        lines += [
            "",
            f"other = hx.solve(problem, {called(against)}{promise})",
            'print("beside it", other.peaks["displacement"].value, "energy residual", other.residual)',
        ]
    return "\n".join(lines) + "\n"


def _load(tables: ProblemTables) -> list[str]:
    if (
        tables.support is not None
        or tables.gravity is not None
        or isinstance(tables.motion, list)
        or isinstance(tables.load, list)
        or (tables.motion is not None and tables.load is not None)
    ):
        raise NoCodeError("several loads, moving supports or gravity")
    if tables.motion is None:
        return _on_body(tables.load) or [f"load = {_force(tables.load)}"]
    direction = f", direction={said(tables.motion.direction)}" if tables.motion.direction is not None else ""
    return [*motion_lines(tables.motion), f"load = motion.on(model, g=g{direction})"]


def _on_body(table: Any) -> list[str]:
    """Forces on a solid, as ``load``; none where the table has no such keys."""
    if not isinstance(table, BodyForces) or not table.given(*ON_BODIES):
        return []
    forces = [f"model.body.traction({said(name)}, {value!r})" for name, value in (table.traction or {}).items()]
    forces += [f"model.body.pressure({said(name)}, {value!r})" for name, value in (table.pressure or {}).items()]
    if table.body_force is not None:
        forces.append(f"model.body.force({table.body_force!r})")
    forces += [f"model.body.point_force({point.at!r}, {point.force!r})" for point in table.point_forces or ()]
    lines = [f"history = {_force(table)}", f"forces = {' + '.join(forces)}"]
    scaled = " * history.patterns[0, 0]" if getattr(table, "scale", 1.0) != 1 else ""
    lines.append(
        f"load = hx.Load(history.forces, history.step, patterns=forces[:, None]{scaled}, breaks=history.breaks)"
    )
    return lines


def _force(table: Any) -> str:
    if getattr(table, "at", None) is not None:
        raise NoCodeError("forces on chosen floors")
    if table.kind == "none":
        return "hx.constant(0.0)"
    if table.kind == "samples":
        scaled = f".scaled({table.scale!r})" if table.scale != 1 else ""
        return f"hx.Load({wrapped(table.forces)}, {table.step!r}){scaled}"
    keys = table.arguments("at", "period", *ON_BODIES)
    if getattr(table, "period", None) is not None:
        return (
            f"hx.sine({table.amplitude!r}, omega=2 * 3.141592653589793 / {table.period!r}"
            + "".join(f", {key}={said(value)}" for key, value in keys.items() if key != "amplitude")
            + ")"
        )
    return f"hx.{table.kind}({arguments(keys)})"


def _start(tables: ProblemTables) -> str:
    start = tables.start
    if start is None:
        return ""
    if (
        any(isinstance(value, dict) for value in start.arguments().values())
        or start.back_force is not None
        or start.accumulated_slip is not None
    ):
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


# Studies ---------------------------------------------------------------------------------------------------

_CURVES = """
curves = found.curves[0]
for label, capacity in zip(curves.labels, curves.capacities):
    print(f"{label}: {curves.limit_name} at {capacity:.8g} {intensity.unit}")
"""
_FIT = """
low, high = fit.interval()["median"]
print(f"median capacity {fit.median:.8g} {intensity.unit} ({low:.4g} to {high:.4g})")
print(f"dispersion {fit.dispersion:.8g}, with modelling {fit.total_dispersion:.8g}")
"""


_MARGIN = """
print(f"margin {fit.margin(mce):.8g}, P({curves.limit_name}) at {mce:g} {intensity.unit}: {fit.probability(mce):.8g}")
"""


def ida_code(tables: StudyTables, file: StudyFile) -> str:
    """A script of a study. ``file`` is what the tables build, with as many records as one likes: it knows the levels
    and measures."""
    lines = [headline(tables.title or "A study of the studio"), ""]
    lines += [*import_lines(tables.model, tables.scheme), *units_lines(tables.units), *model_lines(tables.model)]
    records = tables.records.synthetic
    lines.append(f"records = {'[hx.el_centro()]' if records is None else suite_code(records, records.count)}")
    intensity = tables.intensity
    lines.append(f"intensity = hx.{type(file.intensity).__name__}({arguments(intensity.arguments())})")
    axes = ['"record": records']
    for name in ("scale", "level"):
        if name in file.study.axes:
            lines.append(f"{name}s = {wrapped(file.study.axes[name])}")
            axes.append(f'"{name}": {name}s')
    if tables.gravity is not None:
        raise NoCodeError("gravity in a study")
    more = [arguments(tables.given("duration", "seed", "settle"))]
    more += [] if tables.collapse is None else [f"limit=hx.Limit({arguments(tables.collapse.arguments())})"]
    lines.append(
        f"study = hx.Study(model, {{{', '.join(axes)}}}, [{', '.join(map(said, file.study.measures))}],\n"
        f"                 {', '.join([called(tables.scheme), 'g=g', 'intensity=intensity', *filter(None, more)])})"
    )
    hunting = "" if tables.hunt is None else f", hunting=hx.Hunt({arguments(tables.hunt.arguments())})"
    lines.append(f"found = hx.ida(study, {said(file.demand)}, {file.limit!r}, intensity=intensity{hunting}, workers=1)")
    lines += [_CURVES.rstrip(), ""]
    # One record has a curve and no distribution.
    if records is not None and records.count > 1:
        lines += [
            f"fit = curves.fragility({file.modelling!r}, {file.study.seed!r}, {file.resamples!r}, "
            f"stripes={file.stripes!r})",
            _FIT.strip(),
        ]
        if file.mce is not None:
            lines += [f"mce = {file.mce!r}", _MARGIN.strip()]
    return "\n".join(lines) + "\n"
