"""The laboratories: ``hamex schemes``, time integration schemes side by side; ``hamex law``, one spring on its path, or
fitted to a measured loop."""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.text import aligned, heading, numbers, run_laws, tell
from hamex.errors import InputError, LawError

if TYPE_CHECKING:
    from hamex.lab.laws import Array, FittedLaw, LawTrial
    from hamex.model.laws import Law
    from hamex.report.law import OtherProgram

_POINTS = 200  # on each line of the path, for OpenSees, which sees points


def schemes(
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="OUT.html", help="Write a page of definitions, tables, figures and data."),
    ] = None,
    png: Annotated[
        Path | None, typer.Option("--png", metavar="OUT.png", help="Write one picture (.png or .svg).")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--json", metavar="OUT.json|-", help="Write all numbers; - prints them.")
    ] = None,
    laws: Annotated[
        bool, typer.Option("--laws", help="Also compare peaks by kind of law, at three steps; takes minutes.")
    ] = False,
) -> None:
    """Compare time integration schemes: accuracy, damping, overshoot, order, work.

    Elements of the extended Hamilton's principle beside Newmark, HHT-α, generalised-α, Wilson-θ, Bathe, TR-BDF2,
    central difference and Runge-Kutta, each through the same experiments. Takes up to a minute.
    """
    from hamex.report.schemes import as_text, check_outputs, write_data, write_page, write_picture

    file = None if data in (None, "-") else Path(str(data))
    check_outputs(html, png, file)
    from hamex.lab import everything

    lab = everything(
        work=html is not None or data is not None, laws=laws, progress=_progress if sys.stderr.isatty() else _quiet
    )
    if data == "-":
        sys.stdout.write(as_text(lab))
    else:
        from hamex.report.schemes.tables import text

        sys.stdout.write(text(lab))
    # With --json - the screen belongs to the data.
    say = sys.stderr if data == "-" else sys.stdout
    for path, write in ((html, write_page), (png, write_picture), (file, write_data)):
        if path is not None:
            say.write(f"wrote {write(lab, path)}\n")


def _progress(name: str) -> None:
    sys.stderr.write(f"\r\033[K{name}")
    sys.stderr.flush()


def _quiet(name: str) -> None:
    pass


def law(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND|FILE.py:NAME",
            show_default=False,
            help="A law as problem files name it, or one made in a file.",
        ),
    ],
    given: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE …", help="Its numbers; others as in its example.")
    ] = None,
    stiffness: Annotated[float | None, typer.Option(help="Of the elastic spring [force/length].")] = None,
    reach: Annotated[float | None, typer.Option(help="Largest deformation of its cycles [length].")] = None,
    path: Annotated[
        str | None, typer.Option("--path", metavar="E,E,…", help="Deformations to go through instead of cycles.")
    ] = None,
    fit: Annotated[
        Path | None, typer.Option("--fit", metavar="LOOP.csv", help="Fit it to a measured loop: deformation, force.")
    ] = None,
    free: Annotated[str | None, typer.Option(metavar="NAME,…", help="Numbers that --fit may change.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="OUT.html", help="Write a page.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Write one picture: .png, .svg.")] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="OUT.csv", help="Write the loop, point by point.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show what a spring's law does: loop, backbone, energy, wear, certificate; or fit it to a measured loop.

    Beside the material of OpenSees where there is one and OpenSees is installed.
    """
    if html is not None or plot is not None:
        from hamex.report.page import check_plot

        for out in (one for one in (html, plot) if one is not None):
            check_plot(out)
    if csv is not None:
        from hamex.files import check_writable

        check_writable(csv, (".csv",))
    if free is not None and fit is None:
        raise InputError("law: --free names what --fit may change; give --fit LOOP.csv, or leave --free out")
    from hamex.lab.laws import law_trial, read_loop

    loop = None if fit is None else read_loop(fit)
    law, k, far = _law(kind, given or [], stiffness, reach, loop)
    fitted = None if loop is None else _fitted(law, stiffness, loop, free)
    if fitted is not None:
        law, k, far = fitted.law, fitted.stiffness, float(abs(fitted.deformation).max())
    points = None if path is None else [0.0, *numbers("--path", path)]
    trial = law_trial(law, stiffness=k, path=points, reach=far)
    written = []
    if html is not None or plot is not None:
        from hamex.report.law import write_law

        beside, note = _beside(trial)
        written = [write_law(trial, out, beside, fitted, note) for out in (html, plot) if out is not None]
    if csv is not None:
        written.append(_table(trial, csv))
    tell(written, json, lambda: _data(trial, fitted), lambda: _show(trial, fitted))


def _law(
    kind: str, words: list[str], stiffness: float | None, reach: float | None, loop: tuple[Array, Array] | None
) -> tuple[Law, float, float | None]:
    """The law, the stiffness of its spring, and how far it goes; its example in proportion to a loop."""
    from hamex.model.laws import Law

    made: Any = _own(kind) if ".py:" in kind else _known(kind)
    if isinstance(made, Law):
        if words:
            raise InputError(f"law: {kind} has its numbers in the file; leave {words[0]!r} out, or change it there")
        if stiffness is None and loop is None:  # a loop tells it
            raise InputError(f"law: {kind} does not tell the stiffness of its spring; give it, and reach or path")
        return made, stiffness or 1.0, reach
    if hasattr(made, "parts"):
        raise InputError(f"law: {made.__name__} is made of other laws; make it in a Python file and show FILE.py:NAME")
    values = {name: value for name, value in made.example.items() if name not in ("stiffness", "reach")}
    if loop is not None and values:
        values = _as_large_as(loop, made, values)
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in made.names():
            have = ", ".join(made.names())
            raise InputError(f"law: write NAME=VALUE with one of {have}; got {word!r}")
        if name in made.words:
            values[name] = value
        elif isinstance(made.example.get(name), list):
            raise InputError(f"law: {name} is a list; make the law in a Python file and show FILE.py:NAME")
        else:
            values[name] = _number(name, value)
    try:
        law = made(**values)
    except TypeError:
        raise LawError(
            f"law: {made.__name__} needs its numbers: give {', '.join(made.names())} as NAME=VALUE"
        ) from None
    k = stiffness if stiffness is not None else made.example.get("stiffness")
    if k is None:
        raise InputError(f"law: {made.__name__} has no example; give the stiffness of its spring, and reach or path")
    return law, float(k), reach if reach is not None else made.example.get("reach")


def _as_large_as(loop: tuple[Array, Array], made: Any, example: dict[str, Any]) -> dict[str, Any]:
    """The numbers of an example, which has its own units, where a loop has its deformations and forces: nobody would
    find the way from kilonewtons to newtons by steps of a half."""
    from hamex.model.laws.path import respond
    from hamex.names import units_of

    k, far = made.example["stiffness"], made.example["reach"]
    most = abs(respond(made(**example), [far, -far], stiffness=k, events=True).force).max()
    length, force = (float(abs(there).max()) / here for there, here in zip(loop, (far, most), strict=True))
    sizes = {
        "length": length,
        "force": force,
        "force/length": force / length,
        "1/lengthⁿ": length ** -example.get("n", 1.0),
        "1/(force·length)": 1 / (force * length),
    }
    units = units_of(made)
    return {
        name: value * sizes.get(units.get(name, ""), 1.0) if isinstance(value, float) else value
        for name, value in example.items()
    }


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"law: {name} must be a number, got {value!r}") from None


def _known(kind: str) -> Any:
    from hamex.model.laws import known

    laws = {name: one for name, one in known().items() if hasattr(one, "example")}
    by_word = {re.sub("[-_]", "", name): one for name, one in laws.items()}  # Bilinear and bouc-wen are meant, too
    by_word |= {one.__name__.lower(): one for one in laws.values()}
    meant = laws.get(kind) or by_word.get(re.sub("[-_]", "", kind.lower()))
    if meant is None:
        near = difflib.get_close_matches(kind.lower().replace("-", "_"), laws, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise InputError(f"law: no law is called {kind!r}{hint} Known: {', '.join(laws)}. Your own: FILE.py:NAME")
    return meant


def _own(kind: str) -> Any:
    """A law of the user's own, from the file in which it is made: its kind, or one with its numbers."""
    from hamex.model.laws import Law

    file, _, name = kind.rpartition(":")
    module = run_laws(Path(file))
    found = getattr(module, name, None)
    if not (isinstance(found, Law) or (isinstance(found, type) and issubclass(found, Law))):
        laws = [
            n
            for n, one in vars(module).items()
            if isinstance(one, Law) or (isinstance(one, type) and issubclass(one, Law) and one is not Law)
        ]
        raise InputError(f"law: {file} has no law {name!r}; it has {', '.join(laws) or 'none'}")
    return found


def _fitted(law: Law, stiffness: float | None, loop: tuple[Array, Array], free: str | None) -> FittedLaw:
    from hamex.cli.text import saying
    from hamex.lab.laws import fit_law

    deformations, forces = loop
    with saying(f"fitting {type(law).__name__} to {len(forces)} points …"):
        wanted = None if free is None else [word.strip() for word in free.split(",")]
        return fit_law(law, deformations, forces, stiffness=stiffness, free=wanted)


def _beside(trial: LawTrial) -> tuple[OtherProgram | None, str]:
    """The same path in OpenSees; or why there is none."""
    import numpy as np

    material = trial.law.in_opensees(trial.stiffness)
    if material is None:
        return None, ""
    from hamex.paper import opensees
    from hamex.report.law import OtherProgram

    reason = opensees.available()
    if reason is not None:
        return None, f"Not beside OpenSees' {material[0]}: {reason}"
    lines = zip(trial.path[:-1], trial.path[1:], strict=True)
    points = np.concatenate([trial.path[:1], *(np.linspace(a, b, _POINTS + 1)[1:] for a, b in lines)])
    (forces,) = opensees.material_forces([(*material, points.tolist())])
    return OtherProgram(f"OpenSees' {material[0]}", points, np.array(forces)), ""


def _show(trial: LawTrial, fit: FittedLaw | None) -> None:
    from hamex.report.law import certificate_rows, numbers_of

    print(heading(f"{type(trial.law).__name__}, a spring on its path"))
    if fit is not None:
        rows = [[name, f"{value:.5g}", f"{fit.errors[name]:.2g}"] for name, value in fit.values.items()]
        print(aligned(["fitted", ">found", ">standard error"], rows))
        print(f"\n  misfit {fit.misfit:.3g} of the largest force, {len(fit.measured)} points\n")
    else:
        print(aligned(["number", ">value"], numbers_of(trial.law, trial.stiffness)))
        print()
    rows = [
        [f"{x:.4g}" for x in (c.deformation, c.force, c.secant, c.dissipated)] + [f"{c.kept:.3f}"] for c in trial.cycles
    ]
    print(aligned([">deformation", ">force", ">secant", ">energy lost", ">force kept"], rows))
    print()
    print(aligned(["certificate", ">seen", "as it should"], certificate_rows(trial.certificate)))


def _data(trial: LawTrial, fit: FittedLaw | None) -> dict[str, Any]:
    loop, certificate = trial.loop, trial.certificate
    found: dict[str, Any] = {
        "law": trial.law.kind,
        "stiffness": trial.stiffness,
        "numbers": {name: getattr(trial.law, name) for name in trial.law.names()},
        "deformation": loop.deformation.tolist(),
        "force": loop.force.tolist(),
        "dissipated": loop.dissipated.tolist(),
        "event": loop.event.tolist(),
        "excursions": [vars(one) for one in trial.cycles],
        "certificate": vars(certificate) | {"failures": certificate.failures},
    }
    if fit is not None:
        found["fit"] = {"values": dict(fit.values), "errors": dict(fit.errors), "misfit": fit.misfit}
    return found


def _table(trial: LawTrial, path: Path) -> Path:
    from hamex.files import write_atomically

    loop = trial.loop
    columns = zip(loop.deformation, loop.force, loop.dissipated, loop.event.astype(int), strict=True)
    lines = ["deformation,force,dissipated,event", *(f"{e!r},{f!r},{d!r},{x}" for e, f, d, x in _plain(columns))]
    return write_atomically(path, lambda temporary: temporary.write_text("\n".join(lines) + "\n", encoding="utf-8"))


def _plain(rows: Any) -> Any:
    return ((float(e), float(f), float(d), int(x)) for e, f, d, x in rows)
