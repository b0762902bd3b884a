"""``hamex records select``: records whose mean spectrum, after scaling, follows a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hamex.cli.records import Component, Json, Raw, Step, Unit, read_motions
from hamex.cli.text import aligned, heading, numbers, shortened, tell, wrapped

if TYPE_CHECKING:
    from hamex.motion.records.suite import Suite
    from hamex.study.spectra.targets.matching import Selection
    from hamex.study.spectra.targets.target import Target

_TABLES = (".csv", ".xlsx")


def command(
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
    from hamex.cli.spectrum import periods_of
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
    written = [] if output is None else [_write(found, suite, output)]
    if plot is not None:
        written.append(_plot(found, suite, plot))
    tell(written, json, lambda: _data(found, suite), lambda: _show(found, suite))


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


def _rows(found: Selection, suite: Suite) -> list[dict[str, Any]]:
    return [
        {
            "record": suite[place].source,
            "component": suite[place].component,
            "factor": float(factor),
            "error": float(error),
        }
        for place, factor, error in zip(found.chosen, found.factors, found.errors, strict=True)
    ]


def _data(found: Selection, suite: Suite) -> dict[str, Any]:
    return {
        "target": found.target.name,
        "chosen from": len(suite),
        "limits": list(found.limits),
        "records": _rows(found, suite),
        "suite_error": found.suite_error,
        "least_ratio": found.least_ratio,
        "periods": found.periods.tolist(),
        "wanted": found.wanted.tolist(),
        "mean": found.mean.tolist(),
        "spread": found.spread.tolist(),
    }


def _show(found: Selection, suite: Suite) -> None:
    print(heading(f"{len(found.chosen)} of {len(suite)} records for {found.target.name}"))
    rows = [
        [
            shortened(row["record"].partition(":")[0], 40),
            row["component"],
            f"{row['factor']:.3f}",
            f"{100 * row['error']:.1f}",
        ]
        for row in _rows(found, suite)
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


def _names(found: Selection, suite: Suite) -> list[str]:
    """Records as short as they can be told: file and component."""
    return [
        " ".join(filter(None, (Path(row["record"].partition(":")[0]).name, row["component"])))
        for row in _rows(found, suite)
    ]


def _plot(found: Selection, suite: Suite, path: Path) -> Path:
    from hamex.report.page import heading as heading_of
    from hamex.report.page import write_drawing
    from hamex.report.plots import draw_scaling

    title = f"{len(found.chosen)} of {len(suite)} records for {found.target.name}"
    drawing = draw_scaling(found, heading_of(path, title), [shortened(name, 30) for name in _names(found, suite)])
    return write_drawing(drawing, path, title, "records", "Spectra of the scaled records, their mean, and the target.")


def _write(found: Selection, suite: Suite, path: Path) -> Path:
    from hamex.solution.batch import save_columns
    from hamex.solution.files import pairs, write_sheets

    rows = _rows(found, suite)
    units = {"factor": "factor [1]", "error": "off the target, rms of ln [1]"}
    records = {units.get(name, name): [row[name] for row in rows] for name in rows[0]}
    if path.suffix.lower() == ".csv":
        import numpy as np

        return save_columns(path, {name: np.array(column) for name, column in records.items()})
    spectra: dict[str, Any] = {"period [s]": found.periods, "target [g]": found.wanted, "mean [g]": found.mean}
    spectra["spread of ln [1]"] = found.spread
    named = zip(_names(found, suite), found.spectra, strict=True)
    spectra |= {f"{number}: {name} [g]": row for number, (name, row) in enumerate(named, start=1)}
    about = {"target": found.target.name, "chosen": found.method, "mean off by, rms of ln": found.suite_error}
    return write_sheets(path, {"records": records, "spectra": spectra, "about": pairs(about)})
