"""Records by their spectra: ``hamex spectrum`` shows spectra on the screen and as files, ``hamex records select`` finds
records whose mean spectrum, after scaling, follows a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hamex.cli.records import GRAVITY, Component, Json, Raw, Step, Unit, about_record, read_motion, read_motions
from hamex.cli.records import app as records
from hamex.cli.text import aligned, heading, numbers, shortened, tell, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hamex.model.units import Units
    from hamex.motion.ground import GroundMotion
    from hamex.motion.records.suite import Suite
    from hamex.study.spectra.elastic import Spectrum
    from hamex.study.spectra.targets.matching import Selection
    from hamex.study.spectra.targets.target import Target

_SPAN = "0.03:10:200"
_MOST = 1_000_000  # periods
_TABLES = (".csv", ".xlsx")


def command(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORD...", show_default=False, help="Record files, or el-centro for the one built in."
        ),
    ],
    periods: Annotated[
        str | None,
        typer.Option(
            "--periods",
            metavar="A:B:N",
            show_default=False,
            help="N periods [s] from A to B, log-spaced, or a list 0.2,0.5,1.  [default: 0.03:10:200 and round ones]",
        ),
    ] = None,
    damping: Annotated[str, typer.Option("--damping", metavar="LIST", help="Ratios of critical damping.")] = "0.05",
    ductility: Annotated[
        str | None, typer.Option("--ductility", metavar="LIST", help="Strength for these ductilities, e.g. 2,4,8.")
    ] = None,
    strength: Annotated[
        str | None, typer.Option("--strength", metavar="LIST", help="What these yield forces over weight give.")
    ] = None,
    hardening: Annotated[
        float | None, typer.Option("--hardening", help="Stiffness after yield over elastic.", show_default="0")
    ] = None,
    viscosity: Annotated[
        float | None,
        typer.Option("--viscosity", help="Of the slider over the elastic stiffness [s].", show_default="0"),
    ] = None,
    pair: Annotated[
        bool, typer.Option("--pair", help="Two records are components of one motion: RotD00, 50, 100.")
    ] = False,
    peaks: Annotated[
        Literal["inside", "samples"], typer.Option("--peaks", help="At any time, or at the samples only.")
    ] = "inside",
    interpolation: Annotated[
        Literal["linear", "band-limited"], typer.Option("--interpolation", help="Of the record between samples.")
    ] = "linear",
    g: Annotated[
        float,
        typer.Option("--g", help="One gravity in the units of the result: metres by default, 386.0886 for inches."),
    ] = GRAVITY,
    unit: Unit = None,
    step: Step = None,
    component: Component = None,
    raw: Raw = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write .csv, .xlsx or .nc (all results), .png or .svg (a sheet), .html (a page); repeat for more.",
        ),
    ] = None,
    view: Annotated[
        str,
        typer.Option(
            "--view",
            help="What .png and .svg show: sheet, adrs; period, tripartite; strength, ductility, displacement, steps.",
        ),
    ] = "sheet",
    json: Json = False,
) -> None:
    """Show and write response spectra: elastic, of constant ductility or strength, of two components."""
    # Work starts only when every file that was asked for can be written.
    outputs = output or []
    _check_outputs(outputs)
    _check_choices(records, pair, ductility, strength, hardening, viscosity)
    from hamex.study.spectra import spectrum

    options: dict[str, Any] = {"g": g, "units": _units(g), "peaks": peaks, "interpolation": interpolation}
    for name, text in (("ductility", ductility), ("strength", strength)):
        if text is not None:
            options[name] = numbers(f"--{name}", text)
    for name, value in (("hardening", hardening), ("viscosity", viscosity)):
        if value is not None:
            options[name] = value
    wanted, ratios = periods_of(periods), numbers("--damping", damping)
    motions = [read_motion(Path(record), unit=unit, step=step, component=component, raw=raw) for record in records]
    if pair:
        found = spectrum(motions[0], wanted, ratios, across=motions[1], **options)
    else:
        found = spectrum(motions if len(motions) > 1 else motions[0], wanted, ratios, **options)
    if outputs:
        from hamex.report.spectrum import views
        from hamex.report.spectrum.lines import check_view

        check_view(view, views(found))
    kinds = [motion.kind for motion in motions]
    written = [_write(found, path, view, kinds) for path in outputs]
    tell(written, json, lambda: _data(found, motions), lambda: _show(found, motions))


def _check_outputs(paths: Sequence[Path]) -> None:
    from hamex.files import FORMATS, check_writable
    from hamex.report.page import FORMATS as PICTURES
    from hamex.report.style import check_installed

    for path in paths:
        check_writable(path, (*FORMATS, *PICTURES))
        if path.suffix.lower() in PICTURES:
            check_installed()


def _check_choices(
    records: list[str],
    pair: bool,
    ductility: str | None,
    strength: str | None,
    hardening: float | None,
    viscosity: float | None,
) -> None:
    """Refuse options that do not go together."""
    from hamex.errors import InputError

    if pair and len(records) != 2:
        raise InputError(f"--pair takes two records, the components of one motion; got {len(records)}")
    if ductility is not None and strength is not None:
        raise InputError("give either --ductility or --strength")
    yielding = ductility is not None or strength is not None
    if pair and yielding:
        raise InputError("--pair is for elastic spectra; leave out --ductility and --strength")
    for name, value in (("--hardening", hardening), ("--viscosity", viscosity)):
        if value is not None and not yielding:
            raise InputError(f"{name} is for oscillators that yield; give --ductility or --strength")


def periods_of(text: str | None) -> Any:
    """A list, or A:B:N; by default the usual span with the round periods that tables show."""
    import numpy as np

    from hamex.errors import InputError

    if text is None:
        from hamex.report.spectrum.lines import USUAL_PERIODS

        return np.union1d(periods_of(_SPAN), USUAL_PERIODS)
    if ":" not in text:
        return numbers("--periods", text)
    words = text.split(":")
    if len(words) != 3:
        raise InputError(f"--periods: write A:B:N, e.g. {_SPAN}, or numbers with commas between; got {text!r}")
    first, last = (numbers("--periods", word)[0] for word in words[:2])
    if not words[2].isascii() or not words[2].isdigit() or not 2 <= int(words[2]) <= _MOST:
        raise InputError(f"--periods: the number of periods must be whole, from 2 to {_MOST:,}; got {words[2]!r}")
    if not 0 < first < last < float("inf"):
        raise InputError(f"--periods: A:B must be positive seconds, the shorter first; got {words[0]}:{words[1]}")
    return np.geomspace(first, last, int(words[2]))


def _units(g: float) -> Units:
    """The unit of length in which one gravity is g, where there is one."""
    from hamex.model.units import METRE, Units

    for length in METRE:
        if abs(g / Units(length).gravity - 1) < 0.002:
            return Units(length)
    return Units()


def _write(found: Spectrum, path: Path, view: str, kinds: list[str]) -> Path:
    from hamex.files import FORMATS

    if path.suffix.lower() in FORMATS:
        return found.save(path)
    from hamex.report.spectrum import write_spectrum

    return write_spectrum(found, path, view, kinds=kinds)


def _show(found: Spectrum, motions: list[GroundMotion]) -> None:
    from textwrap import fill

    from hamex.report.spectrum.lines import conventions, kinds_note, tables

    for motion in motions:
        print(heading(motion.source + (f" [{kinds_note((motion.kind,))}]" if motion.kind != "recorded" else "")))
    for table in tables(found):
        print(f"\n{table.title}\n" + aligned([f">{column}" for column in table.columns], table.rows))
    print()
    for name, text in conventions(found).items():
        print(fill(f"{name}: {text}", 80, subsequent_indent="  "))


def _data(found: Spectrum, motions: list[GroundMotion]) -> dict[str, Any]:
    axes = {name: labels.tolist() for name, labels in found.coordinates.items()}
    results = {
        name: {
            "unit": found.unit(name),
            "meaning": found.quantities[name].meaning,
            "values": _plain(found.values(name).tolist()),
        }
        for name in found.names
    }
    return {
        "motions": [about_record(motion) for motion in motions],
        "dims": list(found.dims),
        "coordinates": axes,
        "conventions": dict(found.attributes),
        "results": results,
    }


def _plain(values: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    return None if values != values else values


@records.command("select")
def select(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, folders or patterns.", show_default=False)
    ],
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many records to choose.", show_default=False)],
    eurocode8: Annotated[
        str | None,
        typer.Option(
            "--eurocode8", metavar="AG,GROUND", help="Target of EN 1998-1, e.g. 0.3,B: ag [g] and ground type."
        ),
    ] = None,
    asce7: Annotated[
        str | None, typer.Option("--asce7", metavar="SDS,SD1", help="Target of ASCE 7, e.g. 1.0,0.6: SDS and SD1 [g].")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--target", metavar="FILE", help="Target in two columns: period [s], pseudo-acceleration [g]."),
    ] = None,
    periods: Annotated[
        str | None,
        typer.Option(
            "--periods",
            metavar="A:B:N",
            show_default=False,
            help="N periods [s] from A to B, log-spaced, or a list; 100 from 0.05 to 4 s if left out.",
        ),
    ] = None,
    limits: Annotated[
        str, typer.Option("--limits", metavar="A,B", help="Smallest and largest factor on a record.")
    ] = "0.25,4",
    unit: Unit = None,
    step: Step = None,
    component: Component = None,
    raw: Raw = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write records, factors and spectra: .csv, .xlsx."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Write target, mean and scaled spectra: .png, .svg or .html."),
    ] = None,
    json: Json = False,
) -> None:
    """Choose records, and factors for them, whose mean spectrum follows a target."""
    from hamex.errors import InputError
    from hamex.study.spectra.targets.matching import select_to_target

    if output is not None:
        from hamex.files import check_writable

        check_writable(output, _TABLES)
    if plot is not None:
        from hamex.report.page import check_plot

        check_plot(plot)
    aim = _target(eurocode8, asce7, target)
    ends = numbers("--limits", limits)
    suite = read_motions(paths, unit=unit, step=step, component=component, raw=raw)
    if not len(suite):
        why = f": {suite.failed[0].why}" if suite.failed else ""
        raise InputError(f"no record could be read{why}")
    if len(ends) != 2:
        raise InputError(f"--limits: write the smallest and the largest factor, e.g. 0.5,2; got {limits!r}")
    wanted = None if periods is None else periods_of(periods)
    found = select_to_target(suite, aim, count, wanted, limits=(ends[0], ends[1]))
    written = [] if output is None else [_write_selection(found, suite, output)]
    if plot is not None:
        written.append(_plot_selection(found, suite, plot))
    tell(written, json, lambda: _selection_data(found, suite), lambda: _show_selection(found, suite))


def _target(eurocode8: str | None, asce7: str | None, file: Path | None) -> Target:
    from hamex.errors import InputError
    from hamex.study.spectra.targets import target as targets

    if sum(each is not None for each in (eurocode8, asce7, file)) != 1:
        raise InputError("say one target: --eurocode8 0.3,B, --asce7 1.0,0.6 or --target FILE")
    if file is not None:
        return targets.Target.from_points(*_points(file), name=file.name)
    option, words = (
        ("--eurocode8", (eurocode8 or "").split(",")) if eurocode8 else ("--asce7", (asce7 or "").split(","))
    )
    try:
        first = float(words[0])
        second: Any = words[1].strip() if eurocode8 else float(words[1])
        if len(words) > 2:
            raise ValueError
    except (ValueError, IndexError):
        example = "0.3,B" if eurocode8 else "1.0,0.6"
        raise InputError(f"{option}: write {example}; got {','.join(words)!r}") from None
    return targets.eurocode8(first, second) if eurocode8 else targets.asce7(first, second)


def _points(path: Path) -> tuple[list[float], list[float]]:
    """Two columns of numbers, with or without a line of names, as records have them."""
    from hamex.errors import FileError
    from hamex.files import SETTINGS, read_text
    from hamex.motion.records.columns import table_of

    values = table_of(path, read_text(path, SETTINGS)).values
    if values.shape[1] != 2 or len(values) < 2:
        raise FileError(
            f"{path}: a target has two columns, period [s] and pseudo-acceleration [g], and at least two rows; this "
            f"file has {values.shape[1]} and {len(values)}"
        )
    return values[:, 0].tolist(), values[:, 1].tolist()


def _selected_rows(found: Selection, suite: Suite) -> list[dict[str, Any]]:
    return [
        {
            "record": suite[place].source,
            "component": suite[place].component,
            "factor": float(factor),
            "error": float(error),
        }
        for place, factor, error in zip(found.chosen, found.factors, found.errors, strict=True)
    ]


def _selection_data(found: Selection, suite: Suite) -> dict[str, Any]:
    return {
        "target": found.target.name,
        "chosen from": len(suite),
        "limits": list(found.limits),
        "records": _selected_rows(found, suite),
        "suite_error": found.suite_error,
        "least_ratio": found.least_ratio,
        "periods": found.periods.tolist(),
        "wanted": found.wanted.tolist(),
        "mean": found.mean.tolist(),
        "spread": found.spread.tolist(),
    }


def _show_selection(found: Selection, suite: Suite) -> None:
    print(heading(f"{len(found.chosen)} of {len(suite)} records for {found.target.name}"))
    rows = [
        [
            shortened(row["record"].partition(":")[0], 40),
            row["component"],
            f"{row['factor']:.3f}",
            f"{100 * row['error']:.1f}",
        ]
        for row in _selected_rows(found, suite)
    ]
    print(aligned(["record", "component", ">factor", ">off [%]"], rows))
    low = int((found.mean / found.wanted).argmin())
    print()
    for line in (
        f"the mean is off the target by {100 * found.suite_error:.1f} % (rms over {len(found.periods)} periods from "
        f"{found.periods[0]:.3g} to {found.periods[-1]:.3g} s), at least {100 * found.least_ratio:.0f} % of it, at "
        f"{found.periods[low]:.3g} s",
        f"the records differ by {found.spread.mean():.2f} in ln on average, from {found.spread.min():.2f} to "
        f"{found.spread.max():.2f}",
    ):
        print(wrapped(line, 80, ""))
    beyond = sum(1 for factor in found.factors if factor in found.limits)
    if beyond and found.limits[0] < found.limits[1]:
        print(wrapped(f"{beyond} of them at a limit of the factor: they would need more, or less, to fit", 80, ""))
    if suite.failed:
        print(f"{len(suite.failed)} files could not be read; `hamex records list` tells why")


def _selected_names(found: Selection, suite: Suite) -> list[str]:
    """Records as short as they can be told: file and component."""
    return [
        " ".join(filter(None, (Path(row["record"].partition(":")[0]).name, row["component"])))
        for row in _selected_rows(found, suite)
    ]


def _plot_selection(found: Selection, suite: Suite, path: Path) -> Path:
    from hamex.report.page import heading as heading_of
    from hamex.report.page import write_drawing
    from hamex.report.plots import draw_scaling

    title = f"{len(found.chosen)} of {len(suite)} records for {found.target.name}"
    drawing = draw_scaling(
        found, heading_of(path, title), [shortened(name, 30) for name in _selected_names(found, suite)]
    )
    return write_drawing(drawing, path, title, "records", "Spectra of the scaled records, their mean, and the target.")


def _write_selection(found: Selection, suite: Suite, path: Path) -> Path:
    from hamex.solution.batch import save_columns
    from hamex.solution.files import pairs, write_sheets

    rows = _selected_rows(found, suite)
    units = {"factor": "factor [1]", "error": "off the target, rms of ln [1]"}
    records = {units.get(name, name): [row[name] for row in rows] for name in rows[0]}
    if path.suffix.lower() == ".csv":
        import numpy as np

        return save_columns(path, {name: np.array(column) for name, column in records.items()})
    spectra: dict[str, Any] = {"period [s]": found.periods, "target [g]": found.wanted, "mean [g]": found.mean}
    spectra["spread of ln [1]"] = found.spread
    named = zip(_selected_names(found, suite), found.spectra, strict=True)
    spectra |= {f"{number}: {name} [g]": row for number, (name, row) in enumerate(named, start=1)}
    about = {"target": found.target.name, "chosen": found.method, "mean off by, rms of ln": found.suite_error}
    return write_sheets(path, {"records": records, "spectra": spectra, "about": pairs(about)})
