"""What a structure is before any motion: ``hamex modes`` shows periods, participation and shapes of the model in a
problem file, ``hamex pushover`` loads it slowly; its capacity curve on the screen and as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.text import aligned, heading, numbers, saying, tell, wrapped

if TYPE_CHECKING:
    from hamex.model.record import Modes
    from hamex.report.push import BilinearFit
    from hamex.solution.solution import Solution
    from hamex.spec import ProblemFile

_P_DELTA = (
    "P-Delta: applied is the load alone; the springs carry it and the tilt of gravity, at the end {springs_at_end:.5g} "
    "against {applied_at_end:.5g} {unit} (base_shear of the springs in files)"
)
_ROWS, _SPRINGS = 11, 6  # that the screen shows at most


def command(
    problem: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEM.toml", help="Problem file; `hamex init pushover` writes one.", show_default=False
        ),
    ],
    to: Annotated[
        float | None,
        typer.Option("--to", metavar="LENGTH", help="Displacement to push to, instead of that in [pushover]."),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            "--pattern",
            metavar="NAME",
            show_default=False,
            help="Forces: mode (mass times mode shape), mass, either with a direction as in 'mode y', or a dof.",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Number of increments.", show_default="100")
    ] = None,
    cycles: Annotated[
        str | None,
        typer.Option("--cycles", metavar="LIST", help="Cycle through these amplitudes instead, e.g. 0.02,0.04."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write .csv (the curve), .xlsx (Excel: curve and histories) or .nc (all); repeat for more.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write curve and shape: .png, .svg or .html.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, with the curve, instead of tables.")] = False,
) -> None:
    """Push the model of a problem file slowly, under its gravity: capacity curve and bilinear fit."""
    from hamex.files import check_writable

    for path in output or []:
        check_writable(path)
    if plot is not None:
        from hamex.report.page import check_plot

        check_plot(plot)
    from hamex.spec import read_problem

    file = read_problem(problem, history=False)
    wanted = {"pattern": pattern, "steps": steps, "displacement": to}
    push(file, _choice(file, problem, wanted, cycles), output or [], plot, json)


def push(
    file: ProblemFile, choice: tuple[str, dict[str, Any]], outputs: list[Path], plot: Path | None, json: bool
) -> None:
    """Load slowly as chosen, show what came of it and write what was asked for; ``hamex run`` does so too."""
    kind, changes = choice
    solution = file.pushover(**changes) if kind == "pushover" else file.cyclic(**changes)
    keys = {"pattern": "mode", **file.slow.get(kind, {}), **changes}
    found = summary(file, solution, kind, keys)
    written = []
    for path in outputs:
        with saying(f"writing {path} …"):
            written.append(_write(solution, path, found))
    if plot is not None:
        from hamex.report.page import table
        from hamex.report.push import write_push

        columns, rows = _rows(found)
        written.append(write_push(solution, plot, file.title, table([name.lstrip(">") for name in columns], rows)))
    tell(written, json, lambda: found, lambda: show(found))


def slow_choice(file: ProblemFile) -> tuple[str, dict[str, Any]]:
    """What a file without a history asks for."""
    return ("pushover" if "pushover" in file.slow else "cyclic"), {}


def _choice(file: ProblemFile, path: Path, wanted: dict[str, Any], cycles: str | None) -> tuple[str, dict[str, Any]]:
    """Which of the two, and what the options change."""
    from hamex.errors import InputError

    changes = {name: value for name, value in wanted.items() if value is not None}
    if cycles is not None:
        for name, option in (("displacement", "--to"), ("steps", "--steps")):
            if name in changes:
                raise InputError(f"{option} belongs to a push; leave it out beside --cycles")
        return "cyclic", {"amplitudes": numbers("--cycles", cycles), **changes}
    if "displacement" in changes or "pushover" in file.slow:
        return "pushover", changes
    if "cyclic" in file.slow and "steps" not in changes:
        return "cyclic", changes
    raise InputError(
        f"{path} does not tell how far to push: say --to 0.3 (a length in {file.problem.model.units.length}), or "
        "write a table [pushover] with displacement = 0.3 into it"
    )


def summary(file: ProblemFile, solution: Solution, kind: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Every number that the screen shows, by name."""
    from hamex.cli.structure import shear_with_p_delta
    from hamex.report import push as curves

    words, force = curves.ordinate(solution)
    model, units = file.problem.model, file.problem.model.units
    along, u = curves.abscissa(solution)
    fit = curves.bilinear(u, force) if kind == "pushover" else None
    standing = file.problem.standing
    curve = {name: column.tolist() for name, column in curves.capacity(solution).items()}
    return {
        "title": file.title,
        "kind": kind,
        "model": _model(file),
        "units": {"length": units.length, "force": units.force},
        "pattern": _pattern(keys["pattern"], units.force if model.body is not None else None),
        "control": curves.control_words(solution),
        "displacement": along,
        "yielding": "point" if model.body is not None else curves.yielding_word(solution),
        "gravity": None if standing is None else f"{float(abs(standing).sum()):.5g} {units.force}, on all the time",
        "increments": solution.steps,
        "force": words,
        "curve": curve,
        "p_delta": shear_with_p_delta(solution),
        "bilinear": None if fit is None else _fit(fit),
        "cycles": curves.cycles(solution, len(keys["amplitudes"])) if kind == "cyclic" else None,
        "yields": _yields(solution, curves.first_yields(solution)),
        "provenance": solution.provenance,
    }


def _model(file: ProblemFile) -> str:
    model = file.problem.model
    if model.body is None:
        return f"{file.kind.replace('_', ' ')}, {_some(model.dofs, 'dof')}, {_some(model.springs, 'spring')}"
    from hamex.cli.structure import body_lines, body_summary

    return body_lines(body_summary(file, model), model.units.length, model.units.force)[0]


def _yields(solution: Solution, first: list[tuple[str, float]]) -> list[dict[str, Any]]:
    """Springs in the order of their yielding; of a solid, points of stress by the cell they are in."""
    body = solution.model.body
    if body is None:
        return [{"spring": spring, "displacement": at} for spring, at in first]
    cells, points = (body.slipping >= 0).nonzero()
    found: dict[str, float] = {}
    for spring, at in first:
        number = solution.springs.index(spring) // len(body.components)
        place = ", ".join(f"{x:.4g}" for x in body.places[cells[number], points[number]])
        found.setdefault(f"cell {cells[number] + 1} at ({place})", at)
    return [{"spring": point, "displacement": at} for point, at in found.items()]


def _some(names: tuple[str, ...], word: str) -> str:
    return f"{len(names)} {word}{'s' if len(names) > 1 else ''}"


def _pattern(pattern: Any, body: str | None = None) -> str:
    """In words; of a ``body``, whose unit of force this is, the sum of the forces."""
    if body is not None and isinstance(pattern, list):
        return f"forces on the solid, {sum(map(abs, pattern)):.5g} {body} in sum"
    if isinstance(pattern, str):
        word, _, way = pattern.partition(" ")
        said = {"mode": "mass times mode shape", "mass": "the masses"}.get(word)
        return pattern if said is None else f"{said}{f' in {way}' if way else ''}, forces that add up to one"
    given = pattern if isinstance(pattern, dict) else {f"dof {place}": value for place, value in enumerate(pattern, 1)}
    some = ", ".join(f"{name} {value:g}" for name, value in list(given.items())[:6])
    return some + (" …" if len(given) > 6 else "")


def _fit(fit: BilinearFit) -> dict[str, float]:
    first = fit.yield_factor / fit.yield_displacement
    beyond = (fit.last_factor - fit.yield_factor) / (fit.last_displacement - fit.yield_displacement)
    return {
        "yield_displacement": fit.yield_displacement,
        "yield_force": fit.yield_factor,
        "stiffness": first,
        "stiffness_after_yield": beyond,
        "last_displacement": fit.last_displacement,
        "last_force": fit.last_factor,
        "ductility": fit.last_displacement / fit.yield_displacement,
    }


def show(found: dict[str, Any]) -> None:
    """Print a summary as tables."""
    length, force = found["units"]["length"], found["units"]["force"]
    print(heading(found["title"]))
    about = {"model": found["model"], "gravity": found["gravity"], "pattern": found["pattern"]}
    about["control"] = found["control"]
    for name, text in about.items():
        if text:
            print(wrapped(text, 80, f"  {name:8}"))
    print(f"  {'':8}{found['increments']} increments\n")
    print(aligned(*_rows(found)))
    if found["p_delta"] is not None:
        print("\n" + wrapped(_P_DELTA.format(**found["p_delta"], unit=force), 80, ""))
    fit = found["bilinear"]
    if fit is not None:
        unit = force if found["force"].startswith("base shear") else ""
        per = f"{force}/{length}" if unit else f"1/{length}"
        beyond = 100 * fit["stiffness_after_yield"] / fit["stiffness"]
        text = (
            f"yield at {fit['yield_displacement']:.4g} {length} ({found['displacement']}) and "
            f"{fit['yield_force']:.5g} {unit}, stiffness {fit['stiffness']:.4g} {per} up to there and {beyond:.3g} % "
            f"of it beyond, ductility {fit['ductility']:.3g} at the largest force"
        )
        print("\n" + wrapped(text, 80, "bilinear (ASCE 41, equal areas): "))
    elif found["kind"] == "pushover":
        why = "too few increments before it yields (--steps)" if found["yields"] else "nothing yields"
        print(f"\nno bilinear fit: {why}")
    if found["yields"]:
        some = found["yields"][:_SPRINGS]
        more = len(found["yields"]) - len(some)
        text = ", ".join(f"{each['spring']} at {each['displacement']:.4g} {length}" for each in some)
        text += (f", and {more} more" if more else "") + f" ({found['displacement']})"
        print(wrapped(text, 80, f"{found['yielding']}s begin to yield: "))


def _rows(found: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The curve at some displacements; of cycles, one row each."""
    if found["cycles"] is not None:
        length, force = found["units"]["length"], found["units"]["force"]
        unit = f" [{force}]" if found["force"].startswith("base shear") else ""
        columns = [
            ">cycle",
            f">amplitude [{length}]",
            f">largest{unit}",
            f">smallest{unit}",
            f">loss [{force} {length}]",
        ]
        rows = [
            [
                str(number),
                *(f"{each[name]:.4g}" for name in ("amplitude", "largest", "smallest", "work")),
                f"{100 * each['damping']:.3g} %",
            ]
            for number, each in enumerate(found["cycles"], 1)
        ]
        return [*columns, ">equal damping"], rows
    # Rounding noise before anything moves is shown as what it is.
    curve = {name: _clean(column) for name, column in found["curve"].items() if name != "load factor [1]"}
    if any(name.startswith("roof displacement") for name in curve):  # which mostly is the largest
        curve = {name: column for name, column in curve.items() if not name.startswith("displacement ")}
    last = found["increments"]
    places = sorted({round(last * number / (_ROWS - 1)) for number in range(_ROWS)})
    short = {
        "controlled displacement": "control",
        "base shear": "base shear, applied",
        "roof displacement": "roof",
        "springs that have yielded": "yielded",
    }
    columns, cells = [], []
    for name, column in curve.items():
        words, _, unit = name.partition(" [")
        is_ratio = words == "largest drift ratio"
        head = short.get(words, "drift ratio" if is_ratio else words.removeprefix("displacement "))
        columns.append(f">{head}" + (" [%]" if is_ratio else f" [{unit}" if unit else ""))
        cells.append([f"{100 * column[place] if is_ratio else column[place]:.4g}" for place in places])
    return columns, [list(row) for row in zip(*cells, strict=True)]


def _clean(column: list[float]) -> list[float]:
    least = 1e-12 * max(abs(value) for value in column)
    return [value if abs(value) > least else 0 for value in column]


def _write(solution: Solution, path: Path, found: dict[str, Any]) -> Path:
    from hamex.report.push import capacity, headed

    if path.suffix.lower() == ".nc":
        return solution.save(path)
    if path.suffix.lower() == ".csv":
        from hamex.solution.batch import save_columns

        return save_columns(path, headed(capacity(solution), found["control"], found["yielding"]))
    from hamex.solution.files import pairs, sheets_of, write_sheets

    length, force = found["units"]["length"], found["units"]["force"]
    units = {"displacement": length, "force": force, "stiffness": f"{force}/{length}"}
    curve = {name: _clean(column) for name, column in found["curve"].items()}
    sheets: dict[str, Any] = {"capacity curve": headed(curve, found["control"], found["yielding"])}
    if found["bilinear"] is not None:
        named = {
            f"{name.replace('_', ' ')} [{next((unit for word, unit in units.items() if word in name), '1')}]": value
            for name, value in found["bilinear"].items()
        }
        sheets["bilinear fit"] = pairs(named)
    if found["cycles"] is not None:
        heads = {
            "amplitude": f"amplitude [{length}]",
            "largest": f"largest {found['force']}",
            "smallest": f"smallest {found['force']}",
            "work": f"work lost [{force} {length}]",
            "damping": "viscous damping of equal loss [1]",
        }
        sheets["cycles"] = {head: [each[name] for each in found["cycles"]] for name, head in heads.items()}
    return write_sheets(path, sheets | sheets_of(solution))


def modes(
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM.toml", help="Problem file; `hamex init` writes one.", show_default=False)
    ],
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many modes, lowest frequency first.")] = 10,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Write the mode shapes: .png, .svg or .html.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, with the shapes, instead of a table.")] = False,
) -> None:
    """Show the natural modes of a problem file's model: periods, participation, effective masses."""
    if plot is not None:
        from hamex.report.page import check_plot

        check_plot(plot)
    from hamex.spec import read_problem

    file = read_problem(problem, history=False)
    from hamex.cli.structure import first_modes

    found = first_modes(file.problem.model, count)
    written = [_plot_modes(file, found, plot, count)] if plot is not None else []
    tell(written, json, lambda: _modes_data(file, found), lambda: _show_modes(file, found))


def _show_modes(file: ProblemFile, found: Modes) -> None:
    print(heading(file.title))
    print(aligned(*_mode_table(found)))
    units = file.problem.model.units
    masses = ", ".join(f"{mass:.5g} in {way}" for mass, way in zip(found.total_mass, found.directions, strict=True))
    print(f"\ntotal mass [{units.mass}]: {masses}")


def _mode_table(found: Modes) -> tuple[list[str], list[list[str]]]:
    """One row a mode; per direction the participation, the share of the mass, and its sum so far.

    80 columns hold the participation of two directions at most; JSON has them all.
    """
    ways = [column for column, mass in enumerate(found.total_mass) if mass > 0]
    columns = ["mode", ">T [s]", ">f [Hz]", *([">ω [rad/s]"] if len(ways) == 1 else [])]
    for column in ways:
        way = found.directions[column]
        columns += [*([f">Γ {way}"] if len(ways) < 3 else []), f">mass {way}", ">sum"]
    least = 1e-9 * float(abs(found.participation).max())
    rows = []
    for mode, (period, omega) in enumerate(zip(found.periods, found.frequencies, strict=True)):
        row = [str(mode + 1), f"{period:.4g}", f"{1 / period:.4g}", *([f"{omega:.4g}"] if len(ways) == 1 else [])]
        for column in ways:
            part = float(found.participation[mode, column])
            row += [
                *([_short(part if abs(part) > least else 0.0)] if len(ways) < 3 else []),
                f"{100 * found.effective_ratio[mode, column]:.1f} %",
                f"{100 * found.cumulative_ratio[mode, column]:.1f} %",
            ]
        rows.append(row)
    return columns, rows


def _short(part: float) -> str:
    """A number of at most eight characters, so that two directions fit a screen of 80 columns."""
    return f"{part:.1e}" if 0 < abs(part) < 1e-3 else f"{part:.3g}"


def _modes_data(file: ProblemFile, found: Modes) -> dict[str, Any]:
    units = file.problem.model.units
    return {
        "title": file.title,
        "units": {"length": units.length, "force": units.force},
        "directions": list(found.directions),
        "dofs": list(found.dofs),
        "total_mass": found.total_mass.tolist(),
        "modes": [
            {
                "mode": mode + 1,
                "period": float(found.periods[mode]) if found.frequencies[mode] > 0 else None,
                "angular_frequency": float(found.frequencies[mode]),
                "participation": found.participation[mode].tolist(),
                "effective_mass": found.effective_mass[mode].tolist(),
                "effective_ratio": [x if x == x else None for x in found.effective_ratio[mode].tolist()],
                "cumulative_ratio": [x if x == x else None for x in found.cumulative_ratio[mode].tolist()],
                "shape": found.shapes[:, mode].tolist(),
            }
            for mode in range(len(found.frequencies))
        ],
    }


def _plot_modes(file: ProblemFile, found: Modes, path: Path, count: int) -> Path:
    from hamex.errors import InputError
    from hamex.report.page import heading, table, write_drawing

    columns, rows = _mode_table(found)
    title, geometry = heading(path, file.title), file.problem.model.geometry
    if found.body is not None:
        from hamex.report.body_sheets import draw_body_modes

        drawing = draw_body_modes(found, min(count, 8), title)
    elif geometry is None:
        raise InputError("an oscillator has one mode and no shape to draw; leave --plot out")
    else:
        from hamex.report.structure import draw_modes

        drawing = draw_modes(found, geometry, geometry.motion, min(count, 8), title)
    return write_drawing(
        drawing,
        path,
        file.title,
        "modes",
        "Mode shapes, over the structure at rest.",
        table([column.removeprefix(">") for column in columns], rows),
    )
